"""Proofs as JSON, both ways: every truth, link and candidate by its name, so that a reader can check a step by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nonant.csp.constraints import title
from nonant.csp.masks import bits, mask_of
from nonant.csp.model import Model
from nonant.csp.proofs.records import Constraints, Cover, ParitySum, Proof, ProofError, Refutation, Several, Uniqueness
from nonant.csp.proofs.sets import GUARD, sets_of


def describe(model: Model, proof: Proof) -> dict[str, Any]:
    """A proof as JSON, with names: {"kind": "cover", "truths": ["6 in row 4"], "links": [...], "removes": [...]}."""
    sets = sets_of(model)

    def named(numbers: Sequence[int]) -> list[str]:
        return [GUARD if number == sets.guard else sets.names[number] for number in numbers]

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
        ProofError: if there is none, or two can be meant.
    """
    # Labels and symbols may hold these signs themselves: wherever one stands could be where the cell's name ends.
    ends = [(at, at + len(sign)) for sign in ("=", "<>") for at in range(len(text)) if text.startswith(sign, at)]
    found = [(text[:end], text[start:]) for end, start in ends]
    found = [(cell, symbol) for cell, symbol in found if cell in model.names and symbol in model.symbols]
    if len(found) != 1:
        known = f"{model.names[0]}={model.symbols[0]}" if model.n_cells else "none; it has no cells"
        what = "two candidates" if found else "no candidate"
        raise ProofError(f"{text!r} is {what} of {model.name}; write it as {known}")
    cell, symbol = found[0]
    return model.names.index(cell) * model.n_values + model.symbols.index(symbol)


def read_proof(model: Model, record: Mapping[str, Any]) -> Proof:
    """The proof that `describe` wrote.

    Raises:
        ProofError: for an unknown kind or name.
    """
    try:
        return _Reader(model).proof(record)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        if isinstance(error, ProofError):
            raise
        raise ProofError(f"this is no proof of {model.name}: {type(error).__name__}: {error}") from error


class _Reader:
    """The names of a model, looked up for one proof."""

    def __init__(self, model: Model) -> None:
        sets = sets_of(model)
        self.model = model
        self.number = {name: at for at, name in enumerate(sets.names)} | {GUARD: sets.guard}

    def proof(self, record: Mapping[str, Any]) -> Proof:
        """A proof of any kind."""
        kind = record["kind"]
        if kind == "cover":
            return Cover(self.sets(record["truths"]), self.sets(record["links"]), self.removes(record))
        if kind == "refutation":
            assumed = read_candidate(self.model, record["assumes"])
            return Refutation(assumed, tuple(map(self.item, record["items"])))
        if kind == "constraint":
            return Constraints(_indices(record["constraints"]), self.removes(record))
        if kind == "parity":
            return ParitySum(self.sets(record["truths"]), _indices(record["parities"]), self.removes(record))
        if kind == "uniqueness":
            pattern = tuple(
                (self.model.index(cell), mask_of(self.model.symbols.index(symbol) for symbol in symbols))
                for cell, symbols in record["pattern"].items()
            )
            inner = self.proof(record["proof"])
            if isinstance(inner, Cover | Refutation):
                return Uniqueness(pattern, inner)
            raise ProofError("a proof by uniqueness holds a cover or a refutation")
        if kind == "several":
            parts = []
            for part in map(self.proof, record["parts"]):
                if isinstance(part, Several):
                    raise ProofError("the parts of a proof have no parts of their own")
                parts.append(part)
            return Several(tuple(parts))
        raise ProofError(f"there is no kind of proof {kind!r}")

    def sets(self, names: Sequence[str]) -> tuple[int, ...]:
        """The numbers of truths or links."""
        return tuple(self.number[name] for name in names)

    def removes(self, record: Mapping[str, Any]) -> tuple[int, ...]:
        """The candidates that a proof makes false."""
        return tuple(read_candidate(self.model, text) for text in record["removes"])

    def item(self, entry: Any) -> int | Refutation | Constraints:
        """An item of a refutation."""
        inner = self.proof(entry) if isinstance(entry, Mapping) else self.number[entry]
        if isinstance(inner, int | Refutation | Constraints):
            return inner
        raise ProofError(f"an item of a refutation is a truth, a refutation or a constraint, not {entry!r}")


def _indices(listed: Sequence[Any]) -> tuple[int, ...]:
    if not all(type(index) is int for index in listed):
        raise ProofError(f"constraints are named by whole numbers, not {listed!r}")
    return tuple(listed)
