"""The sparse vector technique: the right one is private, its wrong relatives are not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.mechanisms import SparseVector
from mechanisms import wrong_sparse_vector as wrong
from mechanisms.answer_patterns import Outcomes, keeps, pattern_law, total
from support import laws


def _law(made: SparseVector, values: tuple[int, ...]) -> Outcomes:
    return pattern_law(values, made.threshold_scale, made.question_scale, made.cutoff, made.redraw)


@pytest.mark.many
@pytest.mark.parametrize("cutoff", [1, 2])
@pytest.mark.parametrize("redraw", [False, True])
@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize(("sensitivity", "values"), [(1, (0, 0, 0)), (1, (2, -1, 1)), (2, (0, 1))])
def test_theorem_no_pattern_exceeds_epsilon(
    cutoff: int, redraw: bool, monotone: bool, sensitivity: int, values: tuple[int, ...]
) -> None:
    made = SparseVector.calibrate(2.0, cutoff, sensitivity, redraw=redraw, monotone=monotone)
    assert made.loss(sensitivity).pure <= 2.0
    here = _law(made, values)
    assert total(here) == pytest.approx(1.0, abs=1e-14)
    for move in laws.moves(len(values), sensitivity, monotone):
        assert keeps(made.loss(sensitivity).pure, here, _law(made, laws.moved(values, move)))


def test_theorem_the_loss_is_nearly_attained() -> None:
    """A row of "no" and then a "yes" on questions that move apart costs nearly all of epsilon."""
    made = SparseVector(threshold_scale=2.0, question_scale=4.0)
    here, there = _law(made, (0, 0, 0, 0, 0, 0, 0)), _law(made, (1, 1, 1, 1, 1, 1, -1))
    assert keeps(made.loss(1).pure, here, there)
    assert not keeps(0.75 * made.loss(1).pure, here, there)


@pytest.mark.parametrize("told", [0, 2])
def test_theorem_numbers_told_add_their_own_price(told: int) -> None:
    made = SparseVector.calibrate(2.0, 1, answers=0.4)
    assert made.answer_scale is not None
    fresh = laws.laplace(made.answer_scale)

    @laws.exactly
    def with_number(values: tuple[int, int]) -> Outcomes:
        said = _law(made, values)
        return {
            (True, told): said[(True,)] * fresh.at(told - values[0]),
            (False, True, told): said[(False, True)] * fresh.at(told - values[1]),
            (False, False): said[(False, False)],
        }

    for move in laws.moves(2, 1, monotone=False):
        there = with_number((0 + move[0], 1 + move[1]))
        assert keeps(made.loss(1).pure, with_number((0, 1)), there)


@pytest.mark.many
@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_wrong_algorithm_3_tells_the_noise_that_decided(epsilon: float) -> None:
    here, there = wrong.algorithm_3((0, 0, 0, 0, 0, 1), epsilon), wrong.algorithm_3((1, 1, 1, 1, 1, 0), epsilon)
    assert not keeps(epsilon, here, there)


@pytest.mark.slow
def test_wrong_algorithm_3_gets_worse_with_every_question() -> None:
    for questions in (4, 7, 10):
        here = wrong.algorithm_3((*[0] * questions, 1), 1.0)
        there = wrong.algorithm_3((*[1] * questions, 0), 1.0)
        assert not keeps((questions - 1) / 2 - 0.01, here, there)


@pytest.mark.parametrize("cutoff", [2, 3])
def test_wrong_algorithm_4_pays_for_one_yes_only(cutoff: int) -> None:
    here = wrong.algorithm_4((0,) * (3 + cutoff), 1.0, cutoff)
    there = wrong.algorithm_4((1, 1, 1, *[-1] * cutoff), 1.0, cutoff)
    assert not keeps(1.0, here, there)
    assert keeps((1 + 6 * cutoff) / 4, here, there)


def test_wrong_algorithm_5_makes_the_impossible_possible() -> None:
    here, there = wrong.algorithm_5((0, 1), 1.0), wrong.algorithm_5((1, 0), 1.0)
    assert here[False, True] > 0
    assert there[False, True] == 0
    assert not keeps(50.0, here, there)


@pytest.mark.parametrize("pairs", [2, 3, 4])
def test_wrong_algorithm_6_never_stops(pairs: int) -> None:
    here = wrong.algorithm_6((0,) * (2 * pairs), 1.0)
    there = wrong.algorithm_6((*[1] * pairs, *[-1] * pairs), 1.0)
    assert not keeps(pairs / 2, here, there)
    assert keeps(1.0, here, there) is False


def test_the_right_one_passes_on_the_pairs_that_betray_the_wrong_ones() -> None:
    made = SparseVector.calibrate(1.0, 2)
    for here, there in [((0, 0, 0, 0, 0, 1), (1, 1, 1, 1, 1, 0)), ((0, 1), (1, 0)), ((0,) * 6, (1, 1, 1, -1, -1, -1))]:
        assert keeps(1.0, _law(made, here), _law(made, there))


@given(st.floats(1e-3, 100), st.integers(1, 50), st.integers(1, 100), st.booleans(), st.booleans(), st.booleans())
@settings(max_examples=100, deadline=None)
def test_calibration_never_exceeds_the_epsilon_asked(
    epsilon: float, cutoff: int, sensitivity: int, telling: bool, redraw: bool, monotone: bool
) -> None:
    answers = 0.3 if telling else 0.0
    made = SparseVector.calibrate(epsilon, cutoff, sensitivity, answers=answers, redraw=redraw, monotone=monotone)
    assert made.loss(sensitivity).pure <= epsilon
    assert made.loss(sensitivity).pure >= epsilon * (1 - 1e-12)


@pytest.mark.parametrize("cutoff", [1, 3, 10])
@pytest.mark.parametrize("monotone", [False, True])
def test_scales_split_epsilon_as_lyu_su_li_do(cutoff: int, monotone: bool) -> None:
    made = SparseVector.calibrate(0.8, cutoff, 5, monotone=monotone)
    reach = cutoff if monotone else 2 * cutoff
    for_threshold, for_questions = 5 / made.threshold_scale, 5 * reach / made.question_scale
    assert for_questions / for_threshold == pytest.approx(reach ** (2 / 3), rel=1e-12)
    assert for_threshold + for_questions == pytest.approx(0.8, rel=1e-12)


def test_redraw_is_as_many_runs_for_one_yes() -> None:
    redrawn, single = SparseVector.calibrate(1.0, 4, redraw=True), SparseVector.calibrate(0.25, 1)
    assert redrawn.threshold_scale == pytest.approx(single.threshold_scale, rel=1e-15)
    assert redrawn.question_scale == pytest.approx(single.question_scale, rel=1e-15)


def test_monotone_questions_are_refused_under_replace() -> None:
    with pytest.raises(ParameterError, match="neighbours must be 'add-remove' where monotone"):
        SparseVector(1.0, 1.0, monotone=True).loss(1, "replace")
    assert SparseVector(1.0, 1.0).loss(1, "replace").pure == 3.0


def test_an_unknown_neighbour_relation_is_refused() -> None:
    with pytest.raises(ParameterError, match="neighbours must be"):
        SparseVector(1.0, 1.0).loss(1, "cousins")
