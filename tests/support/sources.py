"""Sources of noisy sums that note what each draw costs."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.base.wide import Ints
from discreet.curator.door.moments import RowMoments
from discreet.gradients.sums import LinearGradients, Weights
from discreet.learn.source import MemorySource
from discreet.mechanisms import Gaussian


class CountingSource(MemorySource):
    """Rows in memory; `rho` is what all draws so far cost, from the clips and the noises themselves."""

    def __init__(self, points: Ints, offsets: Ints | None = None, factor: int = 1) -> None:
        super().__init__(points, offsets, factor)
        self.rho = 0.0

    def draw_gradients(self, gradients: LinearGradients, weights: Weights, noise: Gaussian) -> Sequence[int]:
        """Return the sum, and note its cost."""
        self.rho += (self.factor * gradients.clip / noise.sigma) ** 2 / 2
        return super().draw_gradients(gradients, weights, noise)

    def draw_moments(self, moments: RowMoments, noise: Gaussian) -> Sequence[int]:
        """Return the sum, and note its cost."""
        self.rho += (self.factor * moments.clip / noise.sigma) ** 2 / 2
        return super().draw_moments(moments, noise)
