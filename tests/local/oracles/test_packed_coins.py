"""Eight coins of one byte fall as eight coins do, to the last bit."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from discreet.local.client.coins import ONE
from discreet.local.oracles.packed_coins import UNDECIDED, find_cuts, toss_bytes
from discreet.noise import bits


class Listed:
    """Gives words from a list, in order."""

    def __init__(self, *words: int) -> None:
        self.left = list(words)

    def words(self, count: int) -> NDArray[np.uint64]:
        taken, self.left = self.left[:count], self.left[count:]
        assert len(taken) == count
        return np.array(taken, dtype=np.uint64)


@pytest.mark.parametrize("chance", [1, ONE // 2, ONE // 3, int(0.2689 * ONE), ONE - 1])
def test_cuts_are_those_of_eight_independent_coins(chance: int) -> None:
    cuts, one = find_cuts(chance), Fraction(chance, ONE)
    assert cuts.exact[-1] == 1
    sizes = [cuts.exact[0], *(cuts.exact[at] - cuts.exact[at - 1] for at in range(1, 256))]
    for place in range(8):
        assert sum(size for byte, size in enumerate(sizes) if byte >> place & 1) == one
    for cell in range(0, 1 << 16, 997):
        low, high = Fraction(cell, 1 << 16), Fraction(cell + 1, 1 << 16)
        inside = [cut for cut in cuts.exact if low < cut < high]
        told = int(cuts.told[cell])
        if told == UNDECIDED:
            assert inside or any(cut == low for cut in cuts.exact)
        else:
            assert not inside
            assert (cuts.exact[told - 1] if told else 0) <= low
            assert high <= cuts.exact[told]


def test_words_at_a_cut_are_decided_by_more_words() -> None:
    """Of a third, the first cut is (2/3)^8: words with its first 64 bits lie on either side."""
    cuts = find_cuts(ONE // 3)
    cut = cuts.exact[0]
    first, second = int(cut * ONE), int(cut * ONE * ONE) % ONE
    cell, rest = first >> 48, (first & ((1 << 48) - 1)) << 16
    for beyond, byte in ((second - 1, 0), (second + 1, 1)):
        with bits.replayed(Listed(cell, rest, beyond)):
            assert toss_bytes(ONE // 3, 1).tolist() == [byte]


def test_bytes_occur_as_often_as_they_should_and_other_chances_are_noticed() -> None:
    chance = int(0.2689 * ONE)
    drawn = np.bincount(toss_bytes(chance, 1_500_000), minlength=256)

    def expect(one: float) -> NDArray[np.float64]:
        ones = np.array([byte.bit_count() for byte in range(256)])
        return 1_500_000 * one**ones * (1 - one) ** (8 - ones)

    assert stats.chisquare(drawn, expect(0.2689), sum_check=False).pvalue > 1e-9
    assert stats.chisquare(drawn, expect(0.2689 * 1.01), sum_check=False).pvalue < 1e-9
