"""A whole solve path as a proof in VeriPB's language, for programs that know no puzzle.

The formula is that of `opb.py`. Each proof of a step (`records.py`) becomes a few lines, and at the
end stands the solution, forbidden, and a contradiction: there is exactly one solution. Or the contradiction alone.

- `Cover`: one `pol` line adds up its truths and links, and the lines of dead candidates that are in more truths than
  links. What is left says sum (b - a)(c) * [not c] >= ..., from which each removed candidate is one `rup` line.
- `Refutation`: one `rup` line. Inner refutations, and what all members left of a truth are linked to, are no unit
  propagation; each is a clause of its own before it (not all of the assumptions, or not that candidate).
- `ParitySum`: one `pol` line for the sum as >=, one as <=; halving one with rounding and adding it twice to the other
  leaves the odd part alone.
- `Constraints`: the values of the cells are tried; each row that breaks a rule is one `rup` line, for sums after a
  `pol` line that puts the largest value for each open cell; a cell whose values are all refused is one line more.
- `Uniqueness` cannot be carried: "exactly one solution" must not rest on the assumption that there is one.

`pol` never fails, whatever it adds up; so each is followed by an `e` line with what it must have made. Every `rup` line
names the lines it propagates over, in order. The language: VeriPB 3.0 (Gocht & Nordström 2021 and later), of which
`veripb_check.py` reads this part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from nonant.csp.constraints import title
from nonant.csp.masks import bits
from nonant.csp.model import Puzzle
from nonant.csp.proofs.check import scope_of
from nonant.csp.proofs.opb import Inequality, NotWritten, values_of
from nonant.csp.proofs.records import Constraints, Cover, ParitySum, Proof, Refutation, Several, assumes_unique
from nonant.csp.proofs.veripb_lines import Lines

__all__ = ["NotWritten", "Written", "write"]


@dataclass(frozen=True)
class Written:
    """A formula (`opb`) and the proof over it (`pbp`), each the text of a file.

    `solution` holds the places of the values, one a cell; None where the proof shows that there is none.
    """

    opb: str
    pbp: str
    solution: tuple[int, ...] | None


def write(puzzle: Puzzle, proofs: Iterable[Proof]) -> Written:
    """Write the path of a puzzle, from its givens to the solution or to a contradiction.

    Args:
        puzzle: the puzzle as it was given.
        proofs: of each step in order, as `proof.check` accepts them.

    Raises:
        NotWritten: for a path that does not reach an end, a step that assumes that there is one solution, a constraint
            that is too large to be written out.
    """
    proofs = tuple(proofs)
    unique = [str(number) for number, proof in enumerate(proofs, 1) if assumes_unique(proof)]
    if unique:
        raise NotWritten(
            f"step {', '.join(unique)} of the path assumes that there is one solution, "
            "which the proof would have to show; solve without uniqueness techniques"
        )
    lines = Lines(puzzle)
    for number, proof in enumerate(proofs, 1):
        _step(lines, number, proof)
        if lines.contradiction is not None:
            break
    return _end(lines)


def _step(lines: Lines, number: int, proof: Proof) -> None:
    """The lines of a step."""
    lines.begin(number)
    for part in proof.parts if isinstance(proof, Several) else (proof,):
        removes = [candidate for candidate in part.removes if lines.live >> candidate & 1]
        if part.removes and not removes:
            continue
        if isinstance(part, Cover):
            _cover(lines, part, removes)
        elif isinstance(part, Refutation):
            lines.bury(part.assumes, _refutation(lines, (part.assumes,), {}, part.items))
        elif isinstance(part, ParitySum):
            _parity_sum(lines, part, removes)
        elif isinstance(part, Constraints):
            _Tuples(lines, part.constraints).refuse(removes)


def _end(lines: Lines) -> Written:
    """The last lines."""
    if lines.contradiction is None:
        for number, line in lines.formula.truth.items():
            if not lines.sets.masks[number] & lines.live:
                lines.derive((), [*lines.gone(number), line])
                break
    solution, said = None, "UNSAT"
    if lines.contradiction is None:
        solution, said = _solution(lines), "ENUMERATION_COMPLETE 1"
        true = values_of(lines.formula, solution, lines.model.n_values)
        names = (f"x{at}" if at in true else f"~x{at}" for at in range(1, lines.formula.n_variables + 1))
        lines.text.append(f"solx {' '.join(names)} ;")
        signs = {at: -1 if at in true else 1 for at in range(1, lines.formula.n_candidates + 1)}
        lines.known.append(Inequality(signs, 1 - lines.model.n_cells))
        cells = (lines.formula.truth[cell] for cell in range(lines.model.n_cells))
        lines.derive((), [*lines.dead.values(), *cells, len(lines.known)])
    lines.text += ["output NONE ;", f"conclusion {said} : {lines.contradiction} ;", "end pseudo-Boolean proof ;"]
    return Written(lines.formula.text, "\n".join(lines.text) + "\n", solution)


def _solution(lines: Lines) -> tuple[int, ...]:
    """The places of the values that are left."""
    size = lines.model.n_values
    masks = [lines.live >> cell * size & (1 << size) - 1 for cell in range(lines.model.n_cells)]
    left = sum(mask.bit_count() != 1 for mask in masks)
    if left:
        raise NotWritten(f"the path does not reach an end: {left} cells have several candidates left")
    places = tuple(mask.bit_length() - 1 for mask in masks)
    broken = lines.model.violated([lines.model.values[at] for at in places])
    if broken is not None:
        raise NotWritten(f"the path does not reach an end: what is left breaks {title(broken)}")
    return places


# -- covers ------------------------------------------------------------------------------------------------------------


def _cover(lines: Lines, cover: Cover, removes: Sequence[int]) -> None:
    """Truths and links added up, and what follows."""
    surplus, parts = Counter[int](), Counter[int]()
    for number in cover.links:
        surplus.update(bits(lines.sets.masks[number]))
        parts[lines.formula.link[number]] += 1
    for number in cover.truths:
        surplus.subtract(bits(lines.sets.masks[number]))
        parts[lines.formula.truth[number]] += 1
    for candidate, times in surplus.items():
        if times < 0:
            if candidate not in lines.dead:
                raise NotWritten(f"{lines.place} of the path is no cover of {lines.sets.candidate(candidate)}")
            parts[lines.dead[candidate]] -= times
    total = lines.add(parts)
    for candidate in removes:
        lines.remove(candidate, [total])


# -- refutations -------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class _Reason:
    """Why a candidate is false (or a truth short of candidates) under assumptions: lines, and reasons before them.

    `lemma` holds the assumptions of a clause that is written only when somebody needs it.
    """

    at: int
    lines: list[int]
    before: list[_Reason] = field(default_factory=list)
    lemma: tuple[int, ...] = ()


def _refutation(
    lines: Lines,
    assumed: tuple[int, ...],
    known: Mapping[int, _Reason],
    items: Iterable[int | Refutation | Constraints],
) -> int:
    """The line "not all of the assumptions"; `known` tells why candidates are false under all but the last."""
    dead = dict(known)
    for candidate in bits(lines.sets.peers[assumed[-1]] & lines.live):
        dead.setdefault(candidate, _reason(lines, [lines.link(assumed[-1], candidate)]))
    for item in items:
        if isinstance(item, Constraints):
            raise NotWritten(
                f"{lines.place} of the path uses a constraint inside a refutation, which is not written yet"
            )
        if isinstance(item, Refutation):
            if item.assumes not in dead and lines.live >> item.assumes & 1:
                line = _refutation(lines, (*assumed, item.assumes), dead, item.items)
                dead[item.assumes] = _reason(lines, [line])
            continue
        members = list(bits(lines.sets.masks[item] & lines.live))
        before = [dead[candidate] for candidate in members if candidate in dead]
        left = [candidate for candidate in members if candidate not in dead]
        short = _reason(lines, [*lines.gone(item), lines.formula.truth[item]], before)
        if not left:
            return lines.derive(assumed, _chain(lines, short))
        excluded = lines.live
        for candidate in left:
            excluded &= lines.sets.peers[candidate]
        for candidate in bits(excluded):
            if candidate not in dead:
                links = [lines.link(other, candidate) for other in left]
                if len(left) == 1:
                    dead[candidate] = _reason(lines, links, [short])
                else:
                    dead[candidate] = _reason(lines, [*links, *short.lines], before, (*assumed, candidate))
    raise NotWritten(f"{lines.place} of the path is a refutation of {lines.sets.candidate(assumed[-1])} without an end")


def _reason(lines: Lines, by: list[int], before: Sequence[_Reason] = (), lemma: tuple[int, ...] = ()) -> _Reason:
    """A reason, numbered: those before it have lower numbers."""
    lines.reasons += 1
    return _Reason(lines.reasons, by, list(before), lemma)


def _chain(lines: Lines, last: _Reason) -> list[int]:
    """The lines that lead to a reason, in order; clauses of their own are written where they are still missing."""
    found, open_reasons = {last.at: last}, [last]
    while open_reasons:
        reason = open_reasons.pop()
        if reason.lemma:
            clause, reason.lemma = reason.lemma, ()
            reason.lines, reason.before = [lines.derive(clause, _chain(lines, reason))], []
        for other in reason.before:
            if other.at not in found:
                found[other.at] = other
                open_reasons.append(other)
    return [line for at in sorted(found) for line in found[at].lines]


# -- parities ----------------------------------------------------------------------------------------------------------


def _parity_sum(lines: Lines, proof: ParitySum, removes: Sequence[int]) -> None:
    """Equations added up: all coefficients are even but those of the candidates left, the odd ones.

    Drop the odd part from one half of the sum; divided by 2 with rounding and taken twice, it is stronger by 1
    where its right-hand side was odd. Added to the other half, it leaves what the odd part is at least, or at most.
    """
    least, most = Counter[int](), Counter[int]()
    for number in proof.truths:
        least[lines.formula.truth[number]] += 1
        most[lines.formula.link[number]] += 1
    for place in proof.parities:
        parity = lines.formula.rules[place].parity
        if parity is None:
            raise NotWritten(f"{lines.place} of the path adds up a constraint that is no parity")
        least[parity[0]] += 1
        most[parity[1]] += 1
    terms, total = Counter[int](), 0
    for line, times in least.items():
        total += times * lines.known[line - 1].least
        for at, number in lines.known[line - 1].terms.items():
            terms[at] += times * number
    axioms: dict[int, int] = {}
    odd: list[int] = []
    for at, number in terms.items():
        if at <= lines.formula.n_candidates and number % 2:
            if lines.live >> (at - 1) & 1:
                odd.append(at - 1)
            else:
                least[lines.dead[at - 1]] += 1  # x - x >= 0 where the line says -x >= 0
                axioms[at] = 1
    at_least, at_most = lines.add(least), lines.add(most, axioms)
    if total % 2:
        # even part <= total - odd part, an odd number where the odd part is dropped: so it is less by 1.
        half = lines.add({at_most: 1}, {at + 1: 1 for at in odd}, halve=True)
        one = lines.add({half: 2, at_least: 1})  # one of the odd ones holds
        for candidate in removes:
            lines.remove(candidate, [*(lines.link(at, candidate) for at in odd), one])
        return
    if not odd:
        return
    parts = Counter({at_least: 1})
    drop = {odd[0] + 1: -1}
    if len(odd) == 2:
        # They exclude each other, so that together they are at most 1, as one alone is.
        line = lines.link(*odd)
        parts[line] += 1
        drop = {at: 1 for at in lines.known[line - 1].terms if at - 1 not in odd}
    half = lines.add(parts, drop, halve=True)
    none = lines.add({half: 2, at_most: 1})
    for candidate in removes:
        lines.remove(candidate, [none])


# -- constraints of the model ------------------------------------------------------------------------------------------


class _Tuples:
    """The rows of values that some constraints refuse together, found by trying all that are left."""

    def __init__(self, lines: Lines, places: Sequence[int]) -> None:
        self.lines, self.size = lines, lines.model.n_values
        scopes = {place: lines.model.indices(lines.model.constraints[place]) for place in places}
        self.cells = tuple(scope_of(lines.model, places))
        # Units need no lines of their own: they are among the sets.
        rules = [(tuple(dict.fromkeys(scopes[place])), lines.formula.rules.get(place)) for place in places]
        self.rules = [(cells, rule) for cells, rule in rules if rule is not None]
        self.live = lines.live  # what bounds count on; it may be more than what is left by now
        self.bounds: dict[tuple[int, frozenset[int]], int] = {}

    def refuse(self, removes: Sequence[int]) -> None:
        """A line for each removed candidate; for none, a contradiction."""
        if not removes:
            self.fill(())
        for candidate in removes:
            self.lines.bury(candidate, self.fill((candidate,)))

    def fill(self, chosen: tuple[int, ...]) -> int:
        """The line "not all of these candidates"."""
        hints = self.broken(chosen)
        if hints is None:
            taken = {candidate // self.size for candidate in chosen}
            cell = min((cell for cell in self.cells if cell not in taken), key=self.n_left, default=None)
            if cell is None:
                raise NotWritten(f"{self.lines.place} of the path removes what its constraints allow")
            left = bits(self.lines.live & self.lines.sets.masks[cell])
            hints = [self.fill((*chosen, candidate)) for candidate in left]
            hints += [*self.lines.gone(cell), self.lines.formula.truth[cell]]
        return self.lines.derive(chosen, hints)

    def n_left(self, cell: int) -> int:
        """How many candidates a cell has."""
        return (self.lines.live & self.lines.sets.masks[cell]).bit_count()

    def broken(self, chosen: tuple[int, ...]) -> list[int] | None:
        """The lines over which these candidates propagate to a conflict, if a rule refuses them."""
        lines = self.lines
        for other in chosen[:-1]:
            if lines.sets.peers[chosen[-1]] >> other & 1:
                return [lines.link(other, chosen[-1])]
        at = {candidate // self.size: candidate for candidate in chosen}
        links = [lines.formula.link[cell] for cell in at]
        for cells, rule in self.rules:
            for line, inequality in rule.inequalities:
                most = {cell: self.most(inequality, cell) for cell in cells if cell not in at}
                reached = sum(inequality.terms.get(candidate + 1, 0) for candidate in chosen)
                if reached + sum(most.values()) < inequality.least:
                    return [*links, self.bounded(line, most)]
            row: tuple[int, ...] = ()
            for cell in (None, *cells):
                if cell is not None:
                    if cell not in at:
                        break
                    row += (at[cell],)
                if row in rule.clauses:
                    return [rule.clauses[row]]
            if rule.parity is not None and all(candidate // self.size in at for candidate in rule.odd):
                count = sum(candidate in rule.odd for candidate in chosen)
                if (count - lines.known[rule.parity[0] - 1].least) % 2:
                    return [*links, *rule.parity]
        return None

    def most(self, inequality: Inequality, cell: int) -> int:
        """The most that a cell can add to the left-hand side."""
        left = bits(self.live & self.lines.sets.masks[cell])
        return max((inequality.terms.get(candidate + 1, 0) for candidate in left), default=0)

    def bounded(self, line: int, most: Mapping[int, int]) -> int:
        """The inequality with the most of each open cell in place of its candidates: none of these adds anything."""
        key = line, frozenset(most)
        if key not in self.bounds:
            formula, inequality = self.lines.formula, self.lines.known[line - 1]
            parts = Counter({line: 1})
            for cell, bound in most.items():
                if bound:
                    parts[formula.link[cell] if bound > 0 else formula.truth[cell]] += abs(bound)
                for candidate in bits(self.lines.sets.masks[cell] & ~self.live):
                    extra = inequality.terms.get(candidate + 1, 0) - bound
                    if extra > 0:
                        parts[self.lines.dead[candidate]] += extra
            self.bounds[key] = self.lines.add(parts)
        return self.bounds[key]
