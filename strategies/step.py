"""A step: what it places or removes, by which technique, why, and the proof of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nonant.csp.masks import mask_of
from nonant.csp.model import Model
from nonant.csp.proofs.as_json import describe, read_candidate, read_proof
from nonant.csp.proofs.records import Proof, assumes_unique, depth
from nonant.csp.proofs.sets import sets_of


@dataclass(frozen=True)
class Step:
    """One deduction.

    Attributes:
        technique: its name in the table.
        places: candidates that are written in; after the step each is the last one of some truth.
        removes: candidates that go, those excluded by what is placed included.
        proof: why they go.
        reason: the same in one sentence for people.
        cells: cells to highlight. units: units to highlight.
        contradiction: true when the proof shows that the board has no solution.
    """

    technique: str
    places: tuple[int, ...]
    removes: tuple[int, ...]
    proof: Proof
    reason: str
    cells: tuple[int, ...] = ()
    units: tuple[int, ...] = ()
    contradiction: bool = False

    @property
    def removed(self) -> int:
        """The removed candidates as a mask."""
        return mask_of(self.removes)

    @property
    def assumes_unique(self) -> bool:
        """Whether the step holds only for puzzles with one solution."""
        return assumes_unique(self.proof)

    @property
    def depth(self) -> int:
        """How deep its refutations are nested: 0 for a pattern."""
        return depth(self.proof)

    def to_json(self, model: Model) -> dict[str, Any]:
        """The step with names in place of numbers."""
        sets, names = sets_of(model), model.compiled.unit_names
        record = {
            "technique": self.technique,
            "places": [sets.candidate(candidate) for candidate in self.places],
            "removes": [sets.candidate(candidate, "<>") for candidate in self.removes],
            "reason": self.reason,
            "proof": describe(model, self.proof),
            "highlight": {
                "cells": [model.names[cell] for cell in self.cells],
                "units": [names[unit] for unit in self.units],
            },
        }
        return record | ({"contradiction": True} if self.contradiction else {})

    @classmethod
    def from_json(cls, model: Model, record: Mapping[str, Any]) -> Step:
        """The step that `to_json` wrote.

        Raises:
            ProofError: for a name that the model does not have.
        """
        highlight = record.get("highlight", {})
        unit_names = model.compiled.unit_names
        return cls(
            record["technique"],
            tuple(read_candidate(model, text) for text in record["places"]),
            tuple(read_candidate(model, text) for text in record["removes"]),
            read_proof(model, record["proof"]),
            record["reason"],
            tuple(model.index(name) for name in highlight.get("cells", ())),
            tuple(unit_names.index(name) for name in highlight.get("units", ())),
            record.get("contradiction", False),
        )
