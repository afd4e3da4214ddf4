"""Proofs in the Solve Path Notation: read and written without a model, and bound to one when a path is replayed.

    (cover R1C2 R1C5 / 3@row1 7@row1)                      truths, then links; 2*7@row1 counts twice
    (refute R1C2=3: 4@row1 R2C2 [R5C5=1: 9@box5] 7@box5)   what is assumed, then truths, and inner refutations
    (constraint 28 31 => R1C2<>3)                          constraints by their number in the model, from 1
    (parity R1C1 R1C2 / 5 6)                               truths, then parities of the model by their number
    (unique R1C1=1,2 R1C4=1,2 R5C1=1,2 R5C4=1,2: cover guard / 3@row1)

A proof without `=>` proves all that its move removes. Parts with `|` between have each to say what they remove.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, repeat

from nonant.csp.errors import ModelError
from nonant.csp.masks import bits
from nonant.csp.proofs.records import Constraints, Cover, ParitySum, Proof, ProofError, Refutation, Several, Uniqueness
from nonant.spn.names import CandidateName, Names, SetName
from nonant.spn.tokens import SIGN, WORD, Stream, word

COVER, REFUTE, CONSTRAINT, PARITY, UNIQUE = "cover", "refute", "constraint", "parity", "unique"
# No honest proof comes near these; a file made to fill the memory or the day meets them.
MOST_SETS = 100_000  # truths or links of a part, repeats counted
MOST_CONSTRAINTS = 64  # of a part
MOST_NESTED = 40  # refutations inside each other


@dataclass(frozen=True)
class Claim:
    """One part of a proof, with names in place of numbers.

    Attributes:
        kind: cover, refute, constraint, parity or unique.
        truths, links: of a cover; the truths of a parity.
        constraints: numbers in the model's list, from 1, of a constraint or parity.
        removes: what it proves; None for all that the move removes. A refutation proves what it assumes.
        assumes, items: of a refutation.
        pattern, inner: of uniqueness: cells with the values that could be exchanged, and what the guard then proves.
    """

    kind: str
    truths: tuple[SetName, ...] = ()
    links: tuple[SetName, ...] = ()
    constraints: tuple[int, ...] = ()
    removes: tuple[CandidateName, ...] | None = None
    assumes: CandidateName | None = None
    items: tuple[SetName | Claim, ...] = ()
    pattern: tuple[tuple[str, tuple[str, ...]], ...] = ()
    inner: Claim | None = None


# -- text --------------------------------------------------------------------------------------------------------------


def grouped(sign: str, candidates: Sequence[CandidateName]) -> list[str]:
    """Candidates as text, those of a cell that come together as one: R1C2<>3,5."""
    return [
        word(cell) + sign + ",".join(word(one.value) for one in some)
        for cell, some in groupby(candidates, lambda one: one.cell)
    ]


def proof_text(proof: Sequence[Claim]) -> str:
    """The proof as text, without its parentheses."""
    return " | ".join(map(_claim_text, proof))


def _claim_text(claim: Claim) -> str:
    if claim.kind == REFUTE:
        return f"{REFUTE} {_refutation_text(claim)}"
    if claim.kind == UNIQUE:
        cells = [word(cell) + "=" + ",".join(map(word, values)) for cell, values in claim.pattern]
        inner = "" if claim.inner is None else _claim_text(claim.inner)
        return f"{' '.join([UNIQUE, *cells])}: {inner}"
    parts = [claim.kind, *map(_set_text, claim.truths)]
    if claim.kind == COVER:
        parts += ["/", *map(_set_text, claim.links)]
    elif claim.constraints:
        parts += [*(["/"] if claim.kind == PARITY else []), *map(str, claim.constraints)]
    if claim.removes is not None:
        parts += ["=>", *grouped("<>", claim.removes)]
    return " ".join(parts)


def _refutation_text(claim: Claim) -> str:
    assumed = "".join(grouped("=", [claim.assumes] if claim.assumes else []))
    return " ".join([f"{assumed}:", *map(_item_text, claim.items)])


def _item_text(item: SetName | Claim) -> str:
    if isinstance(item, SetName):
        return _set_text(item)
    return f"[{_refutation_text(item) if item.kind == REFUTE else _claim_text(item)}]"


def _set_text(name: SetName) -> str:
    times = f"{name.times}*" if name.times > 1 else ""
    if name.unit:
        unit = name.unit if name.unit.startswith("#") else word(name.unit)
        return f"{times}{word(name.value)}@{unit}"
    return times + ("guard" if name.cell is None else word(name.cell))


def read_proof(stream: Stream) -> tuple[Claim, ...]:
    """The proof that comes next, its parentheses included.

    Raises:
        ParseError: where it is none.
    """
    stream.expect("(")
    claims = [_read_claim(stream)]
    while stream.accept("|"):
        claims.append(_read_claim(stream))
    stream.expect(")")
    return tuple(claims)


def _read_claim(stream: Stream) -> Claim:
    kinds = (COVER, REFUTE, CONSTRAINT, PARITY, UNIQUE)
    if stream.peek().kind != WORD or stream.peek().text not in kinds:
        stream.fail(f"a proof begins with {', '.join(kinds[:-1])} or {kinds[-1]}")
    kind = stream.take().text
    if kind == REFUTE:
        return _read_refutation(stream, 1)
    if kind == UNIQUE:
        pattern: list[tuple[str, tuple[str, ...]]] = []
        while not stream.accept(":"):
            pattern.append(read_cell(stream))
        if stream.peek().text not in (COVER, REFUTE):
            stream.fail("expected cover or refute")
        return Claim(UNIQUE, pattern=tuple(pattern), inner=_read_claim(stream))
    if kind == CONSTRAINT:
        return Claim(CONSTRAINT, constraints=_read_numbers(stream), removes=_read_removes(stream))
    truths = _read_sets(stream)
    if kind == PARITY:
        numbers = _read_numbers(stream) if stream.accept("/") else ()
        return Claim(PARITY, truths, constraints=numbers, removes=_read_removes(stream))
    stream.expect("/")
    return Claim(COVER, truths, _read_sets(stream), removes=_read_removes(stream))


def _read_refutation(stream: Stream, nested: int) -> Claim:
    if nested > MOST_NESTED:
        stream.fail(f"refutations are nested at most {MOST_NESTED} deep")
    cell = stream.name("a cell")
    stream.expect("=")
    assumed = CandidateName(cell, stream.name("a value"))
    stream.expect(":")
    items: list[SetName | Claim] = []
    while not stream.at(")", "]", "|"):
        if stream.accept("["):
            stated = (stream.peek().kind, stream.peek().text) == (WORD, CONSTRAINT) and stream.peek(1).text != "="
            items.append(_read_claim(stream) if stated else _read_refutation(stream, nested + 1))
            stream.expect("]")
        else:
            items.append(_read_set(stream))
    return Claim(REFUTE, assumes=assumed, items=tuple(items))


def _read_sets(stream: Stream) -> tuple[SetName, ...]:
    sets: list[SetName] = []
    while not stream.at("/", "=>", ")", "|"):
        times = 1
        if (stream.peek(1).kind, stream.peek(1).text) == (SIGN, "*"):
            times = stream.number("how many times")
            stream.expect("*")
        sets.append(_read_set(stream, times))
    return tuple(sets)


def _read_set(stream: Stream, times: int = 1) -> SetName:
    plain = stream.peek().kind == WORD
    name = stream.name("a cell, or a value and its unit as 7@row4")
    if not stream.accept("@"):
        return SetName(None if plain and name == "guard" else name, times=times)
    if stream.accept("#"):
        return SetName(value=name, unit=f"#{stream.number('the number of a unit')}", times=times)
    if stream.peek().text[:1] in ("", "#"):
        stream.fail("expected a unit")
    return SetName(value=name, unit=stream.name("a unit"), times=times)


def _read_numbers(stream: Stream) -> tuple[int, ...]:
    numbers: list[int] = []
    while not stream.at("=>", ")", "|", "]"):
        numbers.append(stream.number("the number of a constraint, from 1"))
    return tuple(numbers)


def _read_removes(stream: Stream) -> tuple[CandidateName, ...] | None:
    if not stream.accept("=>"):
        return None
    removes: list[CandidateName] = []
    while not stream.at(")", "|", "]"):
        cell = stream.name("a cell")
        stream.expect("<>")
        removes += [CandidateName(cell, value) for value in read_values(stream)]
    return tuple(removes)


def read_cell(stream: Stream) -> tuple[str, tuple[str, ...]]:
    """A cell with values: R1C2=3,5."""
    cell = stream.name("a cell")
    stream.expect("=")
    return cell, read_values(stream)


def read_values(stream: Stream) -> tuple[str, ...]:
    """One value, or several with commas between."""
    values = [stream.name("a value")]
    while stream.accept(","):
        values.append(stream.name("a value"))
    return tuple(values)


# -- to and from a model -----------------------------------------------------------------------------------------------


def claims_of(names: Names, proof: Proof, removed: Collection[int]) -> tuple[Claim, ...]:
    """A proof with names; `removed` is what its move removes."""
    if not isinstance(proof, Several):
        every = set(removed) <= set(proof.removes)
        return (_claim(names, proof, lambda removes: None if every else _named(names, removes)),)

    def some(removes: Sequence[int]) -> tuple[CandidateName, ...]:
        return _named(names, [candidate for candidate in removes if candidate in removed])

    parts = [part for part in proof.parts if not set(part.removes).isdisjoint(removed)] or proof.parts[:1]
    return tuple(_claim(names, part, some) for part in parts)


def _named(names: Names, candidates: Sequence[int]) -> tuple[CandidateName, ...]:
    return tuple(map(names.candidate, candidates))


def _claim(names: Names, proof: Proof, removes: Callable[[Sequence[int]], tuple[CandidateName, ...] | None]) -> Claim:
    if isinstance(proof, Cover):
        truths, links = _counted(names, proof.truths), _counted(names, proof.links)
        return Claim(COVER, truths, links, removes=removes(proof.removes))
    if isinstance(proof, Refutation):
        items = tuple(
            names.set(item) if isinstance(item, int) else _claim(names, item, lambda gone: _named(names, gone))
            for item in proof.items
        )
        return Claim(REFUTE, assumes=names.candidate(proof.assumes), items=items)
    if isinstance(proof, Constraints):
        numbers = tuple(index + 1 for index in proof.constraints)
        return Claim(CONSTRAINT, constraints=numbers, removes=removes(proof.removes))
    if isinstance(proof, ParitySum):
        truths, numbers = _counted(names, proof.truths), tuple(index + 1 for index in proof.parities)
        return Claim(PARITY, truths, constraints=numbers, removes=removes(proof.removes))
    if isinstance(proof, Uniqueness):
        symbols = names.model.symbols
        pattern = tuple((names.cells[cell], tuple(symbols[at] for at in bits(mask))) for cell, mask in proof.pattern)
        return Claim(UNIQUE, pattern=pattern, inner=_claim(names, proof.proof, removes))
    raise ModelError(f"a proof of the kind {type(proof).__name__} has no notation")


def _counted(names: Names, sets: Sequence[int]) -> tuple[SetName, ...]:
    """The names of sets, one that comes several times in a row once, with its number."""
    return tuple(replace(names.set(number), times=sum(1 for _ in run)) for number, run in groupby(sets))


def _uncounted(names: Names, sets: Sequence[SetName]) -> tuple[int, ...]:
    if sum(name.times for name in sets) > MOST_SETS:
        raise ProofError(f"a proof names more than {MOST_SETS} truths or links")
    return tuple(number for name in sets for number in repeat(names.find_set(name), name.times))


def bound(names: Names, proof: Sequence[Claim], removed: tuple[int, ...]) -> Proof:
    """The proof that the claims are on a model; `removed` is what their move removes.

    Raises:
        ModelError: for a name that the model does not have.
        ProofError: for a constraint that it does not have.
    """
    parts = []
    for claim in proof:
        part = _bound(names, claim, removed)
        assert not isinstance(part, Several)
        parts.append(part)
    return parts[0] if len(parts) == 1 else Several(tuple(parts))


def _bound(names: Names, claim: Claim, removed: tuple[int, ...]) -> Proof:
    if claim.kind == REFUTE:
        return _bound_refutation(names, claim)
    if claim.kind == UNIQUE:
        inner = None if claim.inner is None else _bound(names, claim.inner, removed)
        if not isinstance(inner, Cover | Refutation):
            raise ProofError("a proof by uniqueness holds a cover or a refutation")
        pattern = tuple(
            (names.find_cell(cell), sum({1 << names.find_value(value) for value in values}))
            for cell, values in claim.pattern
        )
        return Uniqueness(pattern, inner)
    if claim.removes is not None:
        # Each once, however often the text names it.
        removed = tuple(dict.fromkeys(map(names.find_candidate, claim.removes)))
    truths = _uncounted(names, claim.truths)
    if claim.kind == COVER:
        return Cover(truths, _uncounted(names, claim.links), removed)
    known = len(names.model.constraints)
    if not all(1 <= number <= known for number in claim.constraints):
        raise ProofError(f"a proof names the constraint {max(claim.constraints)}, the model has {known}")
    indices = tuple(number - 1 for number in claim.constraints)
    if claim.kind == CONSTRAINT and len(indices) > MOST_CONSTRAINTS:
        raise ProofError(f"a proof takes more than {MOST_CONSTRAINTS} constraints together")
    return Constraints(indices, removed) if claim.kind == CONSTRAINT else ParitySum(truths, indices, removed)


def _bound_refutation(names: Names, claim: Claim) -> Refutation:
    assert claim.assumes is not None
    return Refutation(names.find_candidate(claim.assumes), tuple(_bound_item(names, item) for item in claim.items))


def _bound_item(names: Names, item: SetName | Claim) -> int | Refutation | Constraints:
    if isinstance(item, SetName):
        return names.find_set(item)
    if item.kind == REFUTE:
        return _bound_refutation(names, item)
    inner = _bound(names, item, ())
    assert isinstance(inner, Constraints)  # nothing else is read there
    return inner
