"""A puzzle as a pseudo-Boolean formula: linear inequalities over one 0-1 variable a candidate, in the OPB format.

Variable x(1 + cell * n_values + place of the value) says that the cell takes the value. The constraints come in this
order; an equality counts as two, first `>=`, then `<=`, and all are numbered from 1:

- the sets of `sets.Sets`, in their order: a truth is `sum = 1`, a set that is only a link `sum <= 1`. Where every unit
  is full, set k has the numbers 2k + 1 and 2k + 2: 324 sets in a classic grid;
- for each other constraint of the model, in order: a sum, or a comparison of whole numbers, is linear as it stands; a
  parity is an equality with its even part in variables of its own; what else there is becomes one clause against each
  shortest row of values that nothing completes (`cnf.rule_clauses`);
- the values that rules over a single cell leave out (these follow from what stands above);
- each given, and each value that the pencil marks leave out, one line each.

The line `preserved:` names the variables of the candidates; solutions are told apart by them. VeriPB asks for it before
it counts solutions; the variables of parities are decided by the others.

Sources: the OPB format of the pseudo-Boolean competitions; "proof format overview" of VeriPB 3.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from nonant.csp.constraints import Compare, Constraint, Parity, Relation, Sum, Unit
from nonant.csp.errors import NonantError, ParseError, Unsupported
from nonant.csp.masks import bits
from nonant.csp.model import Model, Puzzle
from nonant.csp.proofs.cnf import rule_clauses
from nonant.csp.proofs.sets import sets_of

MODEL_LINE = "* model: "


class NotWritten(NonantError, ValueError):
    """A puzzle, or a step of a path, that these proofs cannot carry; the message says which, and why."""


@dataclass(frozen=True)
class Inequality:
    """The sum of coefficient * variable over `terms` is at least `least`; variables count from 1."""

    terms: Mapping[int, int]
    least: int

    @property
    def text(self) -> str:
        """In OPB, with positive coefficients: a negative one becomes a positive one of the negated variable."""
        degree = self.least - sum(number for number in self.terms.values() if number < 0)
        items = [
            f"{number} x{at}" if number > 0 else f"{-number} ~x{at}" for at, number in self.terms.items() if number
        ]
        return " ".join([*items, f">= {degree}"])


@dataclass(frozen=True)
class Encoded:
    """What became of one constraint of the model that is no unit.

    Attributes:
        inequalities: (number, inequality) of what is linear: one of them, or the two of an equality.
        clauses: the candidates of a row of values that is refused -> the number of the clause against it.
        parity: (at least, at most): the numbers of the equality of a parity; `odd` the candidates that it counts.
        slack: the variables of a parity's even part, that of 2 first.
    """

    inequalities: tuple[tuple[int, Inequality], ...] = ()
    clauses: Mapping[tuple[int, ...], int] = field(default_factory=dict)
    parity: tuple[int, int] | None = None
    odd: tuple[int, ...] = ()
    slack: tuple[int, ...] = ()


@dataclass(frozen=True)
class Formula:
    """A puzzle in OPB, and where everything is in it.

    Attributes:
        text: the file.
        n_variables: how many variables, n_candidates those that stand for candidates.
        inequalities: all of them; number k is `inequalities[k - 1]`.
        truth: set -> the number of "at least one"; link: set -> the number of "at most one".
        rules: place in `model.constraints` -> what became of it (units are among the sets).
        given: candidate -> the number of "it holds"; barred: candidate -> the number of "it does not".
    """

    text: str
    n_variables: int
    n_candidates: int
    inequalities: tuple[Inequality, ...]
    truth: Mapping[int, int]
    link: Mapping[int, int]
    rules: Mapping[int, Encoded]
    given: Mapping[int, int]
    barred: Mapping[int, int]


def formula(puzzle: Puzzle) -> Formula:
    """The formula of a puzzle.

    Raises:
        NotWritten: for a puzzle without cells, or a constraint over too many cells to try all rows of values.
    """
    return _Builder(puzzle).formula()


class _Builder:
    """Collects lines and inequalities while the puzzle is read once."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle, self.model = puzzle, puzzle.model
        if not self.model.n_cells:
            raise NotWritten(f"{self.model.name} has no cells; there is nothing to prove")
        self.sets = sets_of(self.model)
        self.lines: list[str] = []
        self.inequalities: list[Inequality] = []
        self.n_variables = self.n_candidates = self.model.n_cells * self.model.n_values

    def formula(self) -> Formula:
        truth, link, rules = dict[int, int](), dict[int, int](), dict[int, Encoded]()
        for number, mask in enumerate(self.sets.masks):
            terms = {candidate + 1: 1 for candidate in bits(mask)}
            if self.sets.is_truth[number]:
                truth[number], link[number] = self.equal(terms, 1)
            else:
                link[number] = self.least(dict.fromkeys(terms, -1), -1)
        clauses = self.clauses()
        for place, constraint in enumerate(self.model.constraints):
            if isinstance(constraint, Parity):
                rules[place] = self.parity(constraint)
            elif place in clauses:
                numbers = {
                    row: self.least(dict.fromkeys((at + 1 for at in row), -1), 1 - len(row)) for row in clauses[place]
                }
                rules[place] = Encoded(clauses=numbers)
            elif (made := _as_sum(self.model, constraint)) is not None:
                rules[place] = self.linear(made)
        given, barred = dict[int, int](), dict[int, int]()
        for number, positive in _facts(self.puzzle):
            where = given if positive else barred
            where[number] = self.least({number + 1: 1 if positive else -1}, 1 if positive else 0)
        head = [
            f"* #variable= {self.n_variables} #constraint= {len(self.lines)}",
            MODEL_LINE + " ".join(self.model.name.split()),
            f"* x1 to x{self.n_candidates}: {self._legend()}",
            "preserved: " + " ".join(f"x{at + 1}" for at in range(self.n_candidates)) + " ;",
        ]
        return Formula(
            "\n".join([*head, *self.lines]) + "\n",
            self.n_variables,
            self.n_candidates,
            tuple(self.inequalities),
            truth,
            link,
            rules,
            given,
            barred,
        )

    def _legend(self) -> str:
        last = self.sets.candidate(self.n_candidates - 1)
        return " ".join(f"{self.sets.candidate(0)} to {last}, value by value, then cell by cell".split())

    # -- lines ---------------------------------------------------------------------------------------------------------

    def least(self, terms: Mapping[int, int], least: int) -> int:
        """A line `terms >= least`; its number."""
        self.inequalities.append(Inequality(terms, least))
        self.lines.append(self.inequalities[-1].text + " ;")
        return len(self.inequalities)

    def equal(self, terms: Mapping[int, int], total: int) -> tuple[int, int]:
        """A line `terms = total`; the numbers of its two halves."""
        self.inequalities.append(Inequality(terms, total))
        self.inequalities.append(Inequality({at: -number for at, number in terms.items()}, -total))
        self.lines.append(" ".join([*(f"{number} x{at}" for at, number in terms.items()), f"= {total} ;"]))
        return len(self.inequalities) - 1, len(self.inequalities)

    # -- constraints that are no units ---------------------------------------------------------------------------------

    def clauses(self) -> dict[int, list[tuple[int, ...]]]:
        """The refused rows of values of what is not linear, by the place of the constraint."""
        places = [
            place
            for place, made in enumerate(self.model.constraints)
            if not isinstance(made, Unit | Parity) and _as_sum(self.model, made) is None
        ]
        if not places:
            return {}
        units = [made for made in self.model.constraints if isinstance(made, Unit)]
        part = replace(self.model, constraints=[*units, *(self.model.constraints[place] for place in places)])
        try:
            made = [clauses for _, clauses in rule_clauses(part)][1 + len(units) :]
        except Unsupported as error:
            raise NotWritten(f"no pseudo-Boolean formula of {self.model.name}: {error.reason}") from error
        return {
            place: [tuple(-literal - 1 for literal in clause) for clause in clauses]
            for place, clauses in zip(places, made, strict=True)
        }

    def linear(self, made: Sum) -> Encoded:
        terms: dict[int, int] = {}
        for cell, weight in zip(self.model.indices(made), made.weights, strict=True):
            for at, value in enumerate(self.model.values):
                variable = cell * self.model.n_values + at + 1
                terms[variable] = terms.get(variable, 0) + weight * int(value)
        terms = {at: number for at, number in terms.items() if number}
        numbers: tuple[int, ...]
        if made.relation == "==":
            numbers = self.equal(terms, made.total)
        elif made.relation == ">=":
            numbers = (self.least(terms, made.total),)
        else:
            numbers = (self.least({at: -number for at, number in terms.items()}, -made.total),)
        return Encoded(tuple((number, self.inequalities[number - 1]) for number in numbers))

    def parity(self, parity: Parity) -> Encoded:
        """How many of the odd values stand there, less 1 if odd, is twice a number in binary."""
        scope = self.model.indices(parity)
        cells = [cell for cell in dict.fromkeys(scope) if scope.count(cell) % 2]
        odd_values = list(bits(self.model.compiled.odd_mask))
        odd = tuple(cell * self.model.n_values + at for cell in cells for at in odd_values)
        most = (len(cells) - parity.odd) // 2 if odd_values else 0
        slack = tuple(self.n_variables + 1 + at for at in range(max(most, 0).bit_length()))
        self.n_variables += len(slack)
        terms = {candidate + 1: 1 for candidate in odd}
        terms |= {variable: -(2 << at) for at, variable in enumerate(slack)}
        return Encoded(parity=self.equal(terms, int(parity.odd)), odd=odd, slack=slack)


def _as_sum(model: Model, constraint: Constraint) -> Sum | None:
    """A sum or comparison as a sum with <=, >= or ==; None for what is not linear."""
    match constraint:
        case Sum():
            return constraint if constraint.relation != "!=" else None
        case Compare():
            if constraint.relation == "!=" or not all(isinstance(value, int) for value in model.values):
                return None
            cells, offset = constraint.cells, constraint.offset
            relation, total = {"<": ("<=", offset - 1), ">": (">=", offset + 1)}.get(
                constraint.relation, (constraint.relation, offset)
            )
            return Sum(cells, total, (1, -1), relation)
        case Unit() | Relation() | Parity():
            return None
        case _:
            assert_never(constraint)


def _facts(puzzle: Puzzle) -> Iterator[tuple[int, bool]]:
    """Candidates that are known without any step, and whether they hold: rules of one cell, givens, pencil marks."""
    size = puzzle.model.n_values
    every, ruled = (1 << size) - 1, puzzle.model.compiled.domains
    for cell, domain in enumerate(ruled):
        yield from ((cell * size + at, False) for at in bits(every & ~domain))
    for cell, (given, mark) in enumerate(zip(puzzle.givens, puzzle.marks, strict=True)):
        if given is not None:
            yield cell * size + given, True
        yield from ((cell * size + at, False) for at in bits(ruled[cell] & ~mark))


# -- reading it back ---------------------------------------------------------------------------------------------------


def model_name(text: str) -> str | None:
    """The model that a formula names, if it does."""
    for line in text.splitlines()[:9]:
        if line.startswith(MODEL_LINE):
            return line.removeprefix(MODEL_LINE).strip()
    return None


def puzzle_of(text: str, model: Model) -> Puzzle:
    """The puzzle of which a text is the formula, line by line; givens and pencil marks are read from its last lines.

    Raises:
        ParseError: if it is not the formula of a puzzle of this model.
        NotWritten: as `formula`.
    """
    lines = _constraints(text)
    # Looked at before anything is built: who names a large model has to write its formula first.
    named = len(lines[0][1].split()) - 2 if lines else 0
    if named != model.n_cells * model.n_values:
        raise ParseError(
            f"it names {named} candidates, a {model.name} has {model.n_cells * model.n_values}",
            line=lines[0][0] if lines else 1,
            expected=_expected(model),
        )
    rules = _constraints(formula(model.puzzle()).text)
    givens: list[int | None] = [None] * model.n_cells
    marks = [(1 << model.n_values) - 1] * model.n_cells
    for number, line in lines[len(rules) :]:
        found = re.fullmatch(r"1 (~?)x([1-9][0-9]{0,8}) >= 1 ;", line)
        cell, at = divmod(int(found[2]) - 1, model.n_values) if found else (model.n_cells, 0)
        if found is None or cell >= model.n_cells:
            raise ParseError("this is neither a given nor a pencil mark", line=number, expected=_expected(model))
        if found[1]:
            marks[cell] &= ~(1 << at)
        else:
            givens[cell] = at
    puzzle = Puzzle(model, tuple(givens), tuple(marks))
    again = _constraints(formula(puzzle).text)
    for (number, line), (_, right) in zip(lines, again, strict=False):
        if line != right:
            raise ParseError("this line is not that of the puzzle", line=number, expected=_expected(model))
    if len(lines) != len(again):
        raise ParseError(f"the formula has {len(lines)} lines, its puzzle {len(again)}", expected=_expected(model))
    return puzzle


def _expected(model: Model) -> str:
    return f"expected the formula of a {model.name}, as `nonant explain --pbp` writes it"


def _constraints(text: str) -> list[tuple[int, str]]:
    """What counts in a formula: its lines, without comments, numbered from 1."""
    lines = enumerate(text.split("\n"), 1)
    return [(number, line) for number, line in lines if line and not line.startswith("*")]


def values_of(formula: Formula, places: Sequence[int], n_values: int) -> set[int]:
    """The variables that are 1 in a solution (place of the value, one a cell), those of the parities included."""
    true = {cell * n_values + at + 1 for cell, at in enumerate(places)}
    for encoded in formula.rules.values():
        if encoded.parity is not None:
            least = formula.inequalities[encoded.parity[0] - 1].least
            even = (sum(candidate + 1 in true for candidate in encoded.odd) - least) // 2
            true |= {variable for at, variable in enumerate(encoded.slack) if even >> at & 1}
    return true
