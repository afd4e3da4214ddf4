"""The independent checker of steps: short, plain Python, and it knows nothing of how a step was found.

A *truth* is a set of candidates of which at least one holds (a cell; a value in a full unit), a *link* one of which at
most one holds (a cell; a value in a unit). A proof names truths and links, never how somebody came upon them, and is
checked against the model and the board before the step. Kinds of proofs:

- `Cover`: truths and links, with repeats. Let a(c) and b(c) be how many of the truths and of the links hold candidate
  c. If a <= b on the whole board, adding up gives sum (b - a)(c) * [c holds] <= |links| - |truths|, so each candidate
  with b - a > |links| - |truths| is false. With more truths than links the board itself has no solution.
- `Refutation`: a candidate is assumed. Each item is a truth whose members left make false whatever all of them are
  linked to, or the refutation of another candidate under the same assumptions. A truth without members left ends it.
- `Constraints`: no tuple over the board's candidates that satisfies the named constraints of the model has the removed.
- `ParitySum`: of each truth an odd number holds (exactly one), as of the model's own parities; the sum of the named
  equations modulo 2 leaves one candidate, or two.
- `Uniqueness`: cells in which two values each could be exchanged without touching a given or a rule. A puzzle with one
  solution has there a candidate outside the pattern: one more truth, the *guard*, for a cover or a refutation.
- `Several`: proofs of one step, all against the same board.

The cover rule is the rank argument of set logic (A. Barker, "Sudoku set logic"), the replay of refutations that of
D. Berthier's whips and braids, the uniqueness check the "deadly pattern" of players.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from nonant.csp.constraints import Parity, Sum, Unit, title
from nonant.csp.errors import NonantError
from nonant.csp.model import Model, Puzzle

MOST_TUPLES = 200_000  # a proof that needs more assignments to be tried than this is refused


class ProofError(NonantError, ValueError):
    """A proof that does not prove what it says."""


# -- the records -------------------------------------------------------------------------------------------------------
# Truths and links are numbers of a `Sets`, candidates are bits of a board; `proof_text.py` writes them as names.


@dataclass(frozen=True)
class Cover:
    """Truths and links, repeats counted, and the candidates that they make false."""

    truths: tuple[int, ...]
    links: tuple[int, ...]
    removes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Refutation:
    """A candidate that cannot hold, and what shows it, in order: truths, inner refutations, constraints."""

    assumes: int
    items: tuple[int | Refutation | Constraints, ...]

    @property
    def removes(self) -> tuple[int, ...]:
        """The one candidate that is made false."""
        return (self.assumes,)

    @property
    def depth(self) -> int:
        """1, or one more than the deepest inner refutation."""
        return 1 + max((item.depth for item in self.items if isinstance(item, Refutation)), default=0)


@dataclass(frozen=True)
class Constraints:
    """Constraints of the model (their places in `model.constraints`) taken together, and what they make false."""

    constraints: tuple[int, ...]
    removes: tuple[int, ...] = ()


@dataclass(frozen=True)
class ParitySum:
    """Truths, and parities of the model (places in `model.constraints`), to be added up modulo 2."""

    truths: tuple[int, ...]
    parities: tuple[int, ...] = ()
    removes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Uniqueness:
    """A pattern (cell, mask of two values) that must not be filled alone, and what its guard then proves.

    In `proof` the guard is the truth with the number `Sets.guard`.
    """

    pattern: tuple[tuple[int, int], ...]
    proof: Cover | Refutation

    @property
    def removes(self) -> tuple[int, ...]:
        """What the guard makes false."""
        return self.proof.removes


@dataclass(frozen=True)
class Several:
    """Proofs of the parts of one step."""

    parts: tuple[Cover | Refutation | Constraints | ParitySum | Uniqueness, ...]

    @property
    def removes(self) -> tuple[int, ...]:
        """What any part makes false."""
        return tuple(sorted({candidate for part in self.parts for candidate in part.removes}))


Proof = Cover | Refutation | Constraints | ParitySum | Uniqueness | Several


def depth(proof: Proof) -> int:
    """How deep refutations are nested in a proof: 0 for none."""
    if isinstance(proof, Several):
        return max((depth(part) for part in proof.parts), default=0)
    if isinstance(proof, Uniqueness):
        return depth(proof.proof)
    return proof.depth if isinstance(proof, Refutation) else 0


def assumes_unique(proof: Proof) -> bool:
    """Whether a proof holds only for puzzles with one solution."""
    return isinstance(proof, Uniqueness) or (isinstance(proof, Several) and any(map(assumes_unique, proof.parts)))


# -- truths and links of a model ---------------------------------------------------------------------------------------


class _Peers(dict[int, int]):
    """Candidate -> mask of those that share a link with it; worked out when first asked for (a board can be large)."""

    def __init__(self, sets: Sets) -> None:
        self._sets = sets

    def __missing__(self, candidate: int) -> int:
        found = 0
        for link in self._sets.links_of(candidate):
            found |= self._sets.masks[link]
        found &= ~(1 << candidate)
        self[candidate] = found
        return found


class Sets:
    """The numbered sets of a model: set `cell` is that cell, set `n_cells + unit * n_values + value` a value in a unit.

    Attributes:
        masks: the candidates of each set, as a board.
        names: what people read: "r1c2", "6 in row 4".
        is_truth: whether at least one candidate of the set holds; every set is a link.
        guard: the number of the extra truth of a uniqueness proof.
        peers: candidate -> mask of the candidates that it excludes.
    """

    def __init__(self, model: Model) -> None:
        compiled, size = model.compiled, model.n_values
        self.model, self.size = model, size
        every = (1 << size) - 1
        masks = [every << (cell * size) for cell in range(compiled.n_cells)]
        names = list(model.names)
        truth = [True] * compiled.n_cells
        for unit, name, full in zip(compiled.units, compiled.unit_names, compiled.full, strict=True):
            column = sum(1 << (cell * size) for cell in unit)
            masks += [column << value for value in range(size)]
            names += [f"{symbol} in {name}" for symbol in model.symbols]
            truth += [full] * size
        self.masks = tuple(masks)
        self.names = _distinct(names)
        self.is_truth = tuple(truth)
        self.guard = len(masks)
        self.peers = _Peers(self)
        self._units_of = compiled.units_of
        self._links_of: dict[int, tuple[int, ...]] = {}

    def links_of(self, candidate: int) -> tuple[int, ...]:
        """The links of a candidate: its cell, then its value in each unit of the cell."""
        if candidate not in self._links_of:
            cell, value = divmod(candidate, self.size)
            first = self.model.n_cells + value
            self._links_of[candidate] = (cell, *(first + unit * self.size for unit in self._units_of[cell]))
        return self._links_of[candidate]

    def candidate(self, candidate: int, sign: str = "=") -> str:
        """A candidate as text: r1c2=3, or with another sign r1c2<>3."""
        cell, value = divmod(candidate, self.size)
        return f"{self.model.names[cell]}{sign}{self.model.symbols[value]}"


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    """The names; one that comes again gets its number, so that a name means one set."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return tuple(found)


# Frozen values of frozen models, and bounded, since models may come from a stream of region maps.
@lru_cache(maxsize=64)
def sets_of(model: Model) -> Sets:
    """The sets of a model."""
    return Sets(model)


def bits(mask: int) -> Iterator[int]:
    """The places of the ones, from the lowest."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def mask_of(numbers: Iterable[int]) -> int:
    """The mask with a one at each of these places; a place that is named twice is one all the same."""
    mask = 0
    for number in numbers:
        mask |= 1 << number
    return mask


def domains_of(puzzle: Puzzle) -> tuple[int, ...]:
    """The values that rules, givens and marks leave each cell, before any deduction."""
    pairs = zip(puzzle.domains, puzzle.model.compiled.domains, strict=True)
    return tuple(domain & rule for domain, rule in pairs)


def start(puzzle: Puzzle) -> int:
    """The board on which a path begins: the domains, without what the givens exclude."""
    sets, board = sets_of(puzzle.model), 0
    for cell, domain in enumerate(domains_of(puzzle)):
        board |= domain << (cell * sets.size)
    for cell, given in enumerate(puzzle.givens):
        if given is not None:
            board &= ~sets.peers[cell * sets.size + given]
    return board


# -- checking ----------------------------------------------------------------------------------------------------------


def check(model: Model, board: int, proof: Proof, domains: Sequence[int] | None = None) -> int:
    """The mask of the candidates that a proof makes false on a board.

    Args:
        model: the rules.
        board: the candidates left before the step.
        proof: what to check.
        domains: the puzzle as it was given (`domains_of`); only uniqueness proofs look at it, and fail without it.

    Raises:
        ProofError: where the proof does not prove it; the message says why.
    """
    _check(sets_of(model), board, proof, domains)
    return mask_of(proof.removes)


def check_contradiction(model: Model, board: int, proof: Proof) -> None:
    """Check that a proof shows a board to have no solution: more truths than links, 0 = 1, or no tuple at all.

    Raises:
        ProofError: where it does not.
    """
    sets = sets_of(model)
    _check(sets, board, proof, None)
    if isinstance(proof, Cover) and len(proof.truths) > len(proof.links):
        return
    if isinstance(proof, ParitySum) and _parity_sum(sets, board, proof) == (0, 1):
        return
    if isinstance(proof, Constraints) and not any(_tuples(sets, board, proof.constraints)):
        return
    raise ProofError("this proof removes candidates, but it does not show that the board has no solution")


def _check(sets: Sets, board: int, proof: Proof, domains: Sequence[int] | None) -> None:
    if isinstance(proof, Cover):
        _check_cover(sets, board, proof, None)
    elif isinstance(proof, Refutation):
        if not _ends(sets, board, sets.peers[proof.assumes], proof.items, None):
            raise ProofError(f"assuming {sets.candidate(proof.assumes)}, the last item is reached without an end")
    elif isinstance(proof, Several):
        for part in proof.parts:
            _check(sets, board, part, domains)
    elif isinstance(proof, Uniqueness):
        guard = _guard(sets, board, proof.pattern, domains)
        if isinstance(proof.proof, Cover):
            _check_cover(sets, board, proof.proof, guard)
        elif not _ends(sets, board, sets.peers[proof.proof.assumes], proof.proof.items, guard):
            raise ProofError(f"assuming {sets.candidate(proof.proof.assumes)}, the guard does not end it")
    elif isinstance(proof, ParitySum):
        _check_parity(sets, board, proof)
    else:
        _check_constraints(sets, board, proof)


def _truth(sets: Sets, number: int, guard: int | None) -> int:
    if guard is not None and number == sets.guard:
        return guard
    if not 0 <= number < sets.guard:
        raise ProofError(f"there is no truth {number}; the model has {sets.guard} sets")
    if not sets.is_truth[number]:
        raise ProofError(f"{sets.names[number]} is no truth: the unit has fewer cells than there are values")
    return sets.masks[number]


def _check_cover(sets: Sets, board: int, cover: Cover, guard: int | None) -> None:
    # Counters for all candidates at once: bit c of planes[k] is bit k of b(c) - a(c).
    planes: list[int] = []
    for link in cover.links:
        if not 0 <= link < sets.guard:
            raise ProofError(f"there is no link {link}; the model has {sets.guard} sets")
        carry, at = sets.masks[link], 0
        while carry:
            if at == len(planes):
                planes.append(0)
            planes[at], carry, at = planes[at] ^ carry, planes[at] & carry, at + 1
    for truth in cover.truths:
        borrow = _truth(sets, truth, guard) & board
        for at, plane in enumerate(planes):
            planes[at], borrow = plane ^ borrow, ~plane & borrow
        if borrow:
            name = sets.candidate(next(bits(borrow)))
            raise ProofError(f"{name} is in more of the truths than of the links, so that they do not cover")
    rank = len(cover.links) - len(cover.truths)
    for candidate in cover.removes:
        surplus = sum((plane >> candidate & 1) << at for at, plane in enumerate(planes))
        if surplus <= rank:
            name = sets.candidate(candidate, "<>")
            raise ProofError(f"{name} does not follow: surplus {surplus} of links, and it takes more than {rank}")


def _ends(
    sets: Sets, board: int, dead: int, items: Iterable[int | Refutation | Constraints], guard: int | None
) -> bool:
    """Whether the items lead to a truth without a candidate; `dead` is what the assumptions make false so far."""
    for item in items:
        if isinstance(item, Refutation):
            if not _ends(sets, board, dead | sets.peers[item.assumes], item.items, guard):
                return False
            dead |= 1 << item.assumes
            continue
        if isinstance(item, Constraints):
            _check_constraints(sets, board & ~dead, item)
            dead |= mask_of(item.removes)
            continue
        left = _truth(sets, item, guard) & board & ~dead
        if not left:
            return True
        excluded = -1  # what all members left are linked to
        for candidate in bits(left):
            excluded &= sets.peers[candidate]
        dead |= excluded
    return False


def _guard(sets: Sets, board: int, pattern: Sequence[tuple[int, int]], domains: Sequence[int] | None) -> int:
    """The candidates of a pattern's cells outside the pattern, of which one holds if the solution is unique.

    Suppose each cell of the pattern took one of its two values, and exchange all of them for the other. Say a unit has
    k cells of the pattern, and each value among them stands in exactly two: these are k values, so that all k are
    taken, and taken again after the exchange. No unit, and no given, tells the two apart: there are two solutions.
    """
    if domains is None:
        raise ProofError("a uniqueness proof needs the puzzle as it was given, to see which cells are free")
    compiled, chosen = sets.model.compiled, dict(pattern)
    if len(chosen) != len(pattern):
        raise ProofError("a pattern names a cell twice")
    for cell, values in pattern:
        if values.bit_count() != 2 or domains[cell] & values != values:
            raise ProofError(f"{sets.model.names[cell]} cannot be exchanged: it has not two free values in the pattern")
        if any(cell in scope for scope in compiled.scopes):
            raise ProofError(f"{sets.model.names[cell]} is in a constraint that is no unit; nothing is exchanged there")
    for unit, name in zip(compiled.units, compiled.unit_names, strict=True):
        met = [chosen[cell] for cell in unit if cell in chosen]
        times = Counter(value for values in met for value in bits(values))
        if any(count != 2 for count in times.values()):
            raise ProofError(f"an exchange would show in {name}: a value of the pattern does not stand there twice")
    return sum((board & sets.masks[cell]) & ~(values << (cell * sets.size)) for cell, values in pattern)


def _parity_sum(sets: Sets, board: int, proof: ParitySum) -> tuple[int, int]:
    """The sum of the equations modulo 2: the candidates left in it, and the right-hand side."""
    total, odd = 0, 0
    for truth in proof.truths:
        total ^= _truth(sets, truth, None)
        odd ^= 1
    for place in proof.parities:
        parity = sets.model.constraints[place]
        if not isinstance(parity, Parity):
            raise ProofError(f"constraint {place} is {title(parity)}, not a Parity")
        for cell in sets.model.indices(parity):
            total ^= sets.model.compiled.odd_mask << (cell * sets.size)
        odd ^= parity.odd
    return total & board, odd


def _check_parity(sets: Sets, board: int, proof: ParitySum) -> None:
    total, odd = _parity_sum(sets, board, proof)
    left = list(bits(total))
    if not left:
        false = board if odd else 0
    elif len(left) == 1:
        false = sets.peers[left[0]] if odd else total
    elif len(left) == 2:
        first, second = sets.peers[left[0]], sets.peers[left[1]]
        false = first & second if odd else total if first >> left[1] & 1 else 0
    else:
        raise ProofError(f"the sum of the equations leaves {len(left)} candidates; it takes one or two")
    for candidate in proof.removes:
        if not false >> candidate & 1:
            raise ProofError(f"{sets.candidate(candidate, '<>')} does not follow from the sum of the equations")


def _check_constraints(sets: Sets, board: int, proof: Constraints) -> None:
    false = {divmod(candidate, sets.size) for candidate in proof.removes}
    for row in _tuples(sets, board, proof.constraints):
        hit = next(((cell, value) for cell, value in row.items() if (cell, value) in false), None)
        if hit is not None:
            name = sets.candidate(hit[0] * sets.size + hit[1])
            raise ProofError(f"{name} does not go: the constraints allow a tuple with it")
    if not {cell for cell, _ in false} <= set(scope_of(sets.model, proof.constraints)):
        raise ProofError("a removed candidate is in a cell that the constraints do not name")


def scope_of(model: Model, places: Sequence[int]) -> list[int]:
    """The cells of some constraints; where others stand beside units, those of the others."""
    rules = [model.constraints[place] for place in places]
    others = [rule for rule in rules if not isinstance(rule, Unit)] or rules
    return list(dict.fromkeys(cell for rule in others for cell in model.indices(rule)))


def _tuples(sets: Sets, board: int, places: Sequence[int]) -> Iterator[dict[int, int]]:
    """All ways to fill the cells of some constraints from the board so that each of them holds."""
    model, size = sets.model, sets.size
    cells = scope_of(model, places)
    named = [(rule, model.indices(rule)) for rule in (model.constraints[place] for place in places)]
    # Of a unit only the cells inside the scope are filled: they differ too.
    named = [(rule, tuple(cell for cell in scope if cell in cells)) for rule, scope in named]
    options = {cell: list(bits(board >> (cell * size) & ((1 << size) - 1))) for cell in cells}
    row: dict[int, int] = {}
    tried = 0

    def may_hold(constraint: Any, scope: tuple[int, ...]) -> bool:
        known = [row.get(cell) for cell in scope]
        if None not in known:
            return bool(constraint.holds([model.values[value] for value in known if value is not None]))
        if isinstance(constraint, Unit):
            taken = [value for value in known if value is not None]
            return len(set(taken)) == len(taken)
        if isinstance(constraint, Sum) and constraint.relation in ("==", "<=", ">="):
            low = high = 0
            for cell, weight in zip(scope, constraint.weights, strict=True):
                values = options[cell] if cell not in row else [row[cell]]
                terms = [weight * model.values[value] for value in values]
                low, high = low + min(terms, default=0), high + max(terms, default=0)
            fits = {
                "==": low <= constraint.total <= high,
                "<=": low <= constraint.total,
                ">=": high >= constraint.total,
            }
            return fits[constraint.relation]
        return True

    def fill(at: int) -> Iterator[dict[int, int]]:
        nonlocal tried
        if at == len(cells):
            yield row
            return
        for value in options[cells[at]]:
            tried += 1
            if tried > MOST_TUPLES:
                raise ProofError(f"the constraints have more than {MOST_TUPLES} tuples to try; name fewer of them")
            row[cells[at]] = value
            if all(may_hold(constraint, scope) for constraint, scope in named if cells[at] in scope):
                yield from fill(at + 1)
            del row[cells[at]]

    return fill(0)
