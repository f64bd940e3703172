"""The staircase mechanism, on the integers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from discreet import noise
from discreet.base import check
from discreet.base.grid import Grid, declared
from discreet.base.rounding import ball, float_down, precision
from discreet.base.search import least_int
from discreet.base.wide import LIMIT, wide_array
from discreet.mechanisms.additive import Additive
from discreet.noise.coin import bernoulli_real
from discreet.privacy import Loss, PureLoss


@dataclass(frozen=True)
class Staircase(Additive):
    """Noise whose probabilities fall in stairs: one flight of `width` integers costs a factor e^-epsilon.

    Magnitude i lies on flight i // width; the first `tread` integers of a flight have the probability of that flight,
    the others already that of the next. With tread = width = 1 it is the discrete Laplace.

    Theorem (Geng, Viswanath 2014): on an integer of sensitivity `width` it is epsilon-differentially private for
    every tread, since the probability falls with |i| and by exactly e^-epsilon from i to i + width; for the best
    tread no additive noise has a smaller expected error. It beats Laplace noise where epsilon is large.
    """

    epsilon: float
    width: int
    tread: int
    grid: Grid | None = None
    dim: int = 1

    def __post_init__(self) -> None:
        epsilon = check.real("epsilon", self.epsilon, least=1e-15, most=1e6)
        width = check.integer("width", self.width, least=1, most=2**60)
        object.__setattr__(self, "width", width)
        object.__setattr__(self, "tread", check.integer("tread", self.tread, least=1, most=width))
        object.__setattr__(self, "epsilon", float_down(epsilon))
        declared(self.grid)
        object.__setattr__(self, "dim", check.integer("dim", self.dim, least=1))

    @classmethod
    def calibrate(cls, epsilon: float, sensitivity: float = 1, grid: Grid | None = None) -> Staircase:
        """Return the epsilon-differentially private staircase of least expected error at this sensitivity."""
        width = cls(1.0, 1, 1, grid)._steps_l1(sensitivity, 1)
        shape = cls(epsilon, width, 1, grid)
        treads = _candidate_treads(width, shape.epsilon)
        errors = [cls(epsilon, width, tread, grid).expected_error() for tread in treads]
        return cls(epsilon, width, treads[int(np.argmin(errors))], grid)

    def loss(self, sensitivity: float, dim: int | None = None) -> Loss:
        """Return the loss of one release: epsilon for every `width` or part of it, in each of `dim` numbers.

        Whole moves d_i that add up to D cost sum of ceil(d_i / width) <= min(D, ceil(D / width) + dim - 1) epsilons.
        """
        count = self.dim if dim is None else dim
        steps = self._steps_l1(sensitivity, count)
        flights = min(steps, -(-steps // self.width) + count - 1)
        return PureLoss(Fraction(self.epsilon) * flights)

    def expected_error(self) -> float:
        """Return the mean of |noise| in grid steps, as a float."""
        fall, width, tread = math.exp(-self.epsilon), self.width, self.tread
        keep = -math.expm1(-self.epsilon)
        flight = tread + (width - tread) * fall
        within = (tread * (tread - 1) * keep + width * (width - 1) * fall) / 2
        return 2 * (width * flight * fall / keep + within) / (2 * flight - keep)

    def _draw(self, shape: tuple[int, ...], wide: bool) -> NDArray[Any]:
        count = math.prod(shape)
        draws: NDArray[Any] = np.empty(count, dtype=object if wide else np.int64)
        missing = np.arange(count)
        while len(missing):
            magnitude = self._magnitudes(len(missing), wide)
            negative = noise.bernoulli(Fraction(1, 2), len(missing))
            draws[missing] = np.where(negative, -magnitude, magnitude)
            missing = missing[negative & (magnitude == 0)]  # 0 has one sign, not two
        return draws.reshape(shape)

    def _magnitudes(self, count: int, wide: bool) -> NDArray[Any]:
        """Draw i >= 0 with the probabilities of the stairs, 0 still counted for both signs."""
        flights = noise.geometric(1 / Fraction(self.epsilon), count, wide=wide)
        inside = noise.uniform_int(self.tread, count)
        if self.tread < self.width:
            later = bernoulli_real(self._later_share, count)
            inside[later] = self.tread + noise.uniform_int(self.width - self.tread, int(later.sum()))
        if wide:
            return np.asarray(flights * self.width + wide_array(inside.tolist(), inside.shape))
        # Past 2 * LIMIT all noise saturates alike, so flights beyond it need not be told apart.
        return np.asarray(np.minimum(flights, 2 * LIMIT // self.width + 1) * self.width + inside)

    def _later_share(self) -> arb:
        """Return the probability that a magnitude lies on the later part of its flight."""
        later = (self.width - self.tread) * (-ball(self.epsilon)).exp()
        return later / (self.tread + later)

    def tail_ball(self, start: int) -> arb:
        """Return a ball around Pr[|noise| >= start], for start >= 1."""
        fall = (-ball(self.epsilon)).exp()
        flight = self.tread + (self.width - self.tread) * fall
        number, inside = divmod(start, self.width)
        rest = max(0, self.tread - inside) + min(self.width - self.tread, self.width - inside) * fall
        power = (-ball(self.epsilon) * number).exp()
        return 2 * power * (rest * (1 - fall) + fall * flight) / (2 * flight - (1 - fall))

    def _half_width(self, miss: Callable[[], arb]) -> int:
        def covered(steps: int) -> bool:
            with precision():
                return bool(self.tail_ball(steps + 1) <= miss())

        with precision():
            guess = float(-miss().log() / ball(self.epsilon)) * self.width
        return least_int(covered, start=math.floor(guess))


def _candidate_treads(width: int, epsilon: float) -> list[int]:
    """Return treads among which the best lies: all of them, or those around the continuous optimum.

    In the continuum the best share is 1 / (1 + e^(epsilon/2)) (Geng, Viswanath 2014); a miss costs accuracy only.
    """
    if width <= 512:
        return list(range(1, width + 1))
    center = round(width / (1 + math.exp(min(epsilon / 2, 700))))
    return sorted({min(max(center + shift, 1), width) for shift in range(-200, 201)})
