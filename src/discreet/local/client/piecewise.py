"""The piecewise mechanism, in whole numbers: a cell, oftener one of a window that moves with the number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from .coins import ONE, Coins, bound_log, check_count, check_epsilon, read_chance, take_chance
from .errors import ClientError
from .mechanism import check_part, grow
from .numbers import NumberMechanism, OneBitMean, round_by_coin

MOST_OUTPUTS = 1 << 16
LEAST_WIDE = 0.61
"""The epsilon up to which one bit errs less than any mixture."""


@dataclass(frozen=True)
class PiecewiseMean(NumberMechanism):
    """Tells one of `starts` + `width` cells: with a chance of `truth` one of the window, else one outside; both evenly.

    The window begins at the number, rounded to 0 .. starts, and has `width` cells; outside there are always `starts`.
    Theorem (Wang et al. 2019, in whole numbers): epsilon = ln[truth starts / ((1 - truth) width)]. The mean of the
    cell is affine in the window's begin, so a cell stands for a number without bias.
    """

    kind: ClassVar[str] = "piecewise"

    starts: int
    width: int
    truth: int

    def __post_init__(self) -> None:
        check_count("starts", self.starts, 1, MOST_OUTPUTS)
        check_count("width", self.width, 1, MOST_OUTPUTS)
        check_count("cells", self.outputs, 2, MOST_OUTPUTS)
        read_chance("truth", self.truth)
        if self.truth * self.starts <= (ONE - self.truth) * self.width:
            raise ClientError(f"truth is {self.truth}; write more: a cell of the window is the likelier one")

    @classmethod
    def calibrate(cls, epsilon: float, cells: int = 4096) -> PiecewiseMean:
        """Return the mechanism whose epsilon is this one, or a little less.

        The window has (C - 1) / (2 C) of all cells, with C = (e^(epsilon/2) + 1) / (e^(epsilon/2) - 1): the least
        variance of the continuous form.
        """
        grown = grow(check_epsilon(epsilon))
        check_count("cells", cells, 2, MOST_OUTPUTS)
        width = min(max(1, round(cells / (1 + math.exp(epsilon / 2)))), cells - 1)
        inside = width * grown
        return cls(cells - width, width, take_chance(inside / (inside + cells - width)))

    @property
    def epsilon(self) -> float:
        """What one report tells at most, rounded up."""
        return bound_log(Fraction(self.truth * self.starts, (ONE - self.truth) * self.width))

    @property
    def outputs(self) -> int:
        """How many cells there are."""
        return self.starts + self.width

    def tell(self, value: Fraction, coins: Coins) -> int:
        """Return a noisy cell; all coins are tossed, whichever decides."""
        start = round_by_coin(value, self.starts, coins)
        inside, within, without = coins.toss(self.truth), coins.choose(self.width), coins.choose(self.starts)
        return start + within if inside else without + (self.width if without >= start else 0)

    def find_value(self, output: int) -> Fraction:
        """Return the number that a cell stands for."""
        slope = self._find_mean(1) - self._find_mean(0)
        return 2 * (output - self._find_mean(0)) / (slope * self.starts) - 1

    def variance(self, value: Fraction) -> Fraction:
        """Return the variance of what a report of a number stands for, exactly."""
        start, rest = divmod((1 + value) / 2 * self.starts, 1)
        square = sum(
            share * self._find_square(int(start) + more) for more, share in enumerate((1 - rest, rest)) if share
        )
        scale = self.find_value(1) - self.find_value(0)
        return (square - self._find_mean(start + rest) ** 2) * scale**2

    def _find_mean(self, start: Fraction | int) -> Fraction:
        """Return the mean cell of a window's begin."""
        inside = start + Fraction(self.width - 1, 2)
        outside = (Fraction(self.outputs * (self.outputs - 1), 2) - self.width * inside) / self.starts
        return (self.truth * inside + (ONE - self.truth) * outside) / ONE

    def _find_square(self, start: int) -> Fraction:
        """Return the mean square of a cell of a window's begin."""
        inside = _add_squares(start + self.width) - _add_squares(start)
        outside = _add_squares(self.outputs) - inside
        return (self.truth * Fraction(inside, self.width) + (ONE - self.truth) * Fraction(outside, self.starts)) / ONE


@dataclass(frozen=True)
class HybridMean(NumberMechanism):
    """Tells a cell of `wide` with a chance of `share`, else a bit of `narrow`: which of them says nothing.

    Theorem (Wang et al. 2019): the coin does not look at the number, so epsilon is the larger of the two. With a share
    of 1 - e^(-epsilon/2), for epsilon above .61, the variance is the same for all numbers, and its worst is less than
    that of either.
    """

    kind: ClassVar[str] = "hybrid"

    wide: PiecewiseMean
    narrow: OneBitMean
    share: int

    def __post_init__(self) -> None:
        check_part("wide", self.wide, PiecewiseMean)
        check_part("narrow", self.narrow, OneBitMean)
        check_count("share", self.share, 0, ONE - 1)
        check_count("outputs", self.outputs, 2, MOST_OUTPUTS)

    @classmethod
    def calibrate(cls, epsilon: float, cells: int = 4096) -> HybridMean:
        """Return the mechanism whose epsilon is this one, or a little less."""
        share = take_chance(-math.expm1(-check_epsilon(epsilon) / 2)) if epsilon > LEAST_WIDE else 0
        return cls(PiecewiseMean.calibrate(epsilon, cells), OneBitMean.calibrate(epsilon), share)

    @property
    def epsilon(self) -> float:
        """What one report tells at most, rounded up."""
        return max(self.wide.epsilon, self.narrow.epsilon)

    @property
    def outputs(self) -> int:
        """How many cells and bits there are."""
        return self.wide.outputs + self.narrow.outputs

    def tell(self, value: Fraction, coins: Coins) -> int:
        """Return a noisy cell, or a noisy bit after all cells; both are drawn, whichever is told."""
        chosen, cell, bit = coins.toss(self.share), self.wide.tell(value, coins), self.narrow.tell(value, coins)
        return cell if chosen else self.wide.outputs + bit

    def find_value(self, output: int) -> Fraction:
        """Return the number that a cell or a bit stands for."""
        cells = self.wide.outputs
        return self.wide.find_value(output) if output < cells else self.narrow.find_value(output - cells)

    def variance(self, value: Fraction) -> Fraction:
        """Return the variance of what a report of a number stands for, exactly: a mean of the two."""
        share = Fraction(self.share, ONE)
        return share * self.wide.variance(value) + (1 - share) * self.narrow.variance(value)


def _add_squares(count: int) -> int:
    """Return the sum of the squares of all whole numbers below a count."""
    return (count - 1) * count * (2 * count - 1) // 6
