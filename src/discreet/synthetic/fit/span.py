"""Linear algebra over bits: which parities are products of others.

A parity is a mask of columns, a Python integer of any length: bit c is column c. The product of two parities is the
parity of the exclusive or of their masks, so masks are vectors over the field of two elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

BitRows = NDArray[np.uint8]


class Span:
    """The span of masks: a basis chosen among them in their order, and how others are made of it."""

    def __init__(self, masks: Iterable[int] = ()) -> None:
        self.basis: list[int] = []
        self._rows: list[tuple[int, int, int]] = []
        for mask in masks:
            self.add(mask)

    @property
    def rank(self) -> int:
        """How many masks of the basis there are."""
        return len(self.basis)

    @property
    def support(self) -> int:
        """The mask of all columns that the basis looks at."""
        found = 0
        for mask in self.basis:
            found |= mask
        return found

    def add(self, mask: int) -> None:
        """Take a mask into the basis, unless it is in the span already."""
        residue, made = self.reduce(mask)
        if residue:
            self._rows.append((residue.bit_length() - 1, residue, made ^ (1 << self.rank)))
            self.basis.append(mask)

    def reduce(self, mask: int) -> tuple[int, int]:
        """Return what is left of a mask after taking basis masks away, and which were taken; 0 is left inside the span.

        Both are linear in the mask: those of an exclusive or are the exclusive or of those.
        """
        made = 0
        for pivot, row, parts in self._rows:
            if mask >> pivot & 1:
                mask ^= row
                made ^= parts
        return mask, made

    def list_equations(self) -> list[tuple[int, int, int]]:
        """Return the span as (pivot column, row, made of): no row holds another one's pivot."""
        found = list(self._rows)
        for place in reversed(range(len(found))):
            pivot, row, made = found[place]
            for other in range(place):
                if found[other][1] >> pivot & 1:
                    found[other] = (found[other][0], found[other][1] ^ row, found[other][2] ^ made)
        return found

    def find_components(self, masks: Iterable[int]) -> list[list[int]]:
        """Return the places of the basis in parts that no mask connects: different parts are independent."""
        parts = [1 << place for place in range(self.rank)]
        for mask in masks:
            made = self.reduce(mask)[1]
            touched = [part for part in parts if part & made]
            if len(touched) > 1:
                parts = [part for part in parts if not part & made]
                parts.append(sum(touched))
        return [list_bits(part) for part in sorted(parts, key=lambda part: part & -part)]


def list_bits(mask: int) -> list[int]:
    """Return the places of the bits that are 1."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def unpack(masks: Sequence[int], bits: int) -> BitRows:
    """Return masks as lines of bits, the first column first."""
    size = max(1, -(-bits // 8))
    packed = np.frombuffer(b"".join(mask.to_bytes(size, "little") for mask in masks), dtype=np.uint8)
    return np.unpackbits(packed.reshape(len(masks), size), axis=1, count=bits, bitorder="little")
