"""What all additive mechanisms share: values of any size and form, grids, and replayed neighbours."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.base.wide import LIMIT
from discreet.mechanisms import DiscreteGaussian, Gaussian, Grid, Laplace, Staircase, TruncatedLaplace, sensitivity
from discreet.mechanisms.additive import Additive
from discreet.noise.bits import replayed
from support import laws
from support.sampling import ALARM, GeneratorBits, chi_square_p

EVERY: list[Additive] = [Laplace(3.0), Gaussian(3.0), DiscreteGaussian(3.0), Staircase(0.5, 4, 2)]
each = pytest.mark.parametrize("made", EVERY, ids=lambda made: type(made).__name__)


def on(made: Additive, grid: Grid) -> Additive:
    """Return the same mechanism on a grid, for releases of up to 8 numbers."""
    return type(made)(
        **{**{name: getattr(made, name) for name in made.__dataclass_fields__}, "grid": grid, "dim": 8 if grid else 1}
    )


def release(made: Any, value: object, seed: int = 1) -> Any:
    with replayed(GeneratorBits(seed)):
        told = made.release(value)
    return np.array(told, dtype=object) if isinstance(told, list) else told


@each
def test_a_number_gives_a_number_a_list_a_list_and_an_array_an_array(made: Additive) -> None:
    assert type(made.release(5)) is int
    assert type(made.release(np.int32(5))) is int
    assert made.release(np.zeros((2, 3), dtype=np.int32)).shape == (2, 3)
    assert made.release(np.zeros((2, 3), dtype=np.int32)).dtype == np.int64
    assert [type(told) for told in made.release([1, 2, 3])] == [int, int, int]
    assert made.release(np.array([1, 2], dtype=object)).dtype == object
    assert made.release(np.zeros(0, dtype=np.int64)).shape == (0,)


@each
def test_on_a_grid_numbers_are_floats(made: Additive) -> None:
    fine = on(made, Grid(0.5))
    assert type(fine.release(1.2)) is float
    assert fine.release(np.array([[1.2, 3.4]])).shape == (1, 2)
    assert [type(told) for told in fine.release([1.2, 3.4])] == [float, float]
    assert (fine.release(1.2) * 2).is_integer()


@each
def test_on_a_grid_a_release_has_no_more_numbers_than_were_paid_for(made: Additive) -> None:
    with pytest.raises(ParameterError, match="at most 8 numbers on a grid"):
        on(made, Grid(0.5)).release(np.zeros(9))


@each
def test_numbers_of_400_digits_get_their_noise(made: Additive) -> None:
    huge = 10**400 + 7
    assert abs(made.release(huge) - huge) < 1000
    assert [abs(told - huge) < 1000 for told in made.release([huge, huge])] == [True, True]


@each
def test_arrays_saturate_and_never_wrap(made: Additive) -> None:
    ends = np.array([-(2**63), 2**63 - 1, -(2**63), 2**63 - 1])
    told = made.release(ends)
    assert np.all(np.sign(told) == np.sign(ends))
    assert np.all(np.abs(told) <= LIMIT)
    assert np.all(np.abs(told) >= LIMIT - 1000)


@each
def test_unsigned_words_beyond_int64_do_not_wrap(made: Additive) -> None:
    told = made.release(np.array([2**64 - 1], dtype=np.uint64))
    assert abs(int(told[0]) - 2**64) < 1000


@each
def test_missing_infinite_and_off_grid_reals_are_data_and_never_raise(made: Additive) -> None:
    fine = on(made, Grid(0.5, missing=100.0))
    told = fine.release([float("nan"), None, 0.26, float("inf"), float("-inf"), 10**400])
    assert abs(told[0] - 100) < 100
    assert abs(told[1] - 100) < 100
    assert abs(told[2]) < 100
    assert told[3] == told[5] == pytest.approx(LIMIT / 2)
    assert told[4] == pytest.approx(-LIMIT / 2)


@each
def test_the_noise_does_not_depend_on_the_value(made: Additive) -> None:
    one, other = np.arange(500), np.arange(500) * 7 - 100
    assert np.array_equal(release(made, one) - one, release(made, other) - other)


@each
@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=8), st.data())
@settings(max_examples=25, deadline=None)
def test_replayed_neighbours_stay_as_far_apart_as_they_were(
    made: Additive, here: list[int], data: st.DataObject
) -> None:
    moves = data.draw(st.lists(st.integers(-3, 3), min_size=len(here), max_size=len(here)))
    there = [value + move for value, move in zip(here, moves, strict=True)]
    told_here, told_there = release(made, here), release(made, there)
    assert sum(abs(told_here - told_there)) == sum(abs(move) for move in moves)


@each
@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=8), st.integers(-3, 3))
@settings(max_examples=25, deadline=None)
def test_replayed_neighbours_at_the_ends_come_no_further_apart(made: Additive, here: list[int], move: int) -> None:
    there = [min(2**63 - 1, max(-(2**63), value + move)) for value in here]
    apart = release(made, np.array(here)) - release(made, np.array(there))
    assert np.all(np.abs(apart) <= abs(move))


@each
@given(
    st.lists(st.tuples(st.floats(-1e4, 1e4), st.floats(-3, 3)), min_size=1, max_size=6),
    st.sampled_from([0.01, 0.3, 0.5, 2.0, 16.0]),
)
@settings(max_examples=40, deadline=None)
def test_replayed_reals_on_a_grid_move_by_at_most_the_stated_steps(
    made: Additive, pairs: list[tuple[float, float]], step: float
) -> None:
    grid = Grid(step)
    here, there = [value for value, _ in pairs], [value + move for value, move in pairs]
    reach = sum((abs(Fraction(a) - Fraction(b)) for a, b in zip(here, there, strict=True)), Fraction(0))
    told_here, told_there = release(on(made, grid), here), release(on(made, grid), there)
    steps = np.rint((told_here - told_there).astype(np.float64) / float(grid.step)).astype(np.int64)
    if reach == 0:
        assert not steps.any()
    else:
        assert int(np.abs(steps).sum()) <= sensitivity.on_grid_l1(reach, grid, len(pairs))  # type: ignore[arg-type]
        by_root = [Fraction(a) - Fraction(b) for a, b in zip(here, there, strict=True)]
        root = sensitivity.l2([abs(move) for move in by_root if move])  # type: ignore[misc]
        assert float(np.sqrt((steps**2).sum())) <= sensitivity.on_grid_l2(root, grid, len(pairs)) * (1 + 1e-12)


@given(st.integers(-50, 50), st.integers(-3, 3))
@settings(max_examples=50, deadline=None)
def test_replayed_neighbours_of_truncated_noise(here: int, move: int) -> None:
    made = TruncatedLaplace(3.0, -10, 10)
    assert abs(release(made, here) - release(made, here + move)) <= abs(move)


@each
def test_two_releases_differ(made: Additive) -> None:
    assert not np.array_equal(made.release(np.zeros(200, dtype=np.int64)), made.release(np.zeros(200, dtype=np.int64)))


@each
def test_a_mechanism_is_an_immutable_value(made: Additive) -> None:
    assert made == on(made, None)  # type: ignore[arg-type]
    assert hash(made) == hash(on(made, None))  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        made.grid = Grid(1)  # type: ignore[misc]


@each
@pytest.mark.parametrize("confidence", [0.5, 0.99])
def test_more_values_at_once_need_wider_intervals(made: Additive, confidence: float) -> None:
    widths = [made.interval(confidence, values) for values in (1, 2, 10, 1000)]
    assert widths == sorted(widths)
    assert widths[0] < widths[-1]


LAWS = [
    (Laplace(40.0), laws.laplace(40.0)),
    (Gaussian(40.0), laws.rounded_gaussian(40.0)),
    (DiscreteGaussian(40.0), laws.discrete_gaussian(40.0)),
    (Staircase(0.5, 20, 9), laws.staircase(0.5, 20, 9)),
]


@pytest.mark.long
@pytest.mark.parametrize(("made", "law"), LAWS, ids=lambda one: type(one).__name__)
def test_ten_million_draws_have_the_exact_probabilities(made: Additive, law: laws.Noise) -> None:
    reach = 120
    seen = np.zeros(2 * reach + 1, dtype=np.int64)
    for _ in range(10):
        draws = made.release(np.zeros(1_000_000, dtype=np.int64))
        seen += np.bincount(np.clip(draws, -reach, reach) + reach, minlength=2 * reach + 1)
    assert chi_square_p(seen, law.floats(reach)) > ALARM
