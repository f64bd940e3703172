"""A counter that returns what a script says, and adds up how likely that was on its table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from discreet.curator.door.cells import GapScore
from discreet.families.domain import CellSource, Domain
from discreet.families.family import Family
from discreet.mechanisms import Laplace, PermuteAndFlip
from discreet.query.choices import PickNoise
from discreet.query.draws import VectorNoise
from discreet.synthetic.counter import CellCounter


@dataclass
class ScriptedCounter(CellCounter):
    """Answers from a script of random numbers, the same whatever the table; `log_likelihood` is what differs.

    Noisy answers are `centre` plus scripted noise. Laplace noise of one scale has a normaliser that does not depend on
    the table, so it is left out.
    """

    source: CellSource
    random: np.random.Generator
    centre: float = 1.0
    rows: int = 1
    factor: int = 1
    total: int | None = None
    log_likelihood: float = 0.0
    calls: list[str] = field(default_factory=list)

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return self.source.domain

    def draw_counts(self, family: Family, noise: VectorNoise) -> Sequence[int]:
        assert isinstance(noise, Laplace)
        truth = family.answer(0, self.source.project(family.find_columns(0))).tolist()
        spread = self.random.laplace(0.0, 2 * noise.scale + 3, len(truth))
        found = [round(self.centre + float(each)) for each in spread]
        self.log_likelihood -= sum(abs(a - b) for a, b in zip(found, truth, strict=True)) / noise.scale
        self.calls.append(f"count {family.find_columns(0)} {noise.scale}")
        return found

    def draw_group(self, score: GapScore, pick: PickNoise) -> int:
        assert isinstance(pick, PermuteAndFlip)
        scores = score.rate(score.family.answer_all(self.source))
        place = int(self.random.integers(len(scores)))
        self.log_likelihood += math.log(permute_and_flip(scores, pick.scale)[place])
        self.calls.append(f"choose {score.groups} {pick.scale}")
        return score.groups[place]


def permute_and_flip(scores: Sequence[int], scale: float) -> list[float]:
    """Return how likely each candidate is: p_i times the integral over t of the product of all 1 - p_j t but its own.

    A candidate at position t of a random order wins if its coin falls right and those of all before it do not; each
    other is before it with probability t, apart from the rest.
    """
    best = max(scores)
    heads = [math.exp((score - best) / scale) for score in scores]
    found = []
    for place, head in enumerate(heads):
        product = np.polynomial.Polynomial([1.0])
        for other, chance in enumerate(heads):
            if other != place:
                product = product * np.polynomial.Polynomial([1.0, -chance])
        found.append(head * float(product.integ()(1.0)))
    return found
