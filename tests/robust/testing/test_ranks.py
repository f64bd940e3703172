"""Tests by ranks on noisy cells: the classical ones without noise, seldom wrong with it, and silent where few are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.mechanisms import Gaussian, Laplace
from discreet.robust.intervals.laws import Booleans, SumNoise
from discreet.robust.testing import contingency
from discreet.robust.testing.contingency import COUNT_MISS, bound_people, draw_noise
from discreet.robust.testing.rank_effects import bound_gap, bound_signs, bound_superiority
from discreet.robust.testing.ranks import (
    explain_curve,
    explain_equal_curves,
    explain_equal_ranks,
    explain_symmetry,
    measure_curve,
    measure_gap,
    measure_ranks,
    measure_signs,
)

RUNS, DRAWS = 600, 99
ALLOWED = 0.06 + 4 * np.sqrt(0.05 * 0.95 / RUNS)
COVERED = 0.94 - 4 * np.sqrt(0.05 * 0.95 / 2_000)
SILENT = Laplace(1e-6)

SHARES = (0.02, 0.28, 0.4, 0.2, 0.1)
SHIFTED = (0.01, 0.15, 0.3, 0.29, 0.25)
AROUND = (0.05, 0.1, 0.25, 0.2, 0.25, 0.1, 0.05)
ASIDE = (0.02, 0.06, 0.17, 0.2, 0.33, 0.14, 0.08)

TABLE = np.array([[8.0, 20.0, 11.0, 3.0], [5.0, 9.0, 14.0, 6.0], [2.0, 6.0, 9.0, 12.0]])


def spread(cells: Floats) -> list[Floats]:
    """Return the people of each group of cells, each with its bin as value."""
    return [np.repeat(np.arange(cells.shape[-1]), row.astype(int)).astype(float) for row in cells]


def draw_table(rows: tuple[tuple[float, ...], ...], sizes: tuple[int, ...], noise: SumNoise, runs: int) -> Floats:
    rng = np.random.default_rng(4)
    drawn = np.stack([rng.multinomial(size, row, runs) for size, row in zip(sizes, rows, strict=True)], axis=-2)
    return drawn + draw_noise(noise, drawn.shape, rng)


def test_without_noise_the_statistics_are_the_classical_ones() -> None:
    people = TABLE.sum()
    kruskal = stats.kruskal(*spread(TABLE)).statistic
    assert measure_ranks(TABLE, SILENT) * (people - 1) / people == pytest.approx(kruskal)
    two = TABLE[:2]
    sizes = two.sum(axis=-1)
    gap = stats.ks_2samp(*spread(two)).statistic
    assert measure_gap(two, SILENT) == pytest.approx(gap * sizes.prod() / sizes.sum())
    around = np.array([4.0, 15.0, 30.0, 12.0, 41.0, 20.0, 9.0])
    (bins,) = spread(around[None])
    signed = stats.wilcoxon(bins - 3, zero_method="wilcox", correction=False, method="asymptotic").zstatistic
    assert measure_signs(around, SILENT) == pytest.approx(abs(signed), rel=0.01)
    away = np.abs(around.cumsum() / around.sum() - np.cumsum(AROUND)).max()
    assert measure_curve(around, AROUND) == pytest.approx(away * around.sum())


Explained = Callable[[Floats, SumNoise], tuple[Floats, Booleans]]

TESTS: dict[str, tuple[Explained, tuple[tuple[float, ...], ...], tuple[tuple[float, ...], ...], tuple[int, ...]]] = {
    "kruskal-wallis": (
        lambda cells, noise: explain_equal_ranks(cells, noise, DRAWS),
        (SHARES, SHARES, SHARES),
        (SHARES, SHARES, SHIFTED),
        (200, 300, 500),
    ),
    "mann-whitney": (
        lambda cells, noise: explain_equal_ranks(cells, noise, DRAWS),
        (SHARES, SHARES),
        (SHARES, SHIFTED),
        (300, 700),
    ),
    "kolmogorov-smirnov": (
        lambda cells, noise: explain_equal_curves(cells, noise, DRAWS),
        (SHARES, SHARES),
        (SHARES, SHIFTED),
        (300, 700),
    ),
    "kolmogorov": (
        lambda cells, noise: explain_curve(cells[:, 0], SHARES, noise, DRAWS),
        (SHARES,),
        (SHIFTED,),
        (1_000,),
    ),
    "wilcoxon": (lambda cells, noise: explain_symmetry(cells[:, 0], noise, DRAWS), (AROUND,), (ASIDE,), (1_000,)),
}


@pytest.mark.many
@pytest.mark.parametrize("noise", [Laplace(1.0), Laplace(8.0), Gaussian(5.0)])
@pytest.mark.parametrize("test", list(TESTS))
def test_what_is_true_is_seldom_rejected_and_other_things_often(test: str, noise: SumNoise) -> None:
    explain, true, other, sizes = TESTS[test]
    p_values, enough = explain(draw_table(true, sizes, noise, RUNS), noise)
    assert enough.mean() > 0.9
    assert np.mean(p_values <= 0.05) <= ALLOWED
    p_values, _ = explain(draw_table(other, sizes, noise, 100), noise)
    assert np.mean(p_values <= 0.05) > 0.9


def test_groups_of_a_few_dozen_people_are_seldom_rejected() -> None:
    for noise in (Laplace(1.0), Laplace(0.1)):
        cells = draw_table((SHARES, SHARES), (20, 40), noise, RUNS)
        for explain in (explain_equal_ranks, explain_equal_curves):
            assert np.mean(explain(cells, noise, DRAWS)[0] <= 0.05) <= ALLOWED


NOTHING: dict[str, Floats] = {
    "nobody": np.zeros((2, 5)),
    "one person": np.array([[0.0, 0, 1, 0, 0], [0, 0, 0, 0, 0]]),
    "an empty group": np.array([[40.0, 70, 90, 60, 50], [0, 0, 0, 0, 0]]),
    "all in one bin": np.array([[0.0, 300, 0, 0, 0], [0, 200, 0, 0, 0]]),
    "fewer than nobody": np.full((2, 5), -3.0),
}


@pytest.mark.parametrize("cells", list(NOTHING.values()), ids=list(NOTHING))
@pytest.mark.parametrize("noise", [Laplace(0.2), Laplace(50.0), Gaussian(3.0)])
def test_nothing_is_told_where_too_few_people_are(cells: Floats, noise: SumNoise) -> None:
    for found in (explain_equal_ranks(cells[None], noise), explain_equal_curves(cells[None], noise)):
        assert [each.tolist() for each in found] == [[1.0], [False]]
    none = np.array([0.0, 0, 900, 0, 0])
    assert [each.tolist() for each in explain_symmetry(none[None], noise)] == [[1.0], [False]]
    assert [each.tolist() for each in explain_curve(0 * none[None], SHARES, noise)] == [[1.0], [False]]
    for ends in (bound_superiority(cells[0], cells[1], noise, 0.05), bound_gap(cells[None], None, noise, 0.05)):
        assert all(0 <= float(np.asarray(each).item()) <= 1 for each in ends)
    assert all(-1 <= float(each) <= 1 for each in bound_signs(cells[0], noise, 0.05))


def test_a_p_value_counts_what_the_number_of_people_may_miss() -> None:
    far = np.array([[[300.0, 0, 0], [0, 0, 300.0]]])
    assert explain_equal_ranks(far, Laplace(1.0), 999)[0][0] == pytest.approx(1 / 1_000 + COUNT_MISS)


@pytest.mark.parametrize("noise", [Laplace(1.0), Laplace(10.0), Gaussian(4.0)])
def test_the_most_people_are_at_least_as_many_as_there_are(noise: SumNoise, monkeypatch: pytest.MonkeyPatch) -> None:
    noisy = 400 + draw_noise(noise, (20_000, 12), np.random.default_rng(6))
    assert np.mean(bound_people(noisy, noise) < 4_800) <= COUNT_MISS + 6 * np.sqrt(COUNT_MISS / 20_000)
    simulate, counts = contingency.simulate_null, []

    def listen(shares: Floats, most: Ints, *others: object) -> Floats:
        counts.extend(most.tolist())
        return simulate(shares, most, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(contingency, "simulate_null", listen)
    explain_equal_ranks(noisy[:50].reshape(50, 3, 4), noise, 9)
    assert counts == [int(each) for each in bound_people(noisy[:50], noise)]


@pytest.mark.many
@pytest.mark.parametrize("noise", [Laplace(1.0), Laplace(8.0), Gaussian(6.0)])
@pytest.mark.parametrize("second", [SHARES, SHIFTED])
def test_effects_lie_in_their_intervals(second: tuple[float, ...], noise: SumNoise) -> None:
    cells = draw_table((SHARES, second), (400, 600), noise, 2_000)
    one, two = np.asarray(SHARES), np.asarray(second)
    above = float((one * (two.cumsum() - two / 2)).sum())
    estimate, low, high = bound_superiority(cells[:, 0], cells[:, 1], noise, 0.05)
    assert np.mean((low <= above) & (above <= high)) >= COVERED
    assert abs(float(np.mean(estimate)) - above) < 0.01
    gap = float(np.abs(one.cumsum() - two.cumsum()).max())
    _, low, high = bound_gap(cells[:500], None, noise, 0.05, 499)
    assert np.mean((low <= gap) & (gap <= high)) >= 0.94 - 4 * np.sqrt(0.05 * 0.95 / 500)
    signed = float(two[3:].sum() - two[:2].sum())
    _, low, high = bound_signs(cells[:, 1], noise, 0.05)
    assert np.mean((low <= signed) & (signed <= high)) >= COVERED


def test_groups_that_were_added_up_have_the_noise_of_all() -> None:
    noise = Laplace(8.0)
    cells = draw_table((SHARES, SHARES, SHARES, SHARES), (400, 30, 30, 340), noise, 2_000)
    _, low, high = bound_superiority(cells[:, 0], cells[:, 1:].sum(axis=1), noise, 0.05, (1, 3))
    assert np.mean((low <= 0.5) & (high >= 0.5)) >= COVERED
    _, narrow, wide = bound_superiority(cells[:, 0], cells[:, 1:].sum(axis=1), noise, 0.05)
    assert np.mean(high - low) > 1.1 * np.mean(wide - narrow)
