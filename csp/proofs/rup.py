"""A checker of clausal proofs (DRUP), in plain Python, that shares no code with any solver.

A proof is a list of clauses. Each must be RUP, a consequence by *reverse unit propagation* (Goldberg & Novikov 2003):
if all its literals are false, unit propagation over the clauses before it runs into a conflict. The last is the empty
clause, and it must be written: programs that also accept a proof whose end was cut off, because propagation happens
to finish it, cannot tell a truncated file from a whole one.

Every clause that passes follows from the formula, so that a deletion (`d`) can only make a proof harder to check, never
wrong; deletions are honoured for speed, except of a clause that a fixed literal rests on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from nonant.csp.proofs.effort import Effort, endless

# What every reader of such proofs takes for a number; Python's own `int` takes more (1_0, blanks, other scripts).
NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")

Clause = tuple[int, ...]


class ProofError(ValueError):
    """A line of a proof that is not a clause, or a clause that does not follow."""


def parse(lines: Iterable[str]) -> Iterator[tuple[bool, Clause]]:
    """The lines of a proof as (is a deletion, clause).

    Raises:
        ProofError: for a line that is not numbers with a 0 at its end.
    """
    for number, line in enumerate(lines, 1):
        words = line.split()
        deletes = words[:1] == ["d"]
        literals = words[deletes:]
        if not all(map(NUMBER.fullmatch, literals)):
            raise ProofError(f"line {number} of the proof is not a clause: {line[:40]!r}")
        if not literals or literals.pop() != "0" or "0" in literals:
            raise ProofError(f"line {number} of the proof does not end with its 0; was the file cut off?")
        yield deletes, tuple(map(int, literals))


class Checker:
    """Clauses with two watched literals each, and the literals fixed by unit propagation.

    Tables by literal are lists that a negative literal indexes from the end.

    Attributes:
        refuted: true once the clauses are contradictory by unit propagation alone.
        effort: what is left of the operations that all this may take; one for each clause that is looked at.
    """

    def __init__(self, n_variables: int, clauses: Iterable[Clause], effort: Effort | None = None) -> None:
        self._n = n_variables
        self.effort = effort or endless()
        self._clauses: list[list[int] | None] = [None]  # by their number, from 1 on; None: deleted
        self._numbers: dict[Clause, list[int]] = {}
        self._watching: list[list[int]] = [[] for _ in range(2 * n_variables + 1)]
        self._value = [0] * (2 * n_variables + 1)  # 1 true, -1 false, 0 open
        self._reason = [0] * (n_variables + 1)  # the clause that made a variable's value; 0: assumed
        self._trail: list[int] = []
        self._propagated = 0
        self._conflict = 0  # the clause that is false under the fixed literals
        self.refuted = False
        for clause in clauses:
            self._add(clause)

    def rup(self, clause: Clause, number: int) -> list[int]:
        """Check that a clause follows, and add it.

        Returns:
            The clauses, by number and in order, that become unit one after another, up to the one that becomes false:
            what the LRAT format asks for.

        Raises:
            ProofError: if the clause does not follow; `number` is its place in the proof.
            OutOfEffort: if it takes more than it may.
        """
        if any(literal == 0 or abs(literal) > self._n for literal in clause):
            raise ProofError(f"clause {number} of the proof has a variable that the formula does not have")
        fixed, conflict = len(self._trail), self._conflict
        for literal in clause:
            if conflict:
                break
            if self._value[literal] > 0:
                # True already: against its negation stands the clause that fixed it, or, in a tautology, nothing.
                conflict = self._reason[abs(literal)] or -1
            elif self._value[literal] == 0:
                self._set(-literal, 0)
        conflict = conflict or self._propagate()
        if not conflict:
            raise ProofError(f"clause {number} of the proof does not follow: {' '.join(map(str, clause))} 0")
        hints = self._hints(conflict, {-literal for literal in clause}) if conflict > 0 else []
        for literal in self._trail[fixed:]:
            self._value[literal] = self._value[-literal] = 0
        del self._trail[fixed:]
        self._propagated = fixed
        self._add(clause)
        return hints

    def delete(self, clause: Clause) -> None:
        """Forget a clause, if it is there and no fixed literal rests on it."""
        numbers = self._numbers.get(tuple(sorted(clause)))
        if not numbers:
            return
        number = numbers[-1]
        if number != self._conflict and all(self._reason[abs(literal)] != number for literal in clause):
            numbers.pop()
            self._clauses[number] = None

    def _add(self, clause: Clause) -> None:
        literals = sorted(set(clause), key=lambda literal: self._value[literal] < 0)  # false ones last
        number = len(self._clauses)
        self._clauses.append(literals)
        self._numbers.setdefault(tuple(sorted(clause)), []).append(number)
        if len(literals) > 1:
            self._watching[literals[0]].append(number)
            self._watching[literals[1]].append(number)
        if self._conflict:
            return
        if not literals or self._value[literals[0]] < 0:
            self._conflict = number
        elif self._value[literals[0]] == 0 and (len(literals) == 1 or self._value[literals[1]] < 0):
            self._set(literals[0], number)
            self._conflict = self._propagate()
        self.refuted = self._conflict > 0

    def _set(self, literal: int, reason: int) -> None:
        self._value[literal], self._value[-literal] = 1, -1
        self._reason[abs(literal)] = reason
        self._trail.append(literal)

    def _propagate(self) -> int:
        """Unit propagation; the number of a clause that became false, or 0."""
        clauses, value, watching, spend = self._clauses, self._value, self._watching, self.effort.spend
        while self._propagated < len(self._trail):
            false = -self._trail[self._propagated]
            self._propagated += 1
            watchers, kept = watching[false], []
            spend(1 + len(watchers))
            for at, number in enumerate(watchers):
                clause = clauses[number]
                if clause is None:
                    continue
                if clause[0] == false:
                    clause[0], clause[1] = clause[1], false
                first = clause[0]
                if value[first] > 0:
                    kept.append(number)
                    continue
                for place in range(2, len(clause)):
                    other = clause[place]
                    if value[other] >= 0:
                        clause[1], clause[place] = other, false
                        watching[other].append(number)
                        break
                else:
                    kept.append(number)
                    if value[first] < 0:
                        watching[false] = kept + watchers[at + 1 :]
                        return number
                    self._set(first, number)
            watching[false] = kept
        return 0

    def _hints(self, conflict: int, assumed: set[int]) -> list[int]:
        """The reasons that lead to a false clause, from the first on; what is assumed needs none."""
        needed = {abs(literal) for literal in self._clauses[conflict] or ()}
        self.effort.spend(len(self._trail))
        hints = []
        for literal in reversed(self._trail):
            reason = self._reason[abs(literal)]
            if reason and reason != conflict and abs(literal) in needed and literal not in assumed:
                hints.append(reason)
                needed.update(abs(other) for other in self._clauses[reason] or ())
        return [*reversed(hints), conflict]


def check(n_variables: int, clauses: Sequence[Clause], lines: Sequence[str], effort: Effort | None = None) -> int:
    """Check a proof that the clauses are contradictory.

    Returns:
        How many clauses the proof derives.

    Raises:
        ProofError: says which line is wrong, or that the final empty clause is missing.
        OutOfEffort: if it takes more than it may; by default there is no limit.
    """
    return len(elaborate(n_variables, clauses, lines, effort))


def elaborate(
    n_variables: int, clauses: Sequence[Clause], lines: Sequence[str], effort: Effort | None = None
) -> list[str]:
    """The proof in the LRAT format: each clause with its number and its hints, checked on the way.

    Raises:
        ProofError, OutOfEffort: as `check`.
    """
    checker = Checker(n_variables, clauses, effort)
    made: list[str] = []
    number = len(clauses)
    for deletes, clause in parse(lines):
        if deletes:
            checker.delete(clause)
        if deletes or (clause and checker.refuted):
            continue  # once refuted, only the end is missing
        checker.effort.spend(len(clause))
        hints = checker.rup(clause, len(made) + 1)
        number += 1
        made.append(" ".join(map(str, (number, *clause, 0, *hints, 0))))
        if not clause:
            return made
    raise ProofError("the proof does not end with the empty clause, a line with 0 alone; was the file cut off?")
