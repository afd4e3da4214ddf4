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

Numbers that do not exist, empty lists of constraints and empty patterns are refused before anything else: an empty
conjunction is true, so that it shows nothing, and an empty pattern has no guard.

The cover rule is the rank argument of set logic (A. Barker, "Sudoku set logic"), the replay of refutations that of
D. Berthier's whips and braids, the uniqueness check the "deadly pattern" of players.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from nonant.csp.constraints import Constraint, Parity, Sum, Unit, title
from nonant.csp.masks import bits, mask_of
from nonant.csp.model import Model
from nonant.csp.proofs.effort import Effort, endless
from nonant.csp.proofs.records import Constraints, Cover, ParitySum, Proof, ProofError, Refutation, Several, Uniqueness
from nonant.csp.proofs.sets import Sets, sets_of

MOST_TUPLES = 200_000  # a proof that needs more assignments to be tried than this is refused


def check(
    model: Model, board: int, proof: Proof, domains: Sequence[int] | None = None, effort: Effort | None = None
) -> int:
    """The mask of the candidates that a proof makes false on a board.

    Args:
        model: the rules.
        board: the candidates left before the step.
        proof: what to check.
        domains: the puzzle as it was given (`domains_of`); only uniqueness proofs look at it, and fail without it.
        effort: what is left of the operations that it may take; by default there is no limit.

    Raises:
        ProofError: where the proof does not prove it; the message says why.
        OutOfEffort: where it takes more than it may.
    """
    _checked(_Judge(sets_of(model), board, domains, effort or endless()), proof)
    return mask_of(proof.removes)


def check_contradiction(model: Model, board: int, proof: Proof, effort: Effort | None = None) -> None:
    """Check that a proof shows a board to have no solution: more truths than links, 0 = 1, or no tuple at all.

    Raises:
        ProofError: where it does not.
        OutOfEffort: where it takes more than it may.
    """
    judge = _Judge(sets_of(model), board, None, effort or endless())
    _checked(judge, proof)
    if isinstance(proof, Cover) and len(proof.truths) > len(proof.links):
        return
    if isinstance(proof, ParitySum) and judge.parity_sum(proof) == (0, 1):
        return
    if isinstance(proof, Constraints) and next(judge.tuples(board, proof.constraints), None) is None:
        return
    raise ProofError("this proof removes candidates, but it does not show that the board has no solution")


def scope_of(model: Model, constraints: Sequence[int]) -> list[int]:
    """The cells of some constraints; where others stand beside units, those of the others."""
    rules = [model.constraints[number] for number in constraints]
    others = [rule for rule in rules if not isinstance(rule, Unit)] or rules
    return list(dict.fromkeys(cell for rule in others for cell in model.indices(rule)))


def _checked(judge: _Judge, proof: Proof) -> None:
    try:
        judge.well_formed(proof)
        judge.check(proof)
    except RecursionError:
        raise ProofError("the proof is nested too deep, or takes more cells together than can be tried") from None


class _Judge:
    """One board and what may be spent on it.

    Attributes:
        sets: the truths and links of the model.
        board: the candidates left.
        domains: the puzzle as it was given, or None.
        guard: the extra truth, while the inside of a uniqueness proof is looked at.
    """

    def __init__(self, sets: Sets, board: int, domains: Sequence[int] | None, effort: Effort) -> None:
        self.sets, self.board, self.domains, self.effort = sets, board, domains, effort
        self.guard: int | None = None
        self._step = 1 + (sets.model.n_cells * sets.size >> 12)  # operations of one look at a whole board

    # -- the form ------------------------------------------------------------------------------------------------------

    def well_formed(self, proof: Proof) -> None:
        """Refuse numbers that do not exist, and what is empty where emptiness would say something.

        Raises:
            ProofError: for these.
        """
        if isinstance(proof, Several):
            for part in proof.parts:
                self.well_formed(part)
            return
        if isinstance(proof, Uniqueness):
            if not proof.pattern:
                raise ProofError("the pattern of a uniqueness proof is empty: nothing could be exchanged")
            for cell, _ in proof.pattern:
                if not 0 <= cell < self.sets.model.n_cells:
                    raise ProofError(f"there is no cell {cell} for a pattern")
            self.well_formed(proof.proof)
            return
        self._candidates(proof.removes)
        if isinstance(proof, Refutation):
            for item in proof.items:
                if not isinstance(item, int):
                    self.well_formed(item)
        elif isinstance(proof, Constraints):
            if not proof.constraints:
                raise ProofError("a proof by constraints names none, and no constraints allow everything")
            self._constraints(proof.constraints)
        elif isinstance(proof, ParitySum):
            self._constraints(proof.parities)

    def _candidates(self, candidates: Sequence[int]) -> None:
        known = self.sets.model.n_cells * self.sets.size
        wrong = next((one for one in candidates if not 0 <= one < known), None)
        if wrong is not None:
            raise ProofError(f"there is no candidate {wrong}; the model has {known}")

    def _constraints(self, numbers: Sequence[int]) -> None:
        known = len(self.sets.model.constraints)
        wrong = next((one for one in numbers if not 0 <= one < known), None)
        if wrong is not None:
            raise ProofError(f"there is no constraint {wrong}; the model has {known}")

    def _link(self, number: int) -> int:
        if not 0 <= number < self.sets.guard:
            raise ProofError(f"there is no link {number}; the model has {self.sets.guard} sets")
        return self.sets.masks[number]

    def _truth(self, number: int) -> int:
        sets = self.sets
        if self.guard is not None and number == sets.guard:
            return self.guard
        if not 0 <= number < sets.guard:
            raise ProofError(f"there is no truth {number}; the model has {sets.guard} sets")
        if not sets.is_truth[number]:
            raise ProofError(f"{sets.names[number]} is no truth: the unit has fewer cells than there are values")
        return sets.masks[number]

    # -- the kinds -----------------------------------------------------------------------------------------------------

    def check(self, proof: Proof) -> None:
        """Raises a ProofError where the proof does not show what it removes to be false."""
        if isinstance(proof, Cover):
            self._cover(proof)
        elif isinstance(proof, Refutation):
            if not self._ends(self.sets.peers[proof.assumes], proof.items):
                what = "the last item" if self.guard is None else "the guard or the last item"
                raise ProofError(f"assuming {self.sets.candidate(proof.assumes)}, {what} is reached without an end")
        elif isinstance(proof, Several):
            for part in proof.parts:
                self.check(part)
        elif isinstance(proof, Uniqueness):
            self.guard = self._exchange(proof.pattern)
            self.check(proof.proof)
            self.guard = None
        elif isinstance(proof, ParitySum):
            self._parity(proof)
        else:
            self._check_constraints(self.board, proof)

    def _cover(self, cover: Cover) -> None:
        # Counters for all candidates at once: bit c of planes[k] is bit k of b(c) - a(c).
        self.effort.spend(self._step * (len(cover.links) + len(cover.truths)))
        planes: list[int] = []
        for link in cover.links:
            carry, at = self._link(link), 0
            while carry:
                if at == len(planes):
                    planes.append(0)
                planes[at], carry, at = planes[at] ^ carry, planes[at] & carry, at + 1
        for truth in cover.truths:
            borrow = self._truth(truth) & self.board
            for at, plane in enumerate(planes):
                planes[at], borrow = plane ^ borrow, ~plane & borrow
            if borrow:
                name = self.sets.candidate(next(bits(borrow)))
                raise ProofError(f"{name} is in more of the truths than of the links, so that they do not cover")
        rank = len(cover.links) - len(cover.truths)
        for candidate in cover.removes:
            surplus = sum((plane >> candidate & 1) << at for at, plane in enumerate(planes))
            if surplus <= rank:
                name = self.sets.candidate(candidate, "<>")
                raise ProofError(f"{name} does not follow: surplus {surplus} of links, and it takes more than {rank}")

    def _ends(self, dead: int, items: Iterable[int | Refutation | Constraints]) -> bool:
        """Whether the items lead to a truth without a candidate; `dead` is what the assumptions make false so far."""
        sets, board = self.sets, self.board
        for item in items:
            if isinstance(item, Refutation):
                if not self._ends(dead | sets.peers[item.assumes], item.items):
                    return False
                dead |= 1 << item.assumes
                continue
            if isinstance(item, Constraints):
                self._check_constraints(board & ~dead, item)
                dead |= mask_of(item.removes)
                continue
            left = self._truth(item) & board & ~dead
            if not left:
                return True
            self.effort.spend(self._step * left.bit_count())
            excluded = -1  # what all members left are linked to
            for candidate in bits(left):
                excluded &= sets.peers[candidate]
            dead |= excluded
        return False

    def _exchange(self, pattern: Sequence[tuple[int, int]]) -> int:
        """The candidates of a pattern's cells outside the pattern, of which one holds if the solution is unique.

        Suppose each cell of the pattern took one of its two values, and exchange all of them for the other. Say a unit
        has k cells of the pattern, and each value among them stands in exactly two: these are k values, so that all k
        are taken, and taken again after the exchange. No unit, and no given, tells the two apart: there are two
        solutions.
        """
        sets, domains = self.sets, self.domains
        compiled, chosen = sets.model.compiled, dict(pattern)
        if domains is None or len(domains) != compiled.n_cells:
            raise ProofError("a uniqueness proof needs the puzzle as it was given, to see which cells are free")
        if len(chosen) != len(pattern):
            raise ProofError("a pattern names a cell twice")
        self.effort.spend(sum(map(len, compiled.units)) + len(pattern) * (1 + len(compiled.scopes)))
        for cell, values in pattern:
            name = sets.model.names[cell]
            if values.bit_count() != 2 or domains[cell] & values != values:
                raise ProofError(f"{name} cannot be exchanged: it has not two free values in the pattern")
            if any(cell in scope for scope in compiled.scopes):
                raise ProofError(f"{name} is in a constraint that is no unit; nothing is exchanged there")
        for unit, name in zip(compiled.units, compiled.unit_names, strict=True):
            met = [chosen[cell] for cell in unit if cell in chosen]
            times = Counter(value for values in met for value in bits(values))
            if any(count != 2 for count in times.values()):
                raise ProofError(f"an exchange would show in {name}: a value of the pattern does not stand there twice")
        return sum((self.board & sets.masks[cell]) & ~(values << (cell * sets.size)) for cell, values in pattern)

    def parity_sum(self, proof: ParitySum) -> tuple[int, int]:
        """The sum of the equations modulo 2: the candidates left in it, and the right-hand side."""
        total, odd, model = 0, 0, self.sets.model
        self.effort.spend(self._step * len(proof.truths))
        for truth in proof.truths:
            total ^= self._truth(truth)
            odd ^= 1
        for number in proof.parities:
            parity = model.constraints[number]
            if not isinstance(parity, Parity):
                raise ProofError(f"constraint {number} is {title(parity)}, not a Parity")
            self.effort.spend(self._step * len(parity.cells))
            for cell in model.indices(parity):
                total ^= model.compiled.odd_mask << (cell * self.sets.size)
            odd ^= parity.odd
        return total & self.board, odd

    def _parity(self, proof: ParitySum) -> None:
        total, odd = self.parity_sum(proof)
        peers, left = self.sets.peers, list(bits(total))
        if not left:
            false = self.board if odd else 0
        elif len(left) == 1:
            false = peers[left[0]] if odd else total
        elif len(left) == 2:
            both_linked = peers[left[0]] >> left[1] & 1
            false = peers[left[0]] & peers[left[1]] if odd else total if both_linked else 0
        else:
            raise ProofError(f"the sum of the equations leaves {len(left)} candidates; it takes one or two")
        for candidate in proof.removes:
            if not false >> candidate & 1:
                name = self.sets.candidate(candidate, "<>")
                raise ProofError(f"{name} does not follow from the sum of the equations")

    def _check_constraints(self, board: int, proof: Constraints) -> None:
        sets = self.sets
        false = {divmod(candidate, sets.size) for candidate in proof.removes}
        if not {cell for cell, _ in false} <= set(scope_of(sets.model, proof.constraints)):
            raise ProofError("a removed candidate is in a cell that the constraints do not name")
        for row in self.tuples(board, proof.constraints) if false else ():
            hit = next(((cell, value) for cell, value in row.items() if (cell, value) in false), None)
            if hit is not None:
                name = sets.candidate(hit[0] * sets.size + hit[1])
                raise ProofError(f"{name} does not go: the constraints allow a tuple with it")

    def tuples(self, board: int, constraints: Sequence[int]) -> Iterator[Mapping[int, int]]:
        """All ways to fill the cells of some constraints from a board so that each of them holds.

        A way is cell -> value (as numbers); it is the same mapping each time, filled anew.
        """
        model, size, spend = self.sets.model, self.sets.size, self.effort.spend
        cells = scope_of(model, constraints)
        at_depth = {cell: depth for depth, cell in enumerate(cells)}
        asked: list[list[tuple[Constraint, tuple[int, ...]]]] = [[] for _ in cells]
        for rule in (model.constraints[number] for number in constraints):
            # Of a unit only the cells inside the scope are filled: they differ too.
            scope = tuple(cell for cell in model.indices(rule) if cell in at_depth)
            if not model.indices(rule) and not rule.holds(()):
                return  # a constraint over no cells that does not hold
            for cell in dict.fromkeys(scope):
                asked[at_depth[cell]].append((rule, scope))
        options = {cell: list(bits(board >> (cell * size) & ((1 << size) - 1))) for cell in cells}
        row: dict[int, int] = {}
        tried = 0

        def may_hold(rule: Constraint, scope: tuple[int, ...]) -> bool:
            spend(len(scope))
            known = [row[cell] for cell in scope if cell in row]
            if len(known) == len(scope):
                return rule.holds([model.values[value] for value in known])
            # Only to try fewer tuples: of a class that is not named here a tuple is asked for once it is whole.
            if isinstance(rule, Unit):
                return len(set(known)) == len(known)
            if isinstance(rule, Sum) and rule.relation != "!=":
                low = high = 0
                for cell, weight in zip(scope, rule.weights, strict=True):
                    terms = [weight * model.values[value] for value in ([row[cell]] if cell in row else options[cell])]
                    low, high = low + min(terms, default=0), high + max(terms, default=0)
                return (rule.relation == ">=" or low <= rule.total) and (rule.relation == "<=" or high >= rule.total)
            return True

        def fill(depth: int) -> Iterator[Mapping[int, int]]:
            nonlocal tried
            if depth == len(cells):
                yield row
                return
            cell = cells[depth]
            for value in options[cell]:
                tried += 1
                if tried > MOST_TUPLES:
                    raise ProofError(f"the constraints have more than {MOST_TUPLES} tuples to try; name fewer of them")
                row[cell] = value
                if all(may_hold(rule, scope) for rule, scope in asked[depth]):
                    yield from fill(depth + 1)
                del row[cell]

        yield from fill(0)
