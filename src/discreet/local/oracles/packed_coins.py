"""Eight equal coins at a time, packed into a byte: two random bytes decide nearly all of them.

Eight coins with the chance p fall as a byte b with the probability p^k (1 - p)^(8 - k), k the ones of b. Bytes in order
cut the line from 0 to 1 into 256 parts, and a uniform real lies in the part of the byte that is drawn. Its first 16
bits tell which, unless a cut lies in between; then 48 more bits do, and if these still leave a cut in between, as many
as it takes. All cuts are exact fractions, so the coins are.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.local.client.coins import ONE
from discreet.noise import bits

AT_ONCE = 1 << 20
UNDECIDED = 256


class Cuts(NamedTuple):
    """Where the parts of bytes end, exactly; as whole numbers of 2^64ths below; and what 16 bits tell."""

    exact: tuple[Fraction, ...]
    below: NDArray[np.uint64]
    told: NDArray[np.uint16]


def toss_bytes(chance: int, count: int) -> NDArray[np.uint8]:
    """Return bytes of eight independent coins each, all with exactly this chance in 2^64ths."""
    cuts, found = find_cuts(chance), np.empty(count, dtype=np.uint8)
    for start in range(0, count, AT_ONCE):
        part = found[start : start + AT_ONCE]
        first = bits.words(-(-len(part) // 4)).view(np.uint16)[: len(part)]
        told = cuts.told[first]
        part[:] = told
        undecided = np.flatnonzero(told == UNDECIDED)
        rest = bits.words(len(undecided)) >> np.uint64(16)
        words = (first[undecided].astype(np.uint64) << np.uint64(48)) | rest
        part[undecided] = _decide(cuts, words)
    return found


@lru_cache(maxsize=64)
def find_cuts(chance: int) -> Cuts:
    """Return the cuts of a chance."""
    one = Fraction(chance, ONE)
    exact = tuple(accumulate(one ** byte.bit_count() * (1 - one) ** (8 - byte.bit_count()) for byte in range(256)))
    below = np.array([int(cut * ONE) for cut in exact[:-1]], dtype=np.uint64)
    cells = np.arange(1 << 16, dtype=np.uint64)
    lower, upper = cells << np.uint64(48), (cells << np.uint64(48)) + np.uint64((1 << 48) - 1)
    first, last = np.searchsorted(below, lower, side="left"), np.searchsorted(below, upper, side="right")
    return Cuts(exact, below, np.where(first == last, first, UNDECIDED).astype(np.uint16))


def _decide(cuts: Cuts, words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the bytes that 64 bits tell; where a cut lies among what they leave open, more bits are drawn."""
    found = np.searchsorted(cuts.below, words, side="left")
    for place in np.flatnonzero(found != np.searchsorted(cuts.below, words, side="right")):
        whole, count = int(words[place]), 64
        while True:
            low, high = Fraction(whole, 1 << count), Fraction(whole + 1, 1 << count)
            first = next(byte for byte, cut in enumerate(cuts.exact) if low < cut)
            if high <= cuts.exact[first]:
                found[place] = first
                break
            whole, count = (whole << 64) | bits.one_word(), count + 64
    return found
