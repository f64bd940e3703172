"""What a linear model minimises: convex functions, one for each unit, and a ridge; and how far one unit moves it.

    F(w) = s * (f_1(w) + ... + f_n(w)) + ridge / 2 * |w|^2 + <push, w>

**A unit.** A row's loss is a convex function of its score, with slopes that are cut at R: cut slopes still grow with
the score, so that the loss stays convex, which cutting a unit's gradient would not leave it. f_u is c times the sum of
its rows' losses, with c = 1, or less where its rows are long: c = L / (R (a_1 + ... + a_m)), for rows of lengths a_i
and the clip L. So its gradient is nowhere longer than L. Its second derivatives have a trace of at most
c * beta * (a_1^2 + ... + a_m^2) <= beta a L / R, for rows no longer than a: the unit's *curvature*. Everything is a
function of its own rows. (Slopes of several scores are not cut: that would leave no function.)

**More units than expected.** How long a solver takes, and how far its floats may err, grows with n, which is private.
So `units`, a public number N, is what n is expected to be, and all units are given the weight s(n): 1 up to N, then
1 - e (n / N - 1) with e = `EASE` down to 1/2, and from there on in proportion to 1 / n. Let a unit leave n of them:

    s(n) + (s(n - 1) - s(n)) (n - 1) <= 1 + e        and        n s(n) <= N (1 + e)^2 / (4 e), the *mass*.

Proof. On the straight part the first is 1 + e - e n / N + e (n - 1) / N, where it begins the same with a smaller
difference; on the last part it is 2 s(n) <= 1, and at the joint, where s is convex, at most 1/2 + (1/2 + e). The second
is a parabola's top, and constant on the last part. So whatever N says, true or not, one unit moves the gradient of F at
any w by at most (1 + e) L where one leaves or enters, and by 2 L where one is replaced by another.

**How far the minimum moves** (Chaudhuri, Monteleoni, Sarwate 2011, Lemma 7). F is strongly convex with the constant
`ridge`. If G = F - F' has |grad G| <= g everywhere, then ridge * |w - w'|^2 <= <grad F'(w) - grad F'(w'), w - w'> =
<-grad G(w), w - w'> for the minima w of F and w' of F', so |w - w'| <= g / ridge.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.errors import OperationError
from discreet.base.grid import Floats
from discreet.base.rounding import ball, float_up, rounded_down
from discreet.base.wide import Ints
from discreet.gradients.encoding import FEATURE_STEPS, EncodedRows, check_field
from discreet.gradients.residuals import RESIDUAL_STEPS
from discreet.gradients.slopes import find_curvature
from discreet.gradients.sums import GRADIENT_STEPS, LinearGradients

EASE = Fraction(1, 10)
"""By how much more than a unit's own gradient one that leaves may move the sum, where there are more than expected."""

MOST_UNITS = 1 << 40
LEAST_RIDGE, MOST_RIDGE = 2.0**-30, 2.0**50
FINENESS = 16
"""How many bits finer than L / ridge the grid of weights is."""


@dataclass(frozen=True)
class LinearObjective:
    """What is minimised: losses whose gradients are clipped by weights, a ridge, and how many units are expected."""

    gradients: LinearGradients
    """Features, loss and clip: the longest gradient that a unit may have."""
    slope: int
    """Where slopes are cut, in the steps of residuals: R."""
    ridge: float
    units: int
    bits: int = 8
    """How near the minimum the solver comes, beside round-off: 2^-bits of L / ridge."""

    def __post_init__(self) -> None:
        if type(self.gradients) is not LinearGradients:
            raise OperationError("an objective is of LinearGradients: an encoding, a residual and a clip")
        residual = self.gradients.residual
        find_curvature(residual)
        check_field(self, "slope", least=1 if residual.outputs == 1 else residual.longest, most=residual.longest)
        ridge = float(check.real("ridge", self.ridge, least=LEAST_RIDGE, most=MOST_RIDGE))
        object.__setattr__(self, "ridge", ridge)
        check_field(self, "units", least=1, most=MOST_UNITS)
        check_field(self, "bits", least=4, most=30)

    @property
    def longest(self) -> Fraction:
        """How long a unit's gradient can be: L."""
        return Fraction(self.gradients.clip, GRADIENT_STEPS)

    @property
    def curvature(self) -> Fraction:
        """How large the trace of a unit's second derivatives can be, where a row has one score."""
        length = Fraction(self.gradients.encoding.longest, FEATURE_STEPS)
        slope = Fraction(self.slope, RESIDUAL_STEPS)
        return Fraction(find_curvature(self.gradients.residual)) * length * self.longest / slope

    @property
    def mass(self) -> Fraction:
        """How much all units weigh together at most, however many there are."""
        return self.units * (1 + EASE) ** 2 / (4 * EASE)

    @property
    def reach(self) -> Fraction:
        """How far from `-push / ridge` the minimum can be: |grad| <= mass * L there."""
        return self.mass * self.longest / Fraction(self.ridge)

    @cached_property
    def smoothness(self) -> float:
        """How fast the gradient of F can change: rounded up."""
        return float_up(Fraction(self.ridge) + self.mass * self.curvature)

    @cached_property
    def root(self) -> float:
        """The root of ridge / smoothness, rounded down: how fast the solver converges."""
        return rounded_down(lambda: (ball(self.ridge) / ball(self.smoothness)).sqrt())

    @cached_property
    def steps(self) -> int:
        """What a weight of 1 is in whole steps: a power of 2, so that L / ridge is from 2^16 to 2^17 of them, about."""
        ratio = Fraction(self.ridge) / self.longest
        return 1 << max(0, FINENESS + ratio.numerator.bit_length() - ratio.denominator.bit_length())

    def weigh(self, units: int) -> Fraction:
        """Return the weight of each unit where there are so many: s(n) above."""
        expected = Fraction(self.units)
        half = expected * (Fraction(1, 2) + EASE) / EASE
        if units > half:
            return half / (2 * units)
        return min(Fraction(1), 1 - EASE * (units / expected - 1))

    def weigh_rows(self, rows: EncodedRows, offsets: Ints) -> Floats:
        """Return the weight of each row: s(n) times its unit's c, rounded down."""
        totals = np.add.reduceat(rows.lengths, offsets[:-1]) if len(offsets) > 1 else np.zeros(0, dtype=np.int64)
        allowed = self.gradients.clip // self.slope
        shares = np.where(totals > allowed, np.nextafter(allowed / np.maximum(totals, 1), 0.0), 1.0)
        return np.asarray(np.repeat(shares * float(self.weigh(len(totals))), np.diff(offsets)))

    def describe(self) -> Json:
        """Return the form of the objective."""
        return {
            "gradients": self.gradients.describe(),
            "slope": self.slope,
            "ridge": repr(self.ridge),
            "units": self.units,
            "bits": self.bits,
        }
