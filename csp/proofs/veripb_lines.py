"""The lines of a pseudo-Boolean proof as they are written, and what each has shown.

Every line is remembered as the inequality that it derives, since `pol` lines are pinned down by what they must make:
the same sums are worked out here, in whole numbers over variables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from nonant.csp.masks import bits
from nonant.csp.model import Puzzle
from nonant.csp.proofs.opb import Inequality, NotWritten, formula
from nonant.csp.proofs.sets import sets_of

MOST_LINES = 50_000  # that one step may take: a constraint with more rows of values than this is not written out


class Lines:
    """The formula of a puzzle, and the lines of a proof so far, from what the givens exclude on.

    Attributes:
        text: the lines.
        known: what each line of formula and proof says; line k is `known[k - 1]`.
        live: the candidates that are not yet shown to be false; dead: the others, with the line that says so.
        contradiction: the line that no assignment satisfies, once there is one.
        place: which step is being written, for messages.
        reasons: how many reasons refutations have had so far, which gives them an order.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle, self.model = puzzle, puzzle.model
        self.formula, self.sets = formula(puzzle), sets_of(puzzle.model)
        self.known = list(self.formula.inequalities)
        self.text = ["pseudo-Boolean proof version 3.0", f"f {len(self.known)} ;"]
        self.contradiction: int | None = None
        self.live = (1 << self.formula.n_candidates) - 1
        self.dead: dict[int, int] = {}
        self.place, self.most_lines, self.reasons = "the start", 1 << 62, 0
        for candidate, line in self.formula.barred.items():
            self.bury(candidate, line)
        for given, line in self.formula.given.items():
            for candidate in bits(self.sets.peers[given] & self.live):
                self.remove(candidate, [line, self.link(given, candidate)])

    def begin(self, step: int) -> None:
        """From here on the lines belong to this step."""
        self.place, self.most_lines = f"step {step}", len(self.text) + MOST_LINES

    def derive(self, clause: Iterable[int], hints: Iterable[int]) -> int:
        """The line "not all of these candidates", by unit propagation over the lines of the hints; its number."""
        terms = dict.fromkeys((candidate + 1 for candidate in clause), -1)
        self.known.append(Inequality(terms, 1 - len(terms)))
        self.text.append(f"rup {self.known[-1].text} : ~ {' '.join(map(str, dict.fromkeys(hints)))} ;")
        if len(self.text) > self.most_lines:
            raise NotWritten(f"{self.place} of the path takes more than {MOST_LINES} lines of proof")
        if not terms and self.contradiction is None:
            self.contradiction = len(self.known)
        return len(self.known)

    def add(self, parts: Mapping[int, int], axioms: Mapping[int, int] | None = None, halve: bool = False) -> int:
        """The sum of lines, each times a number, pinned down by a second line; its number.

        Args:
            parts: line -> how often.
            axioms: variable -> how often `x >= 0` is added; negative for `1 - x >= 0`.
            halve: divide by 2, each coefficient and then the right-hand side rounded up.
        """
        words, terms, least = list[str](), Counter[int](), 0
        for line, times in parts.items():
            words.append(f"{line} {times} *" if times > 1 else str(line))
            least += times * self.known[line - 1].least
            for at, number in self.known[line - 1].terms.items():
                terms[at] += times * number
        for at, times in (axioms or {}).items():
            words.append(("x" if times > 0 else "~x") + (f"{at} {abs(times)} *" if abs(times) > 1 else str(at)))
            terms[at] += times
            least += min(times, 0)
        kept = {at: number for at, number in terms.items() if number}
        if halve:
            # The language divides with positive coefficients, those of negated variables included.
            degree = least - sum(number for number in kept.values() if number < 0)
            kept = {at: (number + 1 if number > 0 else number) // 2 for at, number in kept.items()}
            least = (degree + 1) // 2 + sum(number for number in kept.values() if number < 0)
        self.known.append(Inequality(kept, least))
        text = words[0] + "".join(f" {word} +" for word in words[1:])
        self.text.append(f"pol {text}{' 2 d' if halve else ''} ;")
        self.text.append(f"e {self.known[-1].text} : {len(self.known)} ;")
        if least > sum(number for number in kept.values() if number > 0) and self.contradiction is None:
            self.contradiction = len(self.known)
        return len(self.known)

    def link(self, one: int, other: int) -> int:
        """The line that says that two candidates are not both true."""
        for number in self.sets.links_of(one):
            if self.sets.masks[number] >> other & 1:
                return self.formula.link[number]
        raise NotWritten(f"{self.place} of the path links {self.sets.candidate(one)} and {self.sets.candidate(other)}")

    def gone(self, number: int) -> list[int]:
        """The lines that say which members of a set are dead."""
        return [self.dead[candidate] for candidate in bits(self.sets.masks[number] & ~self.live)]

    def bury(self, candidate: int, line: int) -> None:
        """Remember the line that shows a candidate to be false."""
        self.dead[candidate] = line
        self.live &= ~(1 << candidate)

    def remove(self, candidate: int, hints: Iterable[int]) -> None:
        """A line that shows a candidate to be false."""
        self.bury(candidate, self.derive((candidate,), hints))
