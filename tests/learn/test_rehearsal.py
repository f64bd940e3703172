"""A rehearsal: the draws that learning makes, checked and added up, before anything is charged or read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator.door.test_moments import PLAN
from discreet.base.errors import OperationError, ParameterError
from discreet.curator.door.moments import RowMoments
from discreet.gradients.encoding import Encoding, LabelColumn, PlaceFeature
from discreet.gradients.sums import LinearGradients, Weights
from discreet.learn.allowance import read_gaussian_allowance
from discreet.learn.components import fit_components
from discreet.learn.from_table import prepare_training
from discreet.learn.rehearsal import Rehearsal
from discreet.learn.source import MemorySource
from discreet.mechanisms import Gaussian
from support.clinic import open_clinic
from support.learning import DESCENTS, DRAWS, SUMS

Draw = tuple[str, int, float]


class NotedRehearsal(Rehearsal):
    """Notes the clip and noise of every draw."""

    noted: list[Draw]

    def draw_gradients(self, gradients: LinearGradients, weights: Weights, noise: Gaussian) -> Sequence[int]:
        self.noted.append(("gradients", gradients.clip, noise.sigma))
        return super().draw_gradients(gradients, weights, noise)

    def draw_moments(self, moments: RowMoments, noise: Gaussian) -> Sequence[int]:
        self.noted.append(("moments", moments.clip, noise.sigma))
        return super().draw_moments(moments, noise)


class NotedRows(MemorySource):
    """Notes the same of draws over rows."""

    noted: list[Draw]

    def draw_gradients(self, gradients: LinearGradients, weights: Weights, noise: Gaussian) -> Sequence[int]:
        self.noted.append(("gradients", gradients.clip, noise.sigma))
        return super().draw_gradients(gradients, weights, noise)

    def draw_moments(self, moments: RowMoments, noise: Gaussian) -> Sequence[int]:
        self.noted.append(("moments", moments.clip, noise.sigma))
        return super().draw_moments(moments, noise)


def note_draws(folder: Path, kind: str, how: dict[str, Any], rows: int = 60) -> tuple[list[Draw], list[Draw]]:
    """Return what a rehearsal draws, and what is drawn over some rows."""
    given = {name: how[name] for name in ("target", "features") if name in how}
    settings = {name: value for name, value in how.items() if name not in given}
    with open_clinic(folder) as curator:
        training = prepare_training(curator.session(), kind, "visits", epsilon=1, settings=settings, **given)
    points = np.random.default_rng(1).integers(-5, 5, (rows, len(training.plan.columns)))
    held = NotedRows(points, factor=training.plan.factor, most_rows=training.plan.rows)
    rehearsed, found = NotedRehearsal(training.plan), list[list[Draw]]()
    sources: list[Any] = [rehearsed, held]
    for source in sources:
        source.noted = []
        training.learner.measure(source, training.subject, training.encoding, training.allowance)
        found.append(source.noted)
    return found[0], found[1]


@pytest.mark.many
@pytest.mark.parametrize("kind", SUMS)
def test_the_draws_of_sums_are_those_of_the_rehearsal(tmp_path: Path, kind: str) -> None:
    rehearsed, drawn = note_draws(tmp_path, kind, SUMS[kind])
    assert rehearsed == drawn
    assert len(drawn) == DRAWS[kind]


@pytest.mark.parametrize("rows", [0, 60])
@pytest.mark.parametrize("kind", DESCENTS)
def test_no_draw_of_a_descent_has_a_wider_clip_or_more_noise_than_in_the_rehearsal(
    tmp_path: Path, kind: str, rows: int
) -> None:
    rehearsed, drawn = note_draws(tmp_path, kind, DESCENTS[kind], rows)
    assert len(rehearsed) == len(drawn)
    for (sort, clip, sigma), (other, own, less) in zip(rehearsed, drawn, strict=True):
        assert sort == other
        assert own <= clip
        assert less <= sigma


def test_what_the_desk_would_refuse_is_refused() -> None:
    label, allowance = LabelColumn(0, 0, 1, 0, 0), read_gaussian_allowance(1.0, 1e-6)
    with pytest.raises(OperationError, match="at most 1,048,576 entries"):
        fit_components(Rehearsal(PLAN), Encoding((PlaceFeature(0, 1500),), label), 1, allowance)
    with pytest.raises(OperationError, match="and the plan has 2"):
        fit_components(Rehearsal(PLAN), Encoding((PlaceFeature(7, 3),), label), 1, allowance)
    with pytest.raises(ParameterError, match="more noise than can be drawn"):
        fit_components(
            Rehearsal(PLAN), Encoding((PlaceFeature(0, 3),), label), 1, read_gaussian_allowance(1e-10, 1e-12)
        )


def test_time_is_that_of_all_draws_together() -> None:
    label, allowance = LabelColumn(0, 0, 1, 0, 0), read_gaussian_allowance(1.0, 1e-6)
    encoding = Encoding((PlaceFeature(0, 3),), label)
    once = Rehearsal(PLAN)
    fit_components(once, encoding, 1, allowance)
    often = Rehearsal(replace(PLAN, rows=20_000))
    for _ in range(10):
        fit_components(often, encoding, 1, allowance)
    assert often.row_time == 10 * once.row_time
    once.check_time()
    with pytest.raises(OperationError, match="time would tell"):
        often.check_time()
