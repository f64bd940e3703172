from __future__ import annotations

import importlib.util
from itertools import combinations

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.families import Domain, Parities, Ranges
from discreet.families.domain import DenseTable
from discreet.synthetic.fit import gpu
from discreet.synthetic.fit.gpu import CudaDevice, DenseWeights, Device, HostDevice, join_sets, plan_cubes


def open_device(name: str) -> Device:
    if name == "host":
        return HostDevice()
    try:
        return CudaDevice()
    except ParameterError as trouble:
        pytest.skip(f"no GPU here: {trouble}")


@pytest.fixture(params=["host", "cuda"])
def device(request: pytest.FixtureRequest) -> Device:
    return open_device(request.param)


SIZES = [(2,) * 10, (3, 5, 7, 4), (5, 1, 9, 2, 3), (7, 30), (1,)]


@pytest.mark.parametrize("sizes", SIZES)
def test_updates_and_sums_are_those_of_numpy(sizes: tuple[int, ...], device: Device) -> None:
    domain, generator = Domain(sizes), np.random.default_rng(1)
    weights = DenseWeights(domain, device=device)
    shares = np.full(sizes, 1 / domain.cells)
    sets = [chosen for width in range(3) for chosen in combinations(domain.columns, width)]
    for columns in sets[:5]:
        exponents = generator.normal(size=domain.find_shape(columns))
        last = generator.normal(size=sizes[-1])
        weights.update([(columns, exponents), (domain.columns[-1:], last)])
        shape = [size if place in columns else 1 for place, size in enumerate(sizes)]
        shares = shares * np.exp(exponents.reshape(shape)) * np.exp(last)
        shares /= shares.sum()
    assert np.allclose(weights.fetch(), shares, rtol=5e-6, atol=0)
    wanted = DenseTable(domain, shares)
    for columns, found in weights.sums([*sets, domain.columns]).items():
        assert found.dtype == np.float64
        assert np.allclose(found, wanted.project(columns), rtol=5e-6, atol=0)


def test_a_prior_is_where_weights_start(device: Device) -> None:
    prior = np.array([[0.0, 3.0], [1.0, 4.0]])
    weights = DenseWeights(Domain((2, 2)), prior, device)
    weights.update([((0,), [0.0, np.log(2)])])
    assert np.allclose(weights.fetch(), np.array([[0, 3], [2, 8]]) / 13, rtol=1e-6)


def test_a_parity_moves_weights_as_its_table_does(device: Device) -> None:
    domain = Domain((2,) * 6)
    family = Parities(domain, (0b101101,))
    first, second = DenseWeights(domain, device=device), DenseWeights(domain, device=device)
    first.update_parity(family.find_columns(0), 0.7)
    second.update([(family.find_columns(0), family.spread_back(0, np.array([0.7])))])
    assert np.allclose(first.fetch(), second.fetch(), rtol=1e-6)
    mean = float(family.join_answers(DenseTable(domain, first.fetch()))[0])
    assert mean == pytest.approx(np.tanh(0.7), rel=1e-5)


def test_a_range_is_a_table_of_its_column(device: Device) -> None:
    domain = Domain((4, 50))
    family = Ranges(domain, (1,), (((10, 30),),))
    weights = DenseWeights(domain, device=device)
    weights.update([(family.find_columns(0), family.spread_back(0, np.array([0.5])))])
    share = 20 * np.exp(0.5) / (30 + 20 * np.exp(0.5))
    assert family.answer(0, weights.sums([(1,)])[(1,)])[0] == pytest.approx(share, rel=1e-6)


def test_weights_stay_numbers_after_many_extreme_updates(device: Device) -> None:
    weights = DenseWeights(Domain((2, 3)), device=device)
    for step in range(50):
        weights.update([((0,), [0.0, 40.0 * (-1) ** step]), ((1,), [0.0, 20.0, -20.0])])
    shares = weights.fetch()
    assert np.isfinite(shares).all()
    assert shares.sum() == pytest.approx(1)


def test_all_sums_are_the_same_however_sets_are_joined(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    domain, sets = Domain((3, 4, 2, 5)), [(0, 3), (1,), (), (1, 2, 3)]
    weights = DenseWeights(domain, np.random.default_rng(2).random(domain.sizes), device)
    found = weights.sums(sets)
    assert list(found) == sets
    monkeypatch.setattr(gpu, "MOST_JOINED", 1)
    for columns, table in weights.sums(sets).items():
        assert np.allclose(table, found[columns], rtol=1e-12)


def test_sets_are_joined_while_their_union_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "MOST_JOINED", 8)
    assert join_sets(Domain((2,) * 5), [(0, 1), (1, 2), (3, 4), (0, 2)]) == [
        ((0, 1, 2), [(0, 1), (1, 2), (0, 2)]),
        ((3, 4), [(3, 4)]),
    ]


def test_the_most_cells_are_added_up_first() -> None:
    assert plan_cubes((2,) * 30, (0, 20)) == [(2, 2**19, 2**10), (4, 2**9, 1)]
    assert plan_cubes((2, 3), (0, 1)) == []
    assert plan_cubes((4, 1, 3), ()) == [(1, 12, 1)]


@pytest.mark.parametrize(
    ("columns", "exponents"),
    [((0,), [0.0]), ((0,), [0.0, np.nan]), ((0,), [0.0, 81.0]), ((1, 0), [[0.0, 0.0]] * 3)],
)
def test_bad_exponents_are_refused_and_change_nothing(columns: tuple[int, ...], exponents: list[float]) -> None:
    weights = DenseWeights(Domain((2, 3)), device=HostDevice())
    with pytest.raises(ParameterError):
        weights.update([(columns, exponents)])
    assert np.allclose(weights.fetch(), 1 / 6)


def test_what_is_no_distribution_is_refused() -> None:
    with pytest.raises(ParameterError, match="at most 1,073,741,824 cells"):
        DenseWeights(Domain((2,) * 31), device=HostDevice())
    with pytest.raises(ParameterError, match="not all 0"):
        DenseWeights(Domain((2,)), [0.0, 0.0], HostDevice())
    with pytest.raises(ParameterError, match="parities are of bits"):
        DenseWeights(Domain((3,)), device=HostDevice()).update_parity((0,), 1.0)
    with pytest.raises(ParameterError, match="finite"):
        DenseWeights(Domain((2,)), device=HostDevice()).update_parity((0,), np.inf)


@pytest.mark.skipif(importlib.util.find_spec("cupy") is not None, reason="CuPy is installed here")
def test_without_cupy_one_is_told_what_to_use() -> None:
    with pytest.raises(ParameterError, match="CuPy and an NVIDIA GPU; without one use fit_dense"):
        DenseWeights(Domain((2, 2)))
