"""Replaying a solve path: each move checked on the board before it, with no solver and no look at a solution.

What a replay may claim depends on what the move brings along, and it says so for each move:

    proved      the move's own proof holds (`nonant.csp.proofs.check`)
    found       it has no proof; the technique that it names was found on the board, and a proof that it does all this
    refuted     it has no proof; each removed candidate was refuted by forced placements, whatever the technique
    consistent  it has no proof and none was found; only nothing speaks against it. All that follows rests on it
    refused     it is wrong, or its proof does not hold. The replay ends there
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nonant.csp.errors import ModelError, NonantError
from nonant.csp.masks import bits
from nonant.csp.model import Model, Puzzle
from nonant.csp.proofs.check import check, check_contradiction
from nonant.csp.proofs.claims import claim
from nonant.csp.proofs.effort import Effort, endless
from nonant.csp.proofs.records import Proof, ProofError, assumes_unique
from nonant.spn.board import model_of, position_of, puzzle_of, start_of, values_of
from nonant.spn.names import Names, names_of
from nonant.spn.path import Move, SolvePath
from nonant.spn.proof import bound
from nonant.spn.search import CONSISTENT, FOUND, REFUTED, justified
from nonant.strategies.board import Board

PROVED, REFUSED = "proved", "refused"
SOLVED, STUCK, CONTRADICTION = "solved", "stuck", "contradiction"


@dataclass(frozen=True)
class Checked:
    """What was found of a move.

    Attributes:
        number: of the move, from 1.
        move: the move.
        how: "proved", "found", "refuted", "consistent" or "refused".
        assumes_unique: whether it holds only if there is one solution.
        reason: why it is refused, or why it is no more than consistent.
    """

    number: int
    move: Move
    how: str
    assumes_unique: bool = False
    reason: str = ""


@dataclass(frozen=True)
class Replay:
    """What was found of a path.

    Attributes:
        model: the rules it was replayed under.
        moves: what was found of each move, up to the first that is refused.
        result: where it ends: "solved", "stuck" or "contradiction".
        end: the board at the end.
        wrong: what the header says and the moves do not bear out; empty when all is well.
        puzzle: what the header says it is a path of: rules, givens and pencil marks.
        position: what the header says of cells filled in and candidates gone; this is believed. Empty for nothing.
    """

    model: Model
    moves: tuple[Checked, ...]
    result: str
    end: Board
    puzzle: Puzzle
    wrong: str = ""
    position: str = ""

    @property
    def begun(self) -> str:
        """Where the path begins: at the "puzzle", or at a "position" that is believed."""
        return "position" if self.position else "puzzle"

    @property
    def counts(self) -> dict[str, int]:
        """How many moves were proved, found, refuted, consistent, refused; those that there are."""
        times = Counter(checked.how for checked in self.moves)
        return {how: times[how] for how in (PROVED, FOUND, REFUTED, CONSISTENT, REFUSED) if times[how]}

    @property
    def refused(self) -> bool:
        """Whether a move, or what the header says of the end, is wrong."""
        return bool(self.wrong) or REFUSED in self.counts

    @property
    def verified(self) -> bool:
        """Whether every move was proved, found or refuted."""
        return not self.refused and CONSISTENT not in self.counts

    @property
    def assumes_unique(self) -> bool:
        """Whether some move holds only if there is one solution."""
        return any(checked.assumes_unique for checked in self.moves)

    @property
    def shows_unique(self) -> bool:
        """Whether the path shows that the puzzle has exactly one solution."""
        return self.verified and self.result == SOLVED and self.begun == "puzzle" and not self.assumes_unique

    @property
    def shows(self) -> str:
        """What the moves have proved of the puzzle, as a sentence that names all it rests on; empty for nothing."""
        if not self.verified or self.result == STUCK:
            return ""
        solutions = [self.end.line] if self.result == SOLVED else []
        return claim(self.puzzle, solutions, self.position, self.assumes_unique)

    @property
    def bill(self) -> str:
        """What the replay claims, on one line."""
        counts = ", ".join(f"{number} {how}" for how, number in self.counts.items()) or "none"
        if self.refused:
            last = self.moves[-1] if self.moves else None
            if last is None or last.how != REFUSED:
                return f"refused: {self.wrong}; moves: {counts}"
            line = "" if last.move.line is None else f" (line {last.move.line})"
            return f"refused at move {last.number}{line}: {last.reason}; moves: {counts}"
        parts = [self.result, f"moves: {counts}"]
        if not self.verified:
            first = next(checked.number for checked in self.moves if checked.how == CONSISTENT)
            parts.append(f"not verified from move {first} on")
        if self.assumes_unique:
            parts.append("assumes that there is one solution")
        if self.position:
            parts.append("the position is taken as given")
        if self.shows:
            parts.append(f"shows: {self.shows}")
        return "; ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """The replay as scripts get it."""
        return {
            "verified": self.verified,
            "refused": self.refused,
            "result": self.result,
            "grid": self.end.line,
            "model": self.model.name,
            "begun": self.begun,
            "counts": self.counts,
            "assumes_unique": self.assumes_unique,
            "shows_unique": self.shows_unique,
            "shows": self.shows or None,
            "puzzle": self.puzzle.line,
            "marks": self.puzzle.marks_by_name,
            "position": self.position or None,
            "wrong": self.wrong,
            "moves": [
                {
                    "number": checked.number,
                    "line": checked.move.line,
                    "move": checked.move.notation,
                    "how": checked.how,
                    "reason": checked.reason,
                }
                for checked in self.moves
            ],
        }


def replay(
    path: SolvePath, model: Model | str | None = None, puzzle: Puzzle | None = None, effort: Effort | None = None
) -> Replay:
    """Check a path, move by move.

    Args:
        path: the path.
        model: the rules, where the header is not to be asked (paths of `Custom` models need it).
        puzzle: what the path has to be about, rules, givens and pencil marks; by default what its header says.
        effort: what is left of the operations that it may take; by default there is no limit.

    Raises:
        ModelError: for a header that does not say the rules or the puzzle. What is wrong with a move is in the result.
    """
    rules = model_of(path, model if puzzle is None else puzzle.model)
    effort = effort or endless()
    names = names_of(rules)
    told_puzzle, board = puzzle_of(path, rules), start_of(path, rules)
    position = position_of(path, rules)
    if puzzle is not None and puzzle.domains != told_puzzle.domains:
        return Replay(rules, (), STUCK, board, told_puzzle, f"it is for another puzzle: {told_puzzle.statement}")
    solved = path.tag("Solution")
    solution = None if solved is None else _board_of(rules, values_of(names, "Solution", solved))
    found: list[Checked] = []
    ended = False
    for number, move in enumerate(path.moves, 1):
        try:
            if ended:
                raise ProofError("the move before it shows that there is no solution")
            checked, board = _checked(names, board, number, move, solution, effort)
        except NonantError as error:
            found.append(Checked(number, move, REFUSED, reason=str(error)))
            break
        found.append(checked)
        ended = move.contradiction
    refused = bool(found) and found[-1].how == REFUSED
    result = CONTRADICTION if ended and not refused else SOLVED if board.solved and _holds(board) else STUCK
    wrong = "" if refused else _wrong(path, board, result, solution)
    return Replay(rules, tuple(found), result, board, told_puzzle, wrong, position)


def _board_of(model: Model, values: Sequence[int | None]) -> int:
    return sum(1 << (cell * model.n_values + value) for cell, value in enumerate(values) if value is not None)


def _holds(board: Board) -> bool:
    size = board.model.n_values
    return board.model.holds([board.model.values[candidate % size] for candidate in bits(board.placed)])


def _wrong(path: SolvePath, board: Board, result: str, solution: int | None) -> str:
    """What the header says of the end that is not so."""
    claimed = path.tag("Result")
    if board.solved and result == STUCK != claimed:
        return "the moves end in a grid that breaks a rule"
    if claimed in (SOLVED, STUCK, CONTRADICTION) and claimed != result:
        return f"the header says {claimed}, the moves end {result}"
    if solution is not None and (result == CONTRADICTION or solution & ~board.live):
        return "the moves exclude the tag Solution"
    return ""


def effects(names: Names, board: Board, move: Move) -> tuple[int, int]:
    """What a move places, and all that it removes from a board, as masks.

    Raises:
        ModelError: for a cell or value that the model does not have.
    """
    placed = removed = 0
    for name in move.places:
        candidate = names.find_candidate(name)
        placed |= 1 << candidate
        removed |= board.sets.peers[candidate]
    for name in move.removes:
        removed |= 1 << names.find_candidate(name)
    return placed, removed & board.live


def _checked(
    names: Names, board: Board, number: int, move: Move, solution: int | None, effort: Effort
) -> tuple[Checked, Board]:
    """What was found of one move, and the board behind it; raises a NonantError where it is wrong."""
    placed, removed = effects(names, board, move)
    sets = board.sets
    effort.spend(len(sets.masks))  # for the new board
    if move.contradiction:
        return Checked(number, move, _dead(names, board, move, effort)), board
    # What a placement excludes, the rest of its cell too, is among `removed`; so where that is proved, so is it.
    gone = placed & ~(board.live & ~removed)
    if gone:
        raise ProofError(f"{_named(names, next(bits(gone)))} is no candidate any more")
    how, unique, reason = PROVED, False, ""
    if move.proof:
        proof = bound(names, move.proof, tuple(bits(removed)))
        _prove(board, proof, removed, effort)
        unique = assumes_unique(proof)
    else:
        how, unique = justified(board, move.technique, placed, removed, effort)
    after = board.without(removed, placed)
    if how == CONSISTENT:
        empty = next((at for at, mask in enumerate(sets.masks) if sets.is_truth[at] and not mask & after.live), None)
        if empty is not None:
            raise ProofError(f"behind it {sets.names[empty]} has no candidate left")
        if solution is not None and (removed & solution or placed & ~solution):
            raise ProofError("it contradicts the tag Solution, and it has no proof")
        reason = "it has no proof, and neither the technique nor a refutation was found"
    return Checked(number, move, how, unique, reason), after


def _named(names: Names, candidate: int) -> str:
    name = names.candidate(candidate)
    return f"{name.cell}={name.value}"


def _prove(board: Board, proof: Proof, removed: int, effort: Effort) -> None:
    missing = removed & ~check(board.model, board.live, proof, board.domains, effort)
    if missing:
        raise ProofError(f"the proof says nothing of {board.sets.candidate(next(bits(missing)), '<>')}")


def _dead(names: Names, board: Board, move: Move, effort: Effort) -> str:
    """How it was seen that a board has no solution."""
    if move.proof:
        check_contradiction(board.model, board.live, bound(names, move.proof, ()), effort)
        return PROVED
    for number, mask in enumerate(board.sets.masks):
        if board.sets.is_truth[number] and not mask & board.live:
            return FOUND
    raise ProofError("every truth of the board has candidates left, and there is no proof that it has no solution")


# -- hints -------------------------------------------------------------------------------------------------------------


def hint(
    path: SolvePath, board: Board | Any = None, *, placements: bool = False, model: Model | str | None = None
) -> Move | None:
    """The next move of a path for a solver who has come as far as a board.

    It is the first move that has something left to do on the board; all moves before it are done, so that it follows.
    A move whose proof does not hold on the board is passed over, and then only one whose proof holds will do.

    Args:
        path: the path.
        board: the candidates left (a `Board`), or what stands in the cells in any form that `Model.puzzle` takes; by
            default the position where the path begins.
        placements: only moves that fill a cell. Such a move may rest on eliminations that the board does not show,
            so that its proof is not looked at.
        model: the rules, where the header is not to be asked.

    Returns:
        The move; None when nothing is left to do.

    Raises:
        ModelError: for a header that does not say rules and puzzle, a board of other rules, or a board that holds
            another value than a move of the path writes in: the message names the cell.
    """
    rules = model_of(path, model)
    names, start = names_of(rules), start_of(path, rules)
    if board is None:
        board = start
    elif not isinstance(board, Board):
        filled = rules.puzzle(board)
        drawn = Board.from_puzzle(Puzzle(rules, filled.givens, filled.marks))
        board = Board(rules, drawn.live & start.live, drawn.placed & start.live, start.domains)
    elif board.model.names != rules.names or board.model.values != rules.values:
        raise ModelError(f"the board is one of {board.model.name}, the path one of {rules.name}")
    size, passed = rules.n_values, False
    for number, move in enumerate(path.moves, 1):
        placed, removed = effects(names, board, move)
        for candidate in bits(placed & ~board.live):
            cell = candidate // size
            raise ModelError(
                f"move {number} writes {_named(names, candidate)}, but the board has no such candidate there: "
                f"{names.cells[cell]}, or a cell that excludes it, is not as the path has it"
            )
        does = placed & ~board.placed
        if placements:
            if does:
                return move
        elif move.contradiction or does or removed:
            if move.proof and not move.contradiction:
                try:
                    _prove(board, bound(names, move.proof, tuple(bits(removed))), removed, endless())
                    return move
                except NonantError:
                    passed = True
            elif not passed:
                return move
    return None
