"""The lightest member of a coset of a linear code, and how light the leaders of all cosets are.

Fewest presses is this problem: the solutions of a board are one solution plus every quiet pattern, that is, a coset of
the code of quiet patterns; its *leader* has the fewest ones, and the heaviest leader of all cosets is the code's
*covering radius*, which puzzlers call God's number.

- `leader`: parts of the code that share no cell are solved apart. A part of dimension d is walked through in Gray-code
  order while 2^d allows (by plain ints, then compiled); beyond that CP-SAT minimises, and where time runs out the
  answer says what is known: the best member found and a proved lower bound.
- `leader_weights`: how many cosets have a leader of each weight. The weight of member + codeword u depends only on how
  many cells are pressed in each *class*, the cells that the same basis vectors contain.
- `covering_radius`: the classes again, as an integer program (`radius_proofs` proves its answer).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, isfinite, prod

from nonant.csp.algebra import bitrows
from nonant.csp.budget import Budget
from nonant.csp.errors import ModelError
from nonant.csp.machine import cp_sat
from nonant.csp.masks import bits

PLAIN_DIMENSION = 12  # codes up to this dimension are walked by plain ints: some four thousand additions
WALK_NS = 0.1  # nanoseconds a word and codeword that the compiled walk takes, to choose between it and CP-SAT
MOST_WALK_SECONDS = 3600.0  # a longer walk is not begun, even without a limit
DESCENT_SECONDS = 5.0  # of local search before CP-SAT, at most
CHUNK = 1 << 34  # codewords x words between two looks at the clock
MAX_STEPS = 64_000_000  # combinations of presses by class x codewords, for `leader_weights`


@dataclass(frozen=True)
class Leader:
    """A light member of a coset.

    Attributes:
        mask: the member.
        weight: its number of ones.
        lower_bound: no member has fewer ones than this; equal to the weight when the member is proved lightest.
    """

    mask: int
    weight: int
    lower_bound: int

    @property
    def optimal(self) -> bool:
        """True when no member is lighter."""
        return self.weight == self.lower_bound


# -- one coset ---------------------------------------------------------------------------------------------------------


def components(basis: Sequence[int]) -> list[list[int]]:
    """The code as a direct sum: basis vectors grouped so that different groups share no cell."""
    groups: list[tuple[int, list[int]]] = []
    for row in bitrows.reduced(basis)[0]:
        support, members, apart = row, [row], []
        for other, rows in groups:
            if other & support:
                support |= other
                members = rows + members
            else:
                apart.append((other, rows))
        # One pass is enough: groups are disjoint, and the new row alone joins them.
        groups = [*apart, (support, members)]
    return [members for _, members in groups]


def leader(
    member: int, basis: Sequence[int], checks: Sequence[int] = (), seconds: float | None = 60.0, floor: int = 0
) -> Leader:
    """The lightest of member + code.

    Args:
        member: any member, a bit a cell.
        basis: a basis of the code.
        checks: sparse vectors orthogonal to the code, which together define it: what CP-SAT works with. Where none
            are given, a basis of the dual code is used.
        seconds: after this much time the best member so far is returned; None is no limit.
        floor: a lower bound that the caller knows.
    """
    budget = Budget.within(seconds)
    light, bound, rest = 0, 0, member
    parts = sorted(components(basis), key=len)  # the easy ones first: they leave their share of the time to the rest
    for number, part in enumerate(parts):
        support = 0
        for row in part:
            support |= row
        found = _part_leader(member & support, part, support, checks, budget.share(len(parts) - number))
        light |= found.mask
        bound += found.lower_bound
        rest &= ~support
    light |= rest
    weight = light.bit_count()
    return Leader(light, weight, min(weight, max(bound + rest.bit_count(), floor)))


def _part_leader(member: int, part: Sequence[int], support: int, checks: Sequence[int], budget: Budget) -> Leader:
    if len(part) <= PLAIN_DIMENSION:
        return _walk_plainly(member, part)
    n_words = -(-support.bit_count() // 64)
    cost = 2.0 ** len(part) * n_words * WALK_NS * 1e-9
    if len(part) <= 62 and cost < min(budget.seconds_left(), MOST_WALK_SECONDS):
        return _walk(member, part, support, budget)
    return _minimise(member, part, support, checks, budget)


def _walk_plainly(member: int, part: Sequence[int]) -> Leader:
    best = here = member
    weight = here.bit_count()
    for step in range(1, 1 << len(part)):
        here ^= part[(step & -step).bit_length() - 1]
        if here.bit_count() < weight:
            best, weight = here, here.bit_count()
    return Leader(best, weight, weight)


def _walk(member: int, part: Sequence[int], support: int, budget: Budget) -> Leader:
    import numpy as np

    from nonant.csp.algebra.gf2 import BitMatrix, _aligned
    from nonant.csp.kernels.gf2 import gray

    # Only the support matters: fewer words to count.
    packed = BitMatrix.of_ints([member, *part], support.bit_length()).bits()
    packed = packed[:, list(bits(support))]
    words = BitMatrix.of(packed).words
    start, basis = words[0].copy(), np.ascontiguousarray(words[1:])
    table = _aligned(64 * basis.shape[1])
    gray.tabulate(basis, table)
    steps, step = 1 << (len(part) - gray.TABLED), 0
    chunk = max(1, CHUNK // (64 * basis.shape[1]))
    weight, choice = member.bit_count(), 0
    while step < steps and not budget.late():
        last = min(steps, step + chunk)
        weight, choice = gray.walk(start, basis, table, step, last, weight, choice)
        step = last
    best = member
    for row in bits(int(choice)):
        best ^= part[row]
    return Leader(best, int(weight), int(weight) if step == steps else 0)


def _descend(member: int, part: Sequence[int], budget: Budget) -> int:
    """A light member, by local search: add one or two basis vectors while that helps, then start elsewhere."""
    steps = [*part, *(a ^ b for at, a in enumerate(part) for b in part[:at])] if len(part) <= 200 else list(part)
    source = random.Random(len(part))  # a fixed seed: the same question gets the same answer
    best = here = member
    while True:
        better = True
        while better:
            weight, better = here.bit_count(), False
            for step in steps:
                if (here ^ step).bit_count() < weight:
                    here ^= step
                    weight, better = here.bit_count(), True
        if here.bit_count() < best.bit_count():
            best = here
        if budget.late():
            return best
        for row in part:
            if source.random() < 0.1:
                here ^= row


def _minimise(member: int, part: Sequence[int], support: int, checks: Sequence[int], budget: Budget) -> Leader:
    from ortools.sat.python import cp_model

    if budget.late():
        return Leader(member, member.bit_count(), 0)
    light = _descend(member, part, Budget.within(min(DESCENT_SECONDS, budget.seconds_left() / 5)))
    if not checks:
        checks = bitrows.null_space(part, support.bit_length())
    model = cp_model.CpModel()
    cells = {cell: model.new_bool_var(f"c{cell}") for cell in bits(support)}
    for number, check in enumerate(checks):
        inside = check & support
        if inside:
            odd, size = (member & inside).bit_count() % 2, inside.bit_count()
            half = model.new_int_var(0, size // 2, f"h{number}")
            model.add(sum(cells[cell] for cell in bits(inside)) == odd + 2 * half)
    for cell, variable in cells.items():
        model.add_hint(variable, light >> cell & 1)
    total = sum(cells.values())
    model.add(total <= light.bit_count())
    model.minimize(total)
    solver = cp_sat.solver(budget, cp_sat.LEAST_SECONDS)
    status = solver.solve(model)
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        found = sum(1 << cell for cell, variable in cells.items() if solver.value(variable))
        light = min(light, found, key=int.bit_count)
    known = solver.best_objective_bound
    bound = max(0, round(known)) if isfinite(known) else 0
    return Leader(light, light.bit_count(), min(light.bit_count(), bound))


# -- all cosets --------------------------------------------------------------------------------------------------------


def classes(basis: Sequence[int], length: int) -> dict[int, list[int]]:
    """The cells by the set of basis vectors that contain them (a bit a vector)."""
    found: dict[int, list[int]] = {}
    for cell, chosen in enumerate(bitrows.transposed(basis, length)):
        found.setdefault(chosen, []).append(cell)
    return dict(sorted(found.items()))


def independent_classes(sizes: Mapping[int, int]) -> list[int]:
    """Classes (given with their number of cells) whose signs a codeword can choose; those of fewest cells first."""
    found: list[int] = []
    for key in sorted(sizes, key=lambda key: (sizes[key], key)):
        if bitrows.rank([*found, key]) > len(found):
            found.append(key)
    return found


def leader_weights(basis: Sequence[int], length: int) -> list[int]:
    """How many cosets have a leader of weight 0, 1, 2, ...: the distance distribution of the solvable boards.

    Raises:
        ModelError: if that takes more than `MAX_STEPS` steps.
    """
    import numpy as np

    by_class = {key: len(cells) for key, cells in classes(basis, length).items()}
    always = by_class.pop(0, 0)  # cells in no codeword: each pressed or not, in every coset
    size = prod(many + 1 for many in by_class.values()) << len(basis)
    if size > MAX_STEPS:
        raise ModelError(
            f"the distance distribution of {length} cells with nullity {len(basis)} takes {size} steps, "
            f"more than {MAX_STEPS}; only its end is within reach, by covering_radius"
        )
    weights, counts = np.zeros((1, 1 << len(basis)), np.int16), np.ones(1, object)
    for key, many in by_class.items():
        meets = np.array([(u & key).bit_count() % 2 for u in range(1 << len(basis))], np.bool_)
        ways = [np.where(meets, many - pressed, pressed).astype(np.int16) for pressed in range(many + 1)]
        counts = np.concatenate([counts * comb(many, pressed) for pressed in range(many + 1)])
        weights = np.concatenate([weights + way for way in ways])
    inner = [0] * (length + 1)
    for weight, count in zip(weights.min(axis=1).tolist(), counts, strict=True):
        inner[weight] += count
    total = [0] * (length + 1)
    for weight, count in enumerate(inner):
        for pressed in range(always + 1 if count else 0):
            total[weight + pressed] += count * comb(always, pressed)
    while len(total) > 1 and not total[-1]:
        total.pop()
    return [count >> len(basis) for count in total]  # each coset was counted once for each of its members


@dataclass(frozen=True)
class Radius:
    """The covering radius, as far as it is known.

    Attributes:
        radius: the weight of `deepest` as a coset leader: a lower bound, and the covering radius when `complete`.
        complete: true when every greater radius was shown impossible.
        deepest: a member of a coset whose leader has this weight; it is such a leader itself.
        refuted: the greater radii that CP-SAT proved impossible.
    """

    radius: int
    complete: bool
    deepest: int
    refuted: tuple[int, ...]


def covering_radius(basis: Sequence[int], length: int, seconds: float = 60.0) -> Radius | None:
    """The greatest weight of a coset leader, by CP-SAT; None when time ran out before any was found.

    Give cell class j the sum x_j of its cells, a pressed cell counting -1 and another +1. Then member + codeword u has
    weight (n - f(u)) / 2 with f(u) = sum of x_j (-1)^(u j), so the radius is (n - min over x of max over u of f) / 2.
    Adding a codeword changes signs of the x_j, so that as many of them as the dimension may be taken positive.
    """
    if not basis:
        return Radius(length, True, (1 << length) - 1, ())  # every press pattern is alone in its coset
    from ortools.sat.python import cp_model

    by_class = classes(basis, length)
    free = by_class.pop(0, [])
    size, budget = sum(map(len, by_class.values())), Budget.within(seconds)
    refuted: list[int] = []
    for most in range(size % 2, size + 1, 2):
        radius = (size - most) // 2 + len(free)
        model = cp_model.CpModel()
        x = {
            key: model.new_int_var_from_domain(
                cp_model.Domain.from_values(list(range(-len(cells), len(cells) + 1, 2))), f"x{key}"
            )
            for key, cells in by_class.items()
        }
        for u in range(1 << len(basis)):
            model.add(sum((-1) ** (u & key).bit_count() * variable for key, variable in x.items()) <= most)
        for key in independent_classes({key: len(cells) for key, cells in by_class.items()}):
            model.add(x[key] >= 0)
        solver = cp_sat.solver(budget, cp_sat.LEAST_SECONDS)
        status = solver.solve(model)
        if status == cp_model.INFEASIBLE:
            refuted.append(radius)
            continue
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        deepest = sum(1 << cell for cell in free)
        for key, cells in by_class.items():
            deepest |= sum(1 << cell for cell in cells[: (len(cells) - solver.value(x[key])) // 2])
        return Radius(radius, True, deepest, tuple(refuted))
    return Radius(len(free), True, sum(1 << cell for cell in free), tuple(refuted))
