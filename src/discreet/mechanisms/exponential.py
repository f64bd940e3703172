"""The exponential mechanism, over lists and over huge ranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from discreet import noise
from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.wide import integers
from discreet.mechanisms.selection import Selection, union_shortfall
from discreet.privacy import BoundedRangeLoss, Loss


@dataclass(frozen=True)
class Exponential(Selection):
    """Chooses candidate r with probability proportional to exp(score(r) / scale), exactly.

    Theorem (McSherry, Talwar 2007): with scores of sensitivity d it is (2d / scale)-differentially private, and
    (d / scale)-differentially private if the scores are monotone; its loss even has that bounded range (Durfee,
    Rogers 2019). Drawn as the argmax of scores with exact Gumbel noise, which has that distribution.
    """

    def release(self, scores: Any) -> int:
        """Return the index of the chosen candidate."""
        return noise.gumbel_argmax(self._scores(scores), self.scale)

    def release_several(self, scores: Any, count: int) -> tuple[int, ...]:
        """Return the indices of `count` different candidates: one chosen, then another one of the others, and so on.

        Theorem (Durfee, Rogers 2019): these have the distribution of the `count` largest scores with Gumbel noise that
        is added once, largest first. Their loss is that of `count` selections, composed.
        """
        points = self._scores(scores)
        rounds = check.integer("count", count, least=1, most=len(points))
        left = np.arange(len(points))
        chosen = []
        for _ in range(rounds):
            place = noise.gumbel_argmax(points[left], self.scale)
            chosen.append(int(left[place]))
            left = np.delete(left, place)
        return tuple(chosen)

    def release_from(self, edges: Sequence[int], scores: Any) -> int:
        """Return a chosen integer of the public range from edges[0] up to, not including, edges[-1].

        Piece i holds the integers from edges[i] up to, not including, edges[i + 1], all with scores[i]; the time
        depends on the number of pieces, not on their size. A piece weighs as much as it is wide, and inside it all
        integers are alike. The inner edges may come from the data: those out of order or of range make empty pieces.
        """
        steps = self._scores(scores)
        bounds = _rising_edges(edges)
        widths = [after - before for before, after in pairwise(bounds)]
        if len(widths) != len(steps):
            raise ParameterError("edges", len(bounds), f"one more than the scores, {len(steps) + 1}")
        full = [piece for piece, width in enumerate(widths) if width > 0]
        chosen = full[noise.gumbel_argmax(steps[full], self.scale, [widths[piece] for piece in full])]
        return bounds[chosen] + int(noise.uniform_int(widths[chosen]))

    def shortfall(self, confidence: float, candidates: int, best: int = 1) -> float:
        """Return how far the chosen score may fall short of the best, with this confidence.

        Theorem (McSherry, Talwar 2007): score > OPT - scale * (ln(|R| / |R_OPT|) + t) except with probability e^-t,
        where `best` of the `candidates` attain OPT.
        """
        return self._units(union_shortfall(self.scale, confidence, candidates, best))

    def _loss(self, epsilon: Fraction) -> Loss:
        return BoundedRangeLoss(epsilon)


def _rising_edges(edges: Sequence[int]) -> list[int]:
    """Return the edges in order: each held between the ones before it and the last."""
    whole = integers("edges", list(edges))
    if isinstance(whole, int) or whole.ndim != 1 or len(whole) < 2:
        raise ParameterError.of_data("edges", edges, "a list of at least two integers")
    last = int(whole[-1])
    if int(whole[0]) >= last:
        raise ParameterError.of_data("edges", edges, "such that the first is below the last")
    return list(accumulate((min(int(edge), last) for edge in whole), max))
