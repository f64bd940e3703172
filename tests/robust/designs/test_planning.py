"""Designs of studies: power grows with people and epsilon, and nothing is charged for it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from discreet.base.errors import DiscreetError
from discreet.mechanisms import Laplace
from discreet.robust import (
    MeanDesign,
    ShareDesign,
    SurvivalDesign,
    TableDesign,
    VarianceDesign,
    people_needed,
    plot_power,
    power,
)
from discreet.robust.testing.ranks import explain_equal_ranks


def test_power_grows_with_people_and_with_epsilon() -> None:
    shares = ShareDesign((0.3, 0.4), epsilon=1.0)
    assert power(shares, 100) < power(shares, 400) < power(shares, 2_000)
    means = [MeanDesign((50, 52), 10, (0, 100), epsilon) for epsilon in (0.1, 1.0, 10.0)]
    found = [power(each, 1_500) for each in means]
    assert found[0] < found[1] < found[2]
    assert power(MeanDesign((50, 50), 10, (0, 100), 1.0), 1_500) <= 0.06


def test_with_little_noise_power_is_that_of_the_classical_test() -> None:
    """Two groups of 392 people, a fifth of a deviation apart, have power 80 % without noise; bounds cost a little."""
    assert 0.72 < power(MeanDesign((50, 52), 10, (0, 100), 1000.0), 784) < 0.82
    assert 0.70 < power(ShareDesign((0.5, 0.6), 1000.0), 776) < 0.82


def test_people_needed_reach_the_power_and_few_less_do_not() -> None:
    design = ShareDesign((0.5, 0.6), epsilon=1.0, groups=1)
    needed = people_needed(design, 0.8)
    assert power(design, needed) >= 0.8
    assert power(design, needed * 9 // 10) < 0.8
    assert needed > people_needed(ShareDesign((0.5, 0.6), epsilon=100.0, groups=1), 0.8)
    assert people_needed(MeanDesign((50, 60), 10, (0, 100), 1.0, groups=1)) < 200


def test_designs_that_are_none_are_refused() -> None:
    for wrong in (
        lambda: MeanDesign((50, 52), 10, (100, 0), 1.0),
        lambda: MeanDesign((50, 152), 10, (0, 100), 1.0),
        lambda: MeanDesign((50, 52), 0, (0, 100), 1.0),
        lambda: MeanDesign((50, 52, 54), 10, (0, 100), 1.0),  # type: ignore[arg-type]
        lambda: MeanDesign((50, 52), 10, (0,), 1.0),  # type: ignore[arg-type]
        lambda: ShareDesign((0.5,), 1.0),  # type: ignore[arg-type]
        lambda: ShareDesign((0.0, 0.5), 1.0),
        lambda: ShareDesign((0.1, 0.5), 0),
        lambda: ShareDesign((0.1, 0.5), 1.0, groups=3),
        lambda: power(ShareDesign((0.1, 0.5), 1.0), 1),
        lambda: people_needed(ShareDesign((0.5, 0.5), 1.0)),
        lambda: people_needed(ShareDesign((0.1, 0.5), 1.0), 1.0),
        lambda: plot_power([], [10, 20]),
    ):
        with pytest.raises(DiscreetError):
            wrong()


def test_power_is_drawn(tmp_path: Path) -> None:
    plot_power([ShareDesign((0.3, 0.4), e) for e in (0.1, 1.0)], [100, 1_000], tmp_path / "power.png")
    assert (tmp_path / "power.png").stat().st_size > 1_000


EQUAL = (-0.34, 0.25, 0.75, 1.34)
"""Cuts that leave about a fifth of all people in each bin, of three normal groups half a deviation apart."""


def test_few_more_people_are_needed_by_ranks_than_in_public() -> None:
    """Without noise Kruskal and Wallis' test needs 97 people to find these groups with power 95 %."""
    design = TableDesign.of_normal((0.0, 0.5, 1.0), 1.0, EQUAL, epsilon=1.0)
    needed = people_needed(design, 0.95)
    assert 1.2 * 97 < needed < 1.9 * 97
    assert people_needed(TableDesign.of_normal((0.0, 0.5, 1.0), 1.0, EQUAL, epsilon=1000.0), 0.95) < 1.2 * 97
    rng = np.random.default_rng(9)
    counted = design.draw(300, 400, rng).sum(axis=(1, 2))
    assert 4 < np.std(counted) < 7, "15 noises of scale 1: these are noisy counts"
    p_values, _ = explain_equal_ranks(design.draw(needed, 400, rng), Laplace(1.0), 199)
    assert np.mean(p_values <= 0.05) > 0.95 - 4 * np.sqrt(0.05 * 0.95 / 400)


@pytest.mark.slow
def test_other_tests_on_cells_and_groups_have_designs() -> None:
    for test in ("mann_whitney", "kolmogorov_smirnov", "chi_square"):
        design = TableDesign.of_normal((0.0, 0.5), 1.0, EQUAL, 1.0, test)
        assert power(design, 60) < power(design, 200) < power(design, 600)
        assert power(TableDesign.of_normal((0.0, 0.0), 1.0, EQUAL, 1.0, test), 600) <= 0.06
    uneven = TableDesign(((0.5, 0.5), (0.4, 0.6)), 1.0, parts=(0.9, 0.1))
    assert power(uneven, 1_000) < power(TableDesign(((0.5, 0.5), (0.4, 0.6)), 1.0), 1_000)
    variance = VarianceDesign((50, 52, 54), 10, (0, 100), 1.0)
    assert power(variance, 400) < power(variance, 1_500)
    assert power(VarianceDesign((50, 50, 50), 10, (0, 100), 1.0), 1_500) <= 0.06
    lives = SurvivalDesign((0.1, 0.15), 6, 1.0, leaving=0.05)
    assert power(lives, 200) < power(lives, 600)
    assert power(SurvivalDesign((0.1, 0.1), 6, 1.0), 600) <= 0.06
    assert "hazards 0.1 and 0.15" in lives.words


def test_designs_of_cells_and_groups_that_are_none_are_refused() -> None:
    for wrong in (
        lambda: TableDesign(((0.5, 0.5),), 1.0),
        lambda: TableDesign(((1.0,), (1.0,)), 1.0),
        lambda: TableDesign(((0.5, 0.5), (0.2, 0.3, 0.5)), 1.0),
        lambda: TableDesign(((0.5, 0.5), (0.5, 0.4)), 1.0),
        lambda: TableDesign(((0.5, 0.5), (1.5, -0.5)), 1.0),
        lambda: TableDesign(((0.5, 0.5), (0.4, 0.6)), 1.0, test="median"),
        lambda: TableDesign(((0.5, 0.5),) * 3, 1.0, test="mann_whitney"),
        lambda: TableDesign(((0.5, 0.5), (0.4, 0.6)), 1.0, parts=(0.2, 0.3, 0.5)),
        lambda: TableDesign(((0.5, 0.5), (0.4, 0.6)), 0.0),
        lambda: people_needed(TableDesign(((0.5, 0.5), (0.5, 0.5)), 1.0)),
        lambda: VarianceDesign((50,), 10, (0, 100), 1.0),
        lambda: VarianceDesign((50, 200), 10, (0, 100), 1.0),
        lambda: people_needed(VarianceDesign((50, 50), 10, (0, 100), 1.0)),
        lambda: SurvivalDesign((0.1, 1.0), 6, 1.0),
        lambda: SurvivalDesign((0.1, 0.2), 0, 1.0),
        lambda: people_needed(SurvivalDesign((0.1, 0.1), 6, 1.0)),
    ):
        with pytest.raises(DiscreetError):
            wrong()
