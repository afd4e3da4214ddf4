"""What a proof of a step says: plain records of numbers. `check.py` tells what makes one right, `as_json.py` names it.

Truths and links are numbers of a `Sets`, candidates bits of a board, constraints indices in `model.constraints`.
"""

from __future__ import annotations

from dataclasses import dataclass

from nonant.csp.errors import NonantError


class ProofError(NonantError, ValueError):
    """A proof that does not prove what it says."""


@dataclass(frozen=True)
class Cover:
    """Truths and links, repeats counted, and the candidates that they make false."""

    truths: tuple[int, ...]
    links: tuple[int, ...]
    removes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Refutation:
    """A candidate that cannot hold, and what shows it, in order: truths, inner refutations, constraints."""

    assumes: int
    items: tuple[int | Refutation | Constraints, ...]

    @property
    def removes(self) -> tuple[int, ...]:
        """The one candidate that is made false."""
        return (self.assumes,)

    @property
    def depth(self) -> int:
        """1, or one more than the deepest inner refutation."""
        return 1 + max((item.depth for item in self.items if isinstance(item, Refutation)), default=0)


@dataclass(frozen=True)
class Constraints:
    """Constraints of the model (their places in `model.constraints`) taken together, and what they make false."""

    constraints: tuple[int, ...]
    removes: tuple[int, ...] = ()


@dataclass(frozen=True)
class ParitySum:
    """Truths, and parities of the model (places in `model.constraints`), to be added up modulo 2."""

    truths: tuple[int, ...]
    parities: tuple[int, ...] = ()
    removes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Uniqueness:
    """A pattern (cell, mask of two values) that must not be filled alone, and what its guard then proves.

    In `proof` the guard is the truth with the number `Sets.guard`.
    """

    pattern: tuple[tuple[int, int], ...]
    proof: Cover | Refutation

    @property
    def removes(self) -> tuple[int, ...]:
        """What the guard makes false."""
        return self.proof.removes


@dataclass(frozen=True)
class Several:
    """Proofs of the parts of one step."""

    parts: tuple[Cover | Refutation | Constraints | ParitySum | Uniqueness, ...]

    @property
    def removes(self) -> tuple[int, ...]:
        """What any part makes false."""
        return tuple(sorted({candidate for part in self.parts for candidate in part.removes}))


Proof = Cover | Refutation | Constraints | ParitySum | Uniqueness | Several


def depth(proof: Proof) -> int:
    """How deep refutations are nested in a proof: 0 for none."""
    if isinstance(proof, Several):
        return max((depth(part) for part in proof.parts), default=0)
    if isinstance(proof, Uniqueness):
        return depth(proof.proof)
    return proof.depth if isinstance(proof, Refutation) else 0


def assumes_unique(proof: Proof) -> bool:
    """Whether a proof holds only for puzzles with one solution."""
    return isinstance(proof, Uniqueness) or (isinstance(proof, Several) and any(map(assumes_unique, proof.parts)))
