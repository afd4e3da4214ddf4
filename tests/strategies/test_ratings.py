"""Ratings and the chains behind them: against the definition by brute force, recorded lists, the checker."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from random import Random

import pytest

from nonant import Model, ModelError
from nonant.csp.masks import bits
from nonant.csp.model import Puzzle, Sum, Unit
from nonant.csp.proofs.check import check
from nonant.csp.proofs.records import ProofError, Refutation
from nonant.csp.proofs.sets import sets_of
from nonant.csp.units import columns, rows
from nonant.models import model
from nonant.strategies import Board
from nonant.strategies.ratings import (
    BEYOND,
    BRAID,
    CONTRADICTION,
    RATED,
    UNFINISHED,
    WHIP,
    Rating,
    exact_refutations,
    find_braids,
    find_whips,
    rate,
)
from tests.support.files import shared_file
from tests.support.positions import listed, puzzles, solution_of

CLASSIC = model("classic-9")
EASY = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"
KILLER = "98.7.....7.....6....6.5......4...93..8...4....6..2..1...3..9..8....1...4....7.53."
# Lines of cbg-000 (from 1) for which the recorded W is no minimum: (ours, recorded). docs/ratings.md tells why.
KNOWN = {1908: (6, 7), 3551: (7, 8)}


# -- the definition, word by word --------------------------------------------------------------------------------------


class Definition:
    """Whips and braids of a board by going through all lists of truths; nothing is shared with the kernel."""

    def __init__(self, rules: Model, live: int) -> None:
        size = rules.n_values
        self.cells: dict[int, tuple[int, int]] = {c: divmod(c, size) for c in bits(live)}
        self.units = [set(unit) for unit in rules.compiled.units]
        self.links: dict[tuple[int, int], bool] = {}
        self.truths: dict[int, set[int]] = {}
        for cell in range(rules.n_cells):
            self.truths[cell] = {c for c, (at, _) in self.cells.items() if at == cell}
        for number, unit in enumerate(self.units):
            if rules.compiled.full[number]:
                for value in range(size):
                    members = {c for c, (at, v) in self.cells.items() if v == value and at in unit}
                    self.truths[rules.n_cells + number * size + value] = members

    def linked(self, one: int, other: int) -> bool:
        if (one, other) not in self.links:
            (a, x), (b, y) = self.cells[one], self.cells[other]
            same_value = x == y and any(a in unit and b in unit for unit in self.units)
            self.links[one, other] = one != other and (a == b or same_value)
        return self.links[one, other]

    def shortest(self, kind: str, target: int, most: int) -> int:
        """The length of the shortest chain; 0 if it has more than `most` truths."""
        return next((n for n in range(1, most + 1) if self._extends(kind, [target], [], n)), 0)

    def _extends(self, kind: str, right: list[int], used: list[int], more: int) -> bool:
        """Whether a partial chain (target and right-linked candidates so far) has an end in `more` truths or fewer."""
        for truth, members in self.truths.items():
            if truth in used or right[0] in members:
                continue
            if not any(self.linked(c, right[-1]) for c in members) if kind == WHIP else not members:
                continue
            left = [c for c in members if not any(self.linked(c, r) for r in right)]
            if not left:
                return True
            goes_on = len(left) == 1 and len(members) > 1 and left[0] not in right and more > 1
            if goes_on and self._extends(kind, [*right, left[0]], [*used, truth], more - 1):
                return True
        return False

    def is_chain(self, kind: str, target: int, truths: tuple[int, ...]) -> bool:
        """Whether these truths in this order are a whip or braid on the target."""
        right = [target]
        for number, truth in enumerate(truths):
            members = self.truths[truth]
            sources = right[-1:] if kind == WHIP else right
            left = [c for c in members if not any(self.linked(c, r) for r in right)]
            if target in members or not any(self.linked(c, r) for c in members for r in sources):
                return False
            if len(left) != (1 if number < len(truths) - 1 else 0):
                return False
            right += left
        return 0 < len(truths) == len(set(truths)) and len(set(right)) == len(right)


def partial_units() -> Model:
    """A 4x4 grid of rows and columns with two units of three cells, which are links and no truths."""
    known = [(row, column) for row in range(4) for column in range(4)]
    return Model(
        "partial",
        shape=(4, 4),
        values=range(1, 5),
        constraints=[rows, columns, Unit([known[0], known[5], known[10]]), Unit([known[3], known[6], known[12]])],
    )


def random_boards(rules: Model, number: int, seed: int, density: float) -> Iterator[Board]:
    """Boards with any candidates, each cell with one at least: most have no solution, which is nothing to a chain."""
    random = Random(seed)
    for _ in range(number):
        marks = {}
        for name in rules.names:
            some = [value for value in rules.values if random.random() < density]
            marks[name] = some or [random.choice(rules.values)]
        yield Board.from_candidates(rules, marks)


@pytest.mark.parametrize(
    "name, number, density, most",
    [("classic-4", 8, 0.45, 4), ("partial", 30, 0.55, 5), ("classic-6", 4, 0.45, 4), ("x-4", 10, 0.7, 4)],
)
def test_chains_agree_with_the_definition(name: str, number: int, density: float, most: int) -> None:
    rules = partial_units() if name == "partial" else model(name)
    lengths = set()
    for board in random_boards(rules, number, len(name), density):
        reference = Definition(rules, board.live)
        for kind, find in ((WHIP, find_whips), (BRAID, find_braids)):
            found = find(board, most)
            assert [chain.length for chain in found] == sorted(chain.length for chain in found)
            told = {chain.target: chain.length for chain in found}
            expected = {target: reference.shortest(kind, target, most) for target in bits(board.open)}
            assert told == {target: length for target, length in expected.items() if length}
            for chain in found:
                assert reference.is_chain(kind, chain.target, chain.truths)
                assert check(rules, board.live, chain.proof) == 1 << chain.target
            lengths |= {(kind, length) for length in told.values()}
    assert {(kind, length) for kind in (WHIP, BRAID) for length in (1, 2, 3)} <= lengths


def smallest(puzzle: Puzzle, kind: str, most: int = 4) -> int | None:
    """The rating by trying every order of eliminations, singles among them."""
    rules = puzzle.model
    goal = solution_of(puzzle)
    peers = sets_of(rules).peers
    for length in range(most + 1):
        seen, waiting = set[int](), [Board.from_puzzle(puzzle).live]
        while waiting:
            live = waiting.pop()
            reference = Definition(rules, live)
            alone = [next(iter(members)) for members in reference.truths.values() if len(members) == 1]
            removable = {peer for candidate in alone for peer in bits(peers[candidate] & live)}
            if not removable and length:
                open_candidates = [c for c in bits(live) if c not in alone]
                removable = {c for c in open_candidates if reference.shortest(kind, c, length)}
            if live == goal:
                return length
            for candidate in removable:
                after = live & ~(1 << candidate)
                if after not in seen:
                    seen.add(after)
                    # Singles lose a whip nothing that was not lost when they appeared: one order of them is enough.
                    waiting.append(after)
                if alone and peers[alone[0]] & live:
                    break
    return None


def minimal_puzzles(rules: Model, number: int, seed: int) -> Iterator[Puzzle]:
    """Puzzles with one solution from which no given can be taken."""
    from nonant import solve, verify

    random = Random(seed)
    for _ in range(number):
        cells = random.sample(rules.names, rules.n_cells)
        solution = solve(rules.puzzle({cells[0]: random.choice(rules.values)})).solution
        assert solution is not None
        givens = {name: solution[name] for name in cells}
        for name in cells:
            fewer = {other: value for other, value in givens.items() if other != name}
            if verify(rules.puzzle(fewer)).verdict.value == "unique":
                givens = fewer
        yield rules.puzzle(givens)


@pytest.mark.parametrize("name, number", [("classic-4", 6), ("latin-4", 6)])
def test_ratings_agree_with_all_orders(name: str, number: int) -> None:
    for puzzle in minimal_puzzles(model(name), number, 5):
        found = rate(puzzle)
        assert found.exact
        assert (found.whips, found.braids) == (smallest(puzzle, WHIP), smallest(puzzle, BRAID)), puzzle.line


# -- recorded ratings --------------------------------------------------------------------------------------------------


def recorded(first: int, last: int) -> Iterator[tuple[int, Puzzle, int, int]]:
    """Lines of cbg-000 with W and B."""
    table = shared_file("classic/cbg000_first5000.csv")
    with (
        gzip.open(shared_file("classic/cbg000_first5000.txt.gz"), "rt") as lines,
        open(table, newline="") as file,
    ):
        for number, (line, row) in enumerate(zip(lines, csv.DictReader(file), strict=True), 1):
            if first <= number <= last:
                yield number, CLASSIC.puzzle(line.strip()), int(row["W"]), int(row["B"])


def compare(first: int, last: int) -> None:
    for number, puzzle, whips, braids in recorded(first, last):
        found = rate(puzzle)
        assert (found.result, found.exact) == (RATED, True), number
        assert found.braids == braids, number
        assert (found.whips, whips) == KNOWN.get(number, (whips, whips)), number
        assert found.simplest_first == (6 if number == 1908 else whips), number


def test_recorded_ratings() -> None:
    compare(1, 150)
    compare(1908, 1908)


@pytest.mark.long
def test_all_recorded_ratings() -> None:
    compare(151, 5000)


def whips_solve(puzzle: Puzzle, most: int, kept: int = -1, until: int = -1) -> bool:
    """Solve by whips alone, the shortest first, each checked twice; `kept` waits until `until` has gone.

    Without singles: what a single excludes, a whip of length 1 removes.
    """
    board, goal = Board.from_puzzle(puzzle), solution_of(puzzle)
    board = Board(board.model, board.live, 0, board.domains)
    while board.live != goal:
        for proof in exact_refutations(board, WHIP, most):
            if proof.assumes != kept or not board.live >> until & 1:
                break
        else:
            return False
        truths = tuple(item for item in proof.items if isinstance(item, int))
        assert Definition(board.model, board.live).is_chain(WHIP, proof.assumes, truths)
        board = board.without(check(board.model, board.live, proof))
    return True


def test_shorter_whips_than_recorded() -> None:
    # Line 1908: whips of length 6 in the simplest order. Line 3551: simplest first gets stuck at length 7; r6c8=4 must
    # not go before r3c2=4 has gone.
    _, puzzle, _, _ = next(recorded(1908, 1908))
    assert whips_solve(puzzle, 6)
    _, puzzle, _, _ = next(recorded(3551, 3551))
    assert not whips_solve(puzzle, 7)
    kept, until = (sets_of(CLASSIC).candidate(number) for number in (471, 174))
    assert (kept, until) == ("r6c8=4", "r3c2=4")
    assert whips_solve(puzzle, 7, 471, 174)


# -- other puzzles -----------------------------------------------------------------------------------------------------


def test_easy_puzzles_and_no_puzzles() -> None:
    assert rate(CLASSIC.puzzle(EASY)) == Rating(RATED, 0, 0, 0, 0, 0, 0)
    solved = rate(Board.from_puzzle(CLASSIC.puzzle(EASY)).without(~solution_of(CLASSIC.puzzle(EASY))))
    assert (solved.whips, solved.braids, solved.exact) == (0, 0, True)
    assert rate(CLASSIC).result == BEYOND
    two = rate(CLASSIC.puzzle("92..8.65.6..2.43..3..5.9.72.7.953.......7.......6..5....142..3.....31..6.6.7..1.."))
    assert (two.result, two.whips, two.braids, two.exact) == (BEYOND, None, None, True)
    assert rate(CLASSIC.puzzle("11" + "." * 79)).result == CONTRADICTION
    assert rate(Model("nothing", shape=(0, 0), values=(1, 2), constraints=[])).result == RATED


def test_other_constraints_are_no_truths() -> None:
    cage = Model("cage", shape=(2, 2), values=(1, 2), constraints=[rows, columns, Sum(("r1c1", "r1c2"), 3)])
    assert rate(cage).result == BEYOND
    wrong = Model("wrong", shape=(2, 2), values=(1, 2), constraints=[rows, columns, Sum(("r1c1", "r2c2"), 3)])
    assert rate(wrong.puzzle({"r1c1": 1})).result == CONTRADICTION


def braids_solve(puzzle: Puzzle) -> bool:
    """Whether singles, and assumptions that singles contradict, solve a puzzle: braids of any length."""
    sets, live = sets_of(puzzle.model), Board.from_puzzle(puzzle).live
    truths = [mask for mask, is_truth in zip(sets.masks, sets.is_truth, strict=True) if is_truth]

    def follow(board: int) -> int:
        """The board after all singles; 0 if a truth is empty."""
        before = -1
        while board != before:
            before = board
            for mask in truths:
                left = mask & board
                if not left:
                    return 0
                if not left & (left - 1):
                    board &= ~sets.peers[left.bit_length() - 1]
        return board

    before = -1
    while live != before:
        before = live = follow(live)
        for candidate in bits(live):
            if not follow(live & ~sets.peers[candidate]):
                live &= ~(1 << candidate)
    return live.bit_count() == puzzle.model.n_cells


def test_every_family_is_rated() -> None:
    results = set()
    for puzzle in puzzles():
        found = rate(puzzle)
        assert found.exact, puzzle.model.name
        assert found.result == (RATED if braids_solve(puzzle) else BEYOND), puzzle.model.name
        if found.result == RATED:
            assert found.whips is not None
            assert found.braids is not None
            assert found.braids <= found.whips <= (found.simplest_first or 0), puzzle.model.name
        results.add(found.result)
    assert results == {RATED, BEYOND}  # the x-9 puzzle needs nesting


@pytest.mark.parametrize(
    "table, name",
    [
        ("variants/x_generated.csv", "x-9"),
        ("variants/disjoint_groups_generated.csv", "disjoint-groups-9"),
        ("variants/latin9_generated.csv", "latin-9"),
        ("variants/mini6x6_generated.csv", "classic-6"),
        ("variants/shidoku4x4_generated.csv", "classic-4"),
        ("jigsaw/jigsaw_generated.csv", ""),
    ],
)
def test_generated_variants_are_rated(table: str, name: str) -> None:
    for row in listed(table)[:3]:
        rules = model(name or f"jigsaw-{row['regions']}")
        puzzle = rules.puzzle(row["puzzle"])
        found = rate(puzzle, 50_000)
        assert found.result in ((RATED, UNFINISHED) if braids_solve(puzzle) else (BEYOND,)), puzzle.line


def test_proofs_hold_on_every_family() -> None:
    for puzzle in puzzles():
        board, goal = Board.from_puzzle(puzzle), solution_of(puzzle)
        for kind in (WHIP, BRAID):
            lengths = []
            for proof in exact_refutations(board, kind, 4):
                removed = check(puzzle.model, board.live, proof)
                assert removed == 1 << proof.assumes
                assert not removed & goal
                lengths.append(len(proof.items))
                if kind == WHIP:
                    truths = tuple(item for item in proof.items if isinstance(item, int))
                    assert Definition(puzzle.model, board.live).is_chain(WHIP, proof.assumes, truths)
            assert lengths == sorted(lengths)


def test_chains_are_minimal() -> None:
    # Chains are minimal: what is left of a braid without one of its truths is no braid.
    board = Board.from_puzzle(CLASSIC.puzzle(KILLER))
    reference, tried = Definition(CLASSIC, board.live), 0
    for chain in find_braids(board, 5):
        assert reference.is_chain(BRAID, chain.target, chain.truths)
        for at in range(chain.length):
            assert not reference.is_chain(BRAID, chain.target, chain.truths[:at] + chain.truths[at + 1 :])
            tried += 1
        with pytest.raises(ProofError):
            check(CLASSIC, board.live, Refutation(chain.target, chain.truths[:-1]))
    assert tried > 20


def test_a_limit_is_told_and_what_is_told_holds() -> None:
    puzzle = CLASSIC.puzzle("4...3.......6..8..........1....5..9..8....6...7.2........1.27..5.3....4.9........")
    whole = rate(puzzle)
    assert whole.whips is not None
    assert whole.braids is not None
    results = set()
    for nodes in (0, 1, 10, 100, 1000, 10_000):
        found = rate(puzzle, nodes)
        results.add(found.result)
        assert found.least_whips <= whole.whips
        assert found.least_braids <= whole.braids
        assert found.whips is None or found.whips >= whole.whips
        assert found.braids in (None, whole.braids)
        assert found.exact == (found.result == RATED and found.least_whips == found.whips)
    assert UNFINISHED in results
    assert RATED in results | {whole.result}


def test_depth_two_is_beyond_braids() -> None:
    hardest = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
    found = rate(CLASSIC.puzzle(hardest))
    assert (found.result, found.whips, found.braids, found.exact) == (BEYOND, None, None, True)


def test_arguments() -> None:
    board = Board.from_puzzle(CLASSIC.puzzle(EASY))
    with pytest.raises(ModelError, match="no kind of chain called 'chain'; give 'whip' or 'braid'"):
        exact_refutations(board, "chain", 3)
    with pytest.raises(ModelError, match="length of a braid is 0"):
        find_braids(board, 0)
    assert find_whips(board, 1) == find_whips(board, 10**9)[: len(find_whips(board, 1))]
