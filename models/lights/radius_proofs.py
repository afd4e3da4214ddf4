"""A proof, checkable by hand, that no coset leader is as heavy as claimed: the certificate behind a God's number.

`coset_leaders.covering_radius` asks an integer program: is there an x, one x_j of {-m_j, -m_j + 2, ..., m_j} a class of
cells, with f_u(x) = sum of x_j (-1)^(u j) at most `most` for every codeword u? Its "no" is the word of a large program.
Here the "no" is a tree. An inner node splits on one x_j: at most v, or at least v + 2. A leaf has a whole number
y_u >= 0 for some codewords. Adding up the inequalities y_u f_u(x) <= y_u most gives one inequality in x, whose left
side is least at a corner of the box that the splits left; if even that is more than the right side, nothing is left.

`check` verifies a tree with whole numbers alone, in a few lines. `refute` finds one by branch and bound: y is the dual
solution of the linear relaxation "least t with f_u(x) <= t for all u". Nothing that `refute` does in floating point has
to be believed.

What made the trees small: adding a codeword to a member flips the signs of the x_j, so that those of independent
classes may be taken positive; of classes of one cell, that leaves a single value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nonant.csp.algebra import bitrows
from nonant.csp.algebra.coset_leaders import classes, independent_classes
from nonant.csp.budget import Budget

SCALE = 10_000  # the relaxation's dual values, times this and rounded, are the multipliers


@dataclass(frozen=True)
class Leaf:
    """Multipliers, by codeword, of inequalities that contradict each other in the box."""

    multipliers: Mapping[int, int]


@dataclass(frozen=True)
class Split:
    """Either x of this class is at most `value`, or at least `value` + 2."""

    key: int
    value: int
    below: Tree
    above: Tree


Tree = Leaf | Split


@dataclass(frozen=True)
class Refutation:
    """A proof that no coset leader has weight `radius` or more.

    Attributes:
        radius: the weight.
        positive: classes whose x may be taken positive, since adding codewords flips signs: they are independent.
        tree: the proof.
        leaves: how many leaves it has.
    """

    radius: int
    positive: tuple[int, ...]
    tree: Tree
    leaves: int


def _setting(basis: Sequence[int], length: int, radius: int) -> tuple[dict[int, int], int]:
    """The number of cells by class, and the greatest value that each f_u may take."""
    sizes = {key: len(cells) for key, cells in classes(basis, length).items()}
    free = sizes.pop(0, 0)
    return sizes, sum(sizes.values()) - 2 * (radius - free)


def check(basis: Sequence[int], length: int, proof: Refutation) -> bool:
    """True when the tree proves what it claims."""
    sizes, most = _setting(basis, length, proof.radius)
    if bitrows.rank(proof.positive) != len(proof.positive) or not sizes.keys() >= set(proof.positive):
        return False  # only the signs of independent classes can be chosen
    low = {key: -many for key, many in sizes.items()}
    high = dict(sizes)
    for key in proof.positive:
        low[key] = sizes[key] % 2
    codewords = 1 << len(basis)
    stack: list[tuple[Tree, dict[int, int], dict[int, int]]] = [(proof.tree, low, high)]
    while stack:
        tree, low, high = stack.pop()
        if isinstance(tree, Split):
            if (tree.value - sizes[tree.key]) % 2:
                return False
            stack.append((tree.below, low, {**high, tree.key: min(high[tree.key], tree.value)}))
            stack.append((tree.above, {**low, tree.key: max(low[tree.key], tree.value + 2)}, high))
            continue
        if any(low[key] > high[key] for key in sizes):
            continue
        if any(y < 0 or not 0 <= u < codewords for u, y in tree.multipliers.items()):
            return False
        if _least(tree.multipliers, low, high) <= most * sum(tree.multipliers.values()):
            return False
    return True


def _least(multipliers: Mapping[int, int], low: Mapping[int, int], high: Mapping[int, int]) -> int:
    """The least value of the sum of y_u f_u over the box."""
    total = 0
    for key, bottom in low.items():
        coefficient = sum(-y if (u & key).bit_count() % 2 else y for u, y in multipliers.items())
        total += coefficient * (bottom if coefficient > 0 else high[key])
    return total


def refute(basis: Sequence[int], length: int, radius: int, seconds: float = 600.0) -> Refutation | None:
    """A proof that no coset leader weighs `radius` or more; None when there is none, or time ran out."""
    from ortools.linear_solver import pywraplp

    sizes, most = _setting(basis, length, radius)
    positive = independent_classes(sizes)
    solver = pywraplp.Solver.CreateSolver("GLOP")
    # Presolve may leave a relaxation unsolved here, and would forget where the last one ended.
    solver.SetSolverSpecificParametersAsString("use_preprocessing: false use_dual_simplex: true")
    t = solver.NumVar(-length, length, "t")
    x = {key: solver.NumVar(-many, many, f"x{key}") for key, many in sizes.items()}
    rows = []
    for u in range(1 << len(basis)):
        row = solver.Constraint(0, solver.infinity())
        row.SetCoefficient(t, 1)
        for key, variable in x.items():
            row.SetCoefficient(variable, 1 if (u & key).bit_count() % 2 else -1)
        rows.append(row)
    solver.Minimize(t)
    low = {key: sizes[key] % 2 if key in positive else -many for key, many in sizes.items()}
    high, budget, leaves = dict(sizes), Budget.within(seconds), 0

    def search() -> Tree | None:
        nonlocal leaves
        for key, variable in x.items():
            variable.SetBounds(low[key], high[key])
        if budget.late() or solver.Solve() != pywraplp.Solver.OPTIMAL:
            return None
        multipliers = {u: round(SCALE * abs(row.dual_value())) for u, row in enumerate(rows)}
        multipliers = {u: y for u, y in multipliers.items() if y}
        if _least(multipliers, low, high) > most * sum(multipliers.values()):
            leaves += 1
            return Leaf(multipliers)
        open_keys = [key for key in sizes if low[key] < high[key]]
        if not open_keys:
            return None  # a solution: there is such a leader
        at = {key: x[key].solution_value() for key in open_keys}
        # Split where the relaxation is farthest from a permitted value.
        key = max(open_keys, key=lambda key: min((at[key] - low[key]) % 2, (low[key] - at[key]) % 2))
        steps = min(int((at[key] - low[key]) // 2), (high[key] - low[key]) // 2 - 1)
        bottom, value, top = low[key], low[key] + 2 * max(steps, 0), high[key]
        high[key] = value
        below = search()
        low[key], high[key] = value + 2, top
        above = search() if below is not None else None
        low[key], high[key] = bottom, top
        return None if below is None or above is None else Split(key, value, below, above)

    tree = search()
    return None if tree is None else Refutation(radius, tuple(positive), tree, leaves)
