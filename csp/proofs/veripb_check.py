"""A reader of pseudo-Boolean proofs, in plain Python, that shares no code with what writes them and knows no puzzle.

It reads the part of VeriPB's language 3.0 that `veripb.py` uses, one command a line, and nothing else:

    f N ;                   the formula has N inequalities (an equality counts as two: >=, then <=)
    pol ... ;               in reverse Polish notation: lines, literals (x5 for x5 >= 0), `+`, `N *`, `N d` (division)
    e C : k ;               inequality k is C; each `pol` line is followed by one, since `pol` itself never fails
    rup C : ~ k1 k2 ... ;   "not C" (the ~) and the inequalities k1, k2, ... lead to a conflict by unit propagation
    solx x1 ~x2 ... ;       all variables: a solution of everything so far, which is then forbidden
    output NONE ;           then `conclusion UNSAT : k ;` or `conclusion ENUMERATION_COMPLETE N : k ;`, where nothing
                            satisfies inequality k, and N is how many solutions stood in the proof; then the `end`

An inequality is kept as ({literal: coefficient above 0}, degree): the true literals' coefficients add up to at least
the degree. A literal is a variable's number, negative for the negated variable, so that a coefficient of -k on x is k
on -x, with k more in the degree.

Sources: VeriPB's "proof format overview"; J. Elffers, S. Gocht, C. McCreesh, J. Nordström (2020) on the rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

Inequality = tuple[dict[int, int], int]

LITERAL = re.compile(r"(~?)x([1-9][0-9]{0,8})")
INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
HEADER = "pseudo-Boolean proof version 3.0"
LARGEST = 1 << 62  # no coefficient or degree is larger, so that a line of a few characters makes no huge number


class Refused(ValueError):
    """A formula or a proof with a line that is not known, or that does not hold."""


@dataclass(frozen=True)
class Found:
    """What a proof shows: all the solutions of the formula.

    Attributes:
        solutions: for each the variables that are 1 (of those that the formula preserves); none: there is none.
        formula: how many inequalities the formula has; derived: how many the proof has added.
    """

    solutions: tuple[frozenset[int], ...]
    formula: int
    derived: int


def _count_nothing(_operations: int) -> None:
    """No limit."""


def read(opb: str, pbp: str, spend: Callable[[int], None] = _count_nothing) -> Found:
    """Check a proof against its formula, to the last line.

    Args:
        opb: the formula.
        pbp: the proof.
        spend: is told of operations (terms looked at) as they are done, and may raise to end the check.

    Raises:
        Refused: says which line of which of the two is wrong, and why.
    """
    reader = _Reader(spend)
    for name, text, comment, take in (
        ("formula", opb, "*", reader.formula_line),
        ("proof", pbp, "%", reader.proof_line),
    ):
        for number, line in enumerate(text.split("\n"), 1):
            if name == "proof" and number == 1:
                if line.rstrip() != HEADER:
                    raise Refused(f"line 1 of the proof is not {HEADER!r}")
            elif line.strip() and not line.startswith(comment):
                try:
                    take(_words(line))
                except Refused as error:
                    raise Refused(f"line {number} of the {name}: {error}") from None
    if reader.stage != "end":
        raise Refused("the proof does not come to its end; was it cut off?")
    return Found(tuple(reader.solutions), reader.n_formula, len(reader.known) - reader.n_formula)


class _Reader:
    """The inequalities so far, and how far the proof has come."""

    def __init__(self, spend: Callable[[int], None]) -> None:
        self.spend = spend
        self.known: list[Inequality] = []
        self.variables: set[int] = set()
        self.preserved: set[int] = set()
        self.solutions: list[frozenset[int]] = []
        self.n_formula = 0
        self.stage = "f"  # what must come next: f, a rule (""), the e of a pol, conclusion, end..., or nothing ("end")

    def formula_line(self, words: list[str]) -> None:
        if words[0] == "preserved:":
            if self.preserved or self.known:
                raise Refused("'preserved:' comes once, before all constraints")
            self.preserved = {_literal(word) for word in words[1:]}
            if min(self.preserved, default=0) <= 0:
                raise Refused("'preserved:' names variables")
            self.variables |= self.preserved
            return
        made = _constraint(words, equal=True)
        self.known += made
        self.n_formula = len(self.known)
        self.variables.update(abs(literal) for terms, _ in made for literal in terms)

    def proof_line(self, words: list[str]) -> None:
        command, rest = words[0], words[1:]
        expected = {"f": "f", "e": "e", "conclusion": "conclusion", "close": "end"}.get(self.stage)
        if self.stage == "end":
            raise Refused("nothing may follow the end of the proof")
        if expected is not None and command != expected:
            raise Refused(f"here must come {expected!r}, not {command!r}")
        if command == "f" and self.stage == "f":
            if rest != [str(self.n_formula)]:
                raise Refused(f"the formula has {self.n_formula} inequalities, the proof says {' '.join(rest)}")
            self.stage = ""
        elif command == "pol":
            self.known.append(self.polish(rest))
            self.stage = "e"
        elif command == "e":
            self.equal(rest)
        elif command == "rup":
            self.propagated(rest)
        elif command == "solx":
            self.solution(rest)
        elif words == ["output", "NONE"]:
            self.stage = "conclusion"
        elif command == "conclusion" and self.stage == "conclusion":
            self.conclusion(rest)
        elif words == ["end", "pseudo-Boolean", "proof"] and self.stage == "close":
            self.stage = "end"
        else:
            raise Refused(f"{' '.join(words)[:40]!r} is not known here")

    # -- rules ---------------------------------------------------------------------------------------------------------

    def polish(self, words: list[str]) -> Inequality:
        stack: list[Inequality | int] = []  # an int is a number whose use the next word decides
        for at, word in enumerate(words):
            if word == "+":
                second, first = _pop(stack), _pop(stack)
                self.spend(len(first[0]) + len(second[0]))
                stack.append(_sum(first, second))
            elif word in ("*", "d"):
                by = stack.pop() if stack else None
                if not isinstance(by, int) or by < 1:
                    raise Refused(f"{word!r} needs a number above 0 before it")
                terms, degree = _pop(stack)
                self.spend(len(terms))
                if word == "*":
                    stack.append(({literal: by * number for literal, number in terms.items()}, by * degree))
                else:
                    stack.append(({literal: -(-number // by) for literal, number in terms.items()}, -(-degree // by)))
            elif LITERAL.fullmatch(word):
                stack.append(({self.known_literal(word): 1}, 0))
            elif at + 1 < len(words) and words[at + 1] in ("*", "d"):
                stack.append(_integer(word))
            else:
                stack.append(self.inequality(word))
            made = stack[-1]
            if isinstance(made, tuple) and max(abs(made[1]), max(made[0].values(), default=0)) > LARGEST:
                raise Refused("a coefficient or a degree is too large")
        found = _pop(stack)
        if stack:
            raise Refused(f"{len(stack) + 1} inequalities are left, not one")
        return found

    def equal(self, words: list[str]) -> None:
        constraint, hints = _split(words)
        if self.stage == "e" and hints != [str(len(self.known))]:
            raise Refused(f"after a 'pol' this must be about its inequality, {len(self.known)}")
        if len(hints) != 1 or [self.inequality(hints[0])] != _constraint(constraint):
            raise Refused(f"inequality {' '.join(hints)} is another one")
        self.stage = ""

    def propagated(self, words: list[str]) -> None:
        constraint, hints = _split(words)
        made = _constraint(constraint)[0]
        if any(abs(literal) not in self.variables for literal in made[0]):
            raise Refused("it has a variable that the formula does not have")
        terms, degree = made
        negation = {-literal: number for literal, number in terms.items()}, sum(terms.values()) - degree + 1
        used = [negation if hint == "~" else self.inequality(hint) for hint in hints]
        if not _conflict(used, self.spend):
            raise Refused("it does not follow by unit propagation over the inequalities that it names")
        self.known.append(made)

    def solution(self, words: list[str]) -> None:
        true = {self.known_literal(word) for word in words}
        if (
            len(true) != len(self.variables)
            or len(words) != len(true)
            or {abs(literal) for literal in true} != self.variables
        ):
            raise Refused("a solution gives each variable one value")
        for number, (terms, degree) in enumerate(self.known, 1):
            self.spend(len(terms))
            if sum(size for literal, size in terms.items() if literal in true) < degree:
                raise Refused(f"this is no solution: it breaks inequality {number}")
        if not self.preserved:
            raise Refused("the formula has no line 'preserved:', so that solutions cannot be told apart")
        self.solutions.append(frozenset(literal for literal in true if literal in self.preserved))
        self.known.append(({-literal: 1 for literal in true if abs(literal) in self.preserved}, 1))

    def conclusion(self, words: list[str]) -> None:
        claim, hints = _split(words)
        said = {0: ["UNSAT"]}.get(len(self.solutions), ["ENUMERATION_COMPLETE", str(len(self.solutions))])
        if claim != said:
            raise Refused(f"the proof has {len(self.solutions)} solutions, so that it must conclude {' '.join(said)}")
        if len(hints) != 1:
            raise Refused("the conclusion names one inequality")
        terms, degree = self.inequality(hints[0])
        if sum(terms.values()) >= degree:
            raise Refused(f"inequality {hints[0]} can be satisfied")
        self.stage = "close"

    # -- words ---------------------------------------------------------------------------------------------------------

    def inequality(self, word: str) -> Inequality:
        number = _integer(word)
        if not 1 <= number <= len(self.known):
            raise Refused(f"there is no inequality {number}, the last one is {len(self.known)}")
        return self.known[number - 1]

    def known_literal(self, word: str) -> int:
        literal = _literal(word)
        if abs(literal) not in self.variables:
            raise Refused(f"the formula has no variable {word.lstrip('~')}")
        return literal


def _conflict(used: list[Inequality], spend: Callable[[int], None]) -> bool:
    """Whether unit propagation over some inequalities, in order and again until nothing changes, fails in one."""
    false: set[int] = set()
    changed = True
    while changed:
        changed = False
        for terms, degree in used:
            spend(len(terms))
            slack = sum(number for literal, number in terms.items() if literal not in false) - degree
            if slack < 0:
                return True
            for literal, number in terms.items():
                if number > slack and literal not in false and -literal not in false:
                    false.add(-literal)
                    changed = True
    return False


def _sum(first: Inequality, second: Inequality) -> Inequality:
    """Two inequalities added up; x and its negation together are 1."""
    terms, degree = dict(first[0]), first[1] + second[1]
    for literal, number in second[0].items():
        both = min(number, terms.get(-literal, 0))
        if both:
            degree -= both
            terms[-literal] -= both
            if not terms[-literal]:
                del terms[-literal]
        if number > both:
            terms[literal] = terms.get(literal, 0) + number - both
    return terms, degree


def _constraint(words: list[str], equal: bool = False) -> list[Inequality]:
    """`2 x1 -1 ~x2 >= 1` as one inequality, with `=` (only in a formula) as two."""
    if len(words) < 2 or len(words) % 2 or words[-2] not in ((">=", "=") if equal else (">=",)):
        raise Refused(f"{' '.join(words)[:40]!r} is no constraint")
    right = _integer(words[-1])
    pairs = [(_integer(words[at]), _literal(words[at + 1])) for at in range(0, len(words) - 2, 2)]
    if len({abs(literal) for _, literal in pairs}) != len(pairs):
        raise Refused("a variable stands twice in a constraint")
    made = [_positive(pairs, right)]
    return made if words[-2] == ">=" else [*made, _positive([(-number, literal) for number, literal in pairs], -right)]


def _positive(pairs: Iterable[tuple[int, int]], degree: int) -> Inequality:
    terms = {}
    for number, literal in pairs:
        if number > 0:
            terms[literal] = number
        elif number < 0:
            terms[-literal] = -number
            degree -= number
    return terms, degree


def _words(line: str) -> list[str]:
    words = line.split()
    if words[-1] != ";" or len(words) < 2 or ";" in words[:-1]:
        raise Refused("it does not end with its one ' ;'")
    return words[:-1]


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    if words.count(":") != 1:
        raise Refused("it needs one ':' before the inequalities that it names")
    at = words.index(":")
    return words[:at], words[at + 1 :]


def _pop(stack: list[Inequality | int]) -> Inequality:
    found = stack.pop() if stack else None
    if not isinstance(found, tuple):
        raise Refused("an inequality is missing")
    return found


def _integer(word: str) -> int:
    if not INTEGER.fullmatch(word):
        raise Refused(f"{word[:20]!r} is no number")
    return int(word)


def _literal(word: str) -> int:
    found = LITERAL.fullmatch(word)
    if not found:
        raise Refused(f"{word[:20]!r} is no literal")
    return -int(found[2]) if found[1] else int(found[2])
