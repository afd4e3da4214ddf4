"""Proofs as JSON, both ways: every truth, link and candidate by its name, so that a reader can check a step by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nonant.csp.constraints import title
from nonant.csp.model import Model
from nonant.csp.proof import (
    Constraints,
    Cover,
    ParitySum,
    Proof,
    ProofError,
    Refutation,
    Several,
    Uniqueness,
    bits,
    mask_of,
    sets_of,
)


def describe(model: Model, proof: Proof) -> dict[str, Any]:
    """A proof as JSON, with names: {"kind": "cover", "truths": ["6 in row 4"], "links": [...], "removes": [...]}."""
    sets = sets_of(model)

    def named(numbers: Sequence[int]) -> list[str]:
        return ["guard" if number == sets.guard else sets.names[number] for number in numbers]

    removes = [sets.candidate(candidate, "<>") for candidate in proof.removes]
    if isinstance(proof, Cover):
        return {"kind": "cover", "truths": named(proof.truths), "links": named(proof.links), "removes": removes}
    if isinstance(proof, Refutation):
        items = [named([item])[0] if isinstance(item, int) else describe(model, item) for item in proof.items]
        return {"kind": "refutation", "assumes": sets.candidate(proof.assumes), "items": items}
    if isinstance(proof, Constraints):
        about = [title(model.constraints[place]) for place in proof.constraints]
        return {"kind": "constraint", "constraints": list(proof.constraints), "about": about, "removes": removes}
    if isinstance(proof, ParitySum):
        equations = {"truths": named(proof.truths), "parities": list(proof.parities)}
        return {"kind": "parity", **equations, "removes": removes}
    if isinstance(proof, Uniqueness):
        pattern = {model.names[cell]: [model.symbols[at] for at in bits(values)] for cell, values in proof.pattern}
        return {"kind": "uniqueness", "pattern": pattern, "proof": describe(model, proof.proof)}
    return {"kind": "several", "parts": [describe(model, part) for part in proof.parts]}


def read_candidate(model: Model, text: str) -> int:
    """The candidate that r1c2=3 or r1c2<>3 names.

    Raises:
        ProofError: if there is none.
    """
    cell, sign, symbol = text.rpartition("<>" if "<>" in text else "=")
    if not sign or symbol not in model.symbols or cell not in model.names:
        raise ProofError(f"{text!r} is no candidate of {model.name}; write it as {model.names[0]}={model.symbols[0]}")
    return model.index(cell) * model.n_values + model.symbols.index(symbol)


def read_proof(model: Model, record: Mapping[str, Any]) -> Proof:
    """The proof that `describe` wrote.

    Raises:
        ProofError: for an unknown kind or name.
    """
    sets = sets_of(model)
    number = {name: at for at, name in enumerate(sets.names)} | {"guard": sets.guard}

    def numbers(key: str) -> tuple[int, ...]:
        return tuple(number[name] for name in record[key])

    def removes() -> tuple[int, ...]:
        return tuple(read_candidate(model, text) for text in record["removes"])

    def item(entry: Any) -> int | Refutation | Constraints:
        inner = read_proof(model, entry) if isinstance(entry, Mapping) else number[entry]
        if isinstance(inner, int | Refutation | Constraints):
            return inner
        raise ProofError(f"an item of a refutation is a truth, a refutation or a constraint, not {entry!r}")

    try:
        kind = record["kind"]
        if kind == "cover":
            return Cover(numbers("truths"), numbers("links"), removes())
        if kind == "refutation":
            return Refutation(read_candidate(model, record["assumes"]), tuple(map(item, record["items"])))
        if kind == "constraint":
            return Constraints(tuple(record["constraints"]), removes())
        if kind == "parity":
            return ParitySum(numbers("truths"), tuple(record["parities"]), removes())
        if kind == "uniqueness":
            pattern = tuple(
                (model.index(cell), mask_of(model.symbols.index(symbol) for symbol in symbols))
                for cell, symbols in record["pattern"].items()
            )
            inner = read_proof(model, record["proof"])
            if isinstance(inner, Cover | Refutation):
                return Uniqueness(pattern, inner)
        if kind == "several":
            parts = tuple(read_proof(model, part) for part in record["parts"])
            return Several(tuple(part for part in parts if not isinstance(part, Several)))
    except (KeyError, TypeError, ValueError) as error:
        raise ProofError(f"this is no proof of {model.name}: {type(error).__name__}: {error}") from error
    raise ProofError(f"there is no kind of proof {record.get('kind')!r}")
