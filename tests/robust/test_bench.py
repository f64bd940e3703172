"""What `bench/robust.py` simulates by quicker ways has the law of what the library does."""

from __future__ import annotations

import sys
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from discreet.base.cells import Cells
from discreet.curator.door.clipping import Clip, Norm, clip_vectors
from discreet.curator.door.resampling import CHANCES
from discreet.curator.door.unit_functions import ColumnOffsets, ColumnSums, PieceCounts, apply_function
from discreet.mechanisms import Laplace
from discreet.mechanisms.quantile import Quantile

BENCH = Path(__file__).parents[2] / "bench"
DRAWS = 20_000


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what imports a file of the benchmark."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(BENCH)])
    return import_module


@pytest.mark.slow
@pytest.mark.parametrize(
    ("points", "people", "chance", "share", "epsilon"),
    [
        pytest.param(12, 9, 0.3, Fraction(1, 2), 0.5, id="gaps and ties"),
        pytest.param(12, 9, 0.3, Fraction(9, 10), 0.5, id="a share that is not half"),
        pytest.param(6, 40, 0.3, Fraction(1, 2), 1.0, id="many ties"),
        pytest.param(100, 200, 0.04, Fraction(1, 2), 1.0, id="points that are out of reach"),
    ],
)
def test_points_near_a_quantile_are_drawn_by_the_curators_law(
    bench: Any, points: int, people: int, chance: float, share: Fraction, epsilon: float
) -> None:
    quantiles, rng = bench("robust_quantiles"), np.random.default_rng(people)
    values = np.minimum(rng.geometric(chance, people), points) - 1
    draw = Quantile(share, points, epsilon, 1, Fraction(0))
    rows = quantiles.SortedSamples.of(np.tile(values.astype(np.int32), (DRAWS, 1)))
    ours = np.bincount(quantiles.draw_near(rows, draw, rng), minlength=points)
    cells = Cells(*np.unique(values, return_counts=True))
    theirs = np.bincount([draw.release(cells).value for _ in range(DRAWS)], minlength=points)
    seen = ours + theirs >= 10
    assert seen.sum() > 1
    assert stats.chi2_contingency([ours[seen], theirs[seen]]).pvalue > 1e-9
    turned = np.roll(ours, 1)
    both = turned + theirs >= 10
    assert stats.chi2_contingency([turned[both], theirs[both]]).pvalue < 1e-9, "a point beside it is another law"


def test_sums_of_a_desk_are_those_of_the_curator(bench: Any) -> None:
    noise, rng = bench("robust_noise"), np.random.default_rng(4)
    values = rng.normal(0, 10, (500, 1))
    pieces, once = PieceCounts((-5.0, 0.0, 0.5, 20.0)), Clip(1, 1)
    for function, clip in ((pieces, once), (ColumnSums(1), Clip(8, 1)), (ColumnOffsets((2.5,)), Clip(70, 0.1))):
        vectors = apply_function(function, function.dimension, values, np.arange(501))
        exact = clip_vectors(vectors, clip, Norm.L1).sum(axis=0)
        assert noise.sum_exactly(values, function, clip, Laplace(1.0)).tolist() == exact.tolist()


def test_weights_of_people_have_the_curators_law(bench: Any) -> None:
    regression = bench("robust_regression")
    looked_up = np.bincount(regression.WEIGHTS.astype(int), minlength=len(CHANCES)) / len(regression.WEIGHTS)
    assert np.abs(looked_up - np.array(CHANCES) / sum(CHANCES)).max() < 2e-5
