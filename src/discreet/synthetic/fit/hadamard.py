"""Walsh-Hadamard transforms of tables of bits."""

from __future__ import annotations

import numpy as np
from scipy.linalg import hadamard

from discreet.base.grid import Floats

BLOCK = 5
"""Bits that one matrix product takes at a time where bits are nearest in memory."""


def transform(table: Floats) -> Floats:
    """Return for each mask the sum over cells of (-1)^(bits that mask and cell share) times the cell's number.

    The table has 2^bits numbers. The transform is its own transpose, and its own inverse but for the factor 2^bits.
    """
    bits = len(table).bit_length() - 1
    low = min(bits, BLOCK)
    found = table.reshape(-1, 1 << low) @ hadamard(1 << low, dtype=np.float64)
    scratch = np.empty(len(table) // 2) if bits > low else found
    for bit in range(low, bits):
        pairs = found.reshape(-1, 2, 1 << bit)
        first, second = pairs[:, 0], pairs[:, 1]
        kept = scratch.reshape(first.shape)
        np.subtract(first, second, out=kept)
        first += second
        second[...] = kept
    return np.asarray(found.reshape(-1))
