"""Quantiles: what data and parameters they take."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.mechanisms import Quantile
from discreet.mechanisms.quantile import Drawn
from discreet.noise.bits import replayed
from support.sampling import GeneratorBits, ScriptedBits

HALF = Fraction(1, 2)


def test_one_release_serves_every_confidence() -> None:
    drawn = Drawn(5, 10, HALF, 2.0, (30, 9, 4, 50, 6, 8, 40))
    ends = [drawn.interval(confidence) for confidence in (0.5, 0.9, 0.99, 0.999, 1 - 1e-11)]
    assert all(a[0] >= b[0] and a[1] <= b[1] for a, b in pairwise(ends)), "the surer, the wider"
    assert ends[-1] == (0, 9)
    assert drawn.interval(0.95, values=50) == drawn.interval(0.999)
    assert Drawn(5, 10, HALF).interval(0.5) == (0, 9), "without counts there is none"


def test_points_beyond_the_grid_count_at_its_ends_and_order_does_not_matter() -> None:
    forms: list[dict[Any, Any]] = [
        {0: 5, 9: 7, 4: 1},
        {4: 1, 9: 7, 0: 5},
        {-3: 2, 0: 3, 4: 1, 10**30: 4, 9: 3, 7: -5},
        {np.int64(0): np.int16(5), 9: 7, 4: True, 2: None},
    ]
    told = []
    for cells in forms:
        with replayed(GeneratorBits(5)):
            told.append([Quantile(HALF, 10, 0.7).release(cells) for _ in range(20)])
    assert told == [told[0]] * len(forms)


def test_numbers_of_any_size() -> None:
    with replayed(GeneratorBits(5)):
        faint = Quantile(HALF, 100, 1e-11, 50).release({3: 5, 7: 2**40})
    assert 0 <= faint.value < 100
    assert faint.interval(0.95) == (0, 99)
    far = Quantile(HALF, 10**30, 5.0).release({10**29: 10**25, 10**28: 3, 5: 10**24})
    assert far.value == 10**29
    assert far.interval(0.95) == (10**29, 10**29)
    fine = Quantile(Fraction(1, 10**40), 100, 5.0, sides=Fraction(0))
    assert 0 <= fine.release({7: 3}).value < 100


@pytest.mark.parametrize(
    ("name", "named"),
    [
        *[("share", {"share": bad}) for bad in (-0.1, 1.1, math.nan, "1", None, True)],
        *[("points", {"points": bad}) for bad in (0, -1, 1.5, None, True)],
        *[("epsilon", {"epsilon": bad}) for bad in (0, -1, math.nan, math.inf, "1", None, 1e-320, 1e-200)],
        *[("rows", {"rows": bad}) for bad in (0, -1, 1.5, None)],
        *[("sides", {"sides": bad}) for bad in (-0.1, 1, math.nan, None)],
        *[("pure", {"pure": bad}) for bad in (0, 1, "yes", None)],
    ],
)
def test_senseless_parameters_are_refused_by_name(name: str, named: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=rf"^{name} must be"):
        Quantile(**{"share": HALF, "points": 10, "epsilon": 1.0, **named})


@pytest.mark.parametrize("cells", [[86420], None, {86420: 0.5}, {"86420": 1}, {86420.5: 1}, {(86420,): 1}, 86420])
def test_what_is_no_table_of_counts_is_refused_unquoted(cells: Any) -> None:
    with replayed(ScriptedBits([])), pytest.raises(ParameterError, match=r"^cells must be") as caught:
        Quantile(HALF, 10**6, 1.0).release(cells)
    assert "86420" not in str(caught.value)


def test_confidence_and_low_are_checked() -> None:
    for bad in (0, 1, math.nan):
        with pytest.raises(ParameterError, match=r"^confidence must be"):
            Drawn(5, 10, HALF).interval(bad)
    with pytest.raises(ParameterError, match=r"^low must be"):
        Quantile.extreme("yes", 10, 1.0)  # type: ignore[arg-type]
