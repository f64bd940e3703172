"""How far apart two values are that few changes of the data would bring side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.mechanisms.robust.sorted_values import SortedValues


@dataclass(frozen=True, slots=True, eq=False)
class OrderGaps:
    """Pairs of ranks u <= first and v >= last: their gap x_v - x_u, and the cost of bringing them to the center.

    j ranks outward cost max(0, unit * j - slack), with a slack in [0, unit) for each side; the cost of a pair is that
    of both sides. What the statistics prove: if the data change by one value, each pair finds another one of at least
    its gap that costs at most `unit` more. So `unit` is the cost of one change.
    """

    ordered: SortedValues
    first: int
    last: int
    unit: int = 1
    slacks: tuple[int, int] = (0, 0)

    def find_widest(self, allowed: int) -> int:
        """Return the widest gap that costs no more than this."""
        left, right = self.slacks
        most = min(max(self.first, 0), (allowed + left) // self.unit)
        outward = np.arange(most + 1, dtype=np.int64)
        rest = allowed - np.maximum(self.unit * outward - left, 0)
        outer = self.last + (rest + right) // self.unit
        gaps = self.ordered.take(outer) - self.ordered.take(self.first - outward)
        return int(gaps.max())

    def find_cost(self, gap: int) -> int | None:
        """Return the least cost of a pair that is further apart than this; nothing where the bounds are not."""
        if self.ordered.high - self.ordered.low <= gap:
            return None
        left, right = self.slacks
        outward = np.arange(max(self.first, 0) + 1, dtype=np.int64)
        lower = self.ordered.take(self.first - outward)
        near = lower + gap < self.ordered.high
        outward, lower = outward[near], lower[near]
        beyond = np.maximum(self.ordered.first_rank_above(lower + gap) - self.last, 0)
        costs = np.maximum(self.unit * outward - left, 0) + np.maximum(self.unit * beyond - right, 0)
        return int(costs.min())
