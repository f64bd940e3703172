"""Scales of charts: from where to where numbers go, with round ticks at even distances."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from discreet.answers.numbers import to_float

LEAST, HUGEST = 1e-290, 1e300
"""What is larger is drawn at this place, beside its true number; what is smaller cannot be told from zero."""


@dataclass(frozen=True, slots=True)
class AxisScale:
    """From the lowest tick to the highest, zero among them, by one step."""

    low: float
    high: float
    step: float

    @classmethod
    def of(cls, numbers: Iterable[object], wanted: int = 4) -> AxisScale:
        """Return the scale of numbers and ends of intervals; what is not finite is left out.

        >>> AxisScale.of([3, 870])
        AxisScale(low=0.0, high=1000.0, step=200.0)
        >>> AxisScale.of([-12.0, 31.0]).ticks
        (-20.0, -10.0, 0.0, 10.0, 20.0, 30.0, 40.0)
        """
        held = [min(max(each, -HUGEST), HUGEST) for each in map(to_float, numbers) if not math.isinf(each)]
        finite = [each for each in held if math.isfinite(each)]
        low, high = min([0.0, *finite]), max([0.0, *finite])
        if high / 2 - low / 2 < LEAST:
            return cls(0.0, 1.0, 1.0)
        rough = high / wanted - low / wanted
        power = 10.0 ** math.floor(math.log10(rough))
        step = min((factor * power for factor in (1, 2, 5, 10)), key=lambda each: abs(math.log(each / rough)))
        return cls(math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step, step)

    @property
    def ticks(self) -> tuple[float, ...]:
        """The round numbers of the axis, the lowest first."""
        count = round(self.high / self.step - self.low / self.step)
        return tuple(self.low + place * self.step for place in range(count + 1))

    def at(self, value: object) -> float:
        """Return where a value lies: 0 at the low end, 1 at the high end, never outside; NaN where it is none."""
        number = to_float(value)
        if math.isnan(number):
            return number
        if math.isinf(number):
            return 1.0 if number > 0 else 0.0
        return min(1.0, max(0.0, (number / 2 - self.low / 2) / (self.high / 2 - self.low / 2)))


def write_tick(value: float) -> str:
    """Return a number on an axis.

    >>> write_tick(1500000.0), write_tick(1200.0), write_tick(0.25), write_tick(-0.0)
    ('1.5M', '1,200', '0.25', '0')
    """
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if size <= abs(value) < 1e15:
            return f"{value / size:.4g}{letter}"
    if not value:
        return "0"
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.4g}"
