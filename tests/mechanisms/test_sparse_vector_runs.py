"""How a sparse vector run is used: what it draws, when it stops, what it tells."""

from __future__ import annotations

import copy
import math
import pickle
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import product
from typing import Any
from unittest import mock

import numpy as np
import pytest

from discreet import noise
from discreet.base.errors import ExhaustedError
from discreet.mechanisms import Grid, SparseVector
from discreet.mechanisms.sparse_vector import SparseVectorRun
from discreet.noise.bits import replayed
from mechanisms.answer_patterns import Outcomes, pattern_law
from support import laws
from support.sampling import ALARM, GeneratorBits, ScriptedBits, chi_square_p


def _law(made: SparseVector, values: tuple[int, ...]) -> Outcomes:
    return pattern_law(values, made.threshold_scale, made.question_scale, made.cutoff, made.redraw)


def _patterns(made: SparseVector, values: list[int], runs: int) -> Counter[tuple[bool, ...]]:
    return Counter(tuple(made.release(values, 0)) for _ in range(runs))


def _fit(seen: Counter[tuple[bool, ...]], law: Outcomes) -> float:
    assert seen.keys() <= law.keys()
    observed = np.array([seen[said] for said in law])  # type: ignore[index]
    return chi_square_p(observed, np.array([float(chance) for chance in law.values()]))


@pytest.fixture
def stocked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw noise a million at a time and hand it out one by one: the same law, a hundred times faster."""
    draw = noise.discrete_laplace
    stocks: dict[float, Iterator[int]] = {}

    def hand_out(scale: float, size: tuple[int, ...], *, wide: bool = False) -> object:
        if (found := next(stocks.get(scale, iter(())), None)) is None:
            stocks[scale] = iter(draw(scale, 1 << 20).tolist())
            found = next(stocks[scale])
        return np.array(found, dtype=object)

    monkeypatch.setattr(noise, "discrete_laplace", hand_out)


@pytest.mark.parametrize("draws", [5_000, pytest.param(20_000, marks=pytest.mark.long)])
def test_sampler_draws_these_patterns(draws: int) -> None:
    made = SparseVector(2.0, 3.0, 2, redraw=True)
    assert _fit(_patterns(made, [-2, 1, -1], draws), _law(made, (-2, 1, -1))) > ALARM


@pytest.mark.many
@pytest.mark.usefixtures("stocked")
@pytest.mark.parametrize(("cutoff", "redraw"), [(2, False), (2, True)])
@pytest.mark.parametrize(("draws", "off"), [(40_000, 1.1), pytest.param(120_000, 1.05, marks=pytest.mark.long)])
def test_sampler_draws_these_patterns_and_not_those_off(cutoff: int, redraw: bool, draws: int, off: float) -> None:
    made, values = SparseVector(3.0, 3.0, cutoff, redraw=redraw), (-6, -8, -6, -10)
    seen = _patterns(made, list(values), draws)
    assert _fit(seen, _law(made, values)) > ALARM
    for factor in (off, 1 / off):
        wrong = SparseVector(3.0 * factor, 3.0 * factor, cutoff, redraw=redraw)
        assert _fit(seen, _law(wrong, values)) < ALARM


@pytest.mark.usefixtures("stocked")
def test_numbers_told_have_fresh_noise_of_their_own_scale() -> None:
    made, reach = SparseVector(2.0, 3.0, 1, answer_scale=1.5), 6
    told = [made.release([1], 0)[0] for _ in range(150_000)]
    chance = float(_law(made, (1,))[(True,)])
    numbers = np.array([int(number) for number in told if number is not None])
    seen = np.bincount(np.clip(numbers - 1, -reach, reach) + reach, minlength=2 * reach + 1)
    for scale, agrees in ((1.5, True), (1.5 * 1.05, False)):
        law = np.append(laws.laplace(scale).floats(reach) * chance, 1 - chance)
        assert (chi_square_p(np.append(seen, len(told) - len(numbers)), law) > ALARM) is agrees


@pytest.mark.usefixtures("stocked")
@pytest.mark.parametrize("redraw", [False, True])
def test_accuracy_margin_holds(redraw: bool) -> None:
    made, runs = SparseVector(2.0, 3.0, 3, redraw=redraw), 5_000
    margin = math.ceil(made.accuracy(0.8, questions=10))
    values = [-margin - 1] * 7 + [margin + 1] * 3
    missed = sum(made.release(values, 0) != [False] * 7 + [True] * 3 for _ in range(runs))
    assert laws.binomial_excess_p(missed, runs, 0.2) > ALARM


def test_accuracy_margin_by_hand() -> None:
    margin = SparseVector(2.0, 3.0).accuracy(0.9, 10)
    assert margin == pytest.approx(2 * math.log(2 / 0.1) + 3 * math.log(20 / 0.1) + 2, rel=1e-14)
    assert SparseVector(2.0, 3.0, grid=Grid(0.25)).accuracy(0.9, 10) == pytest.approx(margin / 4, rel=1e-14)


def test_a_run_stops_after_its_last_yes() -> None:
    run = SparseVector(1.0, 1.0, cutoff=2).start()
    lefts = [run.left]
    for value in (10**6, -(10**6), 10**6):
        run.ask(value, 0)
        lefts.append(run.left)
    assert lefts == [2, 1, 1, 0]
    for _ in range(2):
        with pytest.raises(ExhaustedError, match="said yes 2 times"):
            run.ask(-(10**6), 0)


def test_a_stopped_run_draws_nothing_more() -> None:
    run = SparseVector(1.0, 1.0).start()
    assert run.ask(10**6, 0) is True
    with replayed(ScriptedBits([])), pytest.raises(ExhaustedError):
        run.ask(0, 0)


def test_release_answers_up_to_the_last_yes() -> None:
    made = SparseVector(1.0, 1.0, cutoff=2)
    far = 10**6
    assert made.release([-far, far, -far, far, far, far], 0) == [False, True, False, True]
    assert made.release([-far, -far], 0) == [False, False]
    assert made.release([], 0) == []


def test_every_question_may_have_its_own_threshold() -> None:
    run = SparseVector(1.0, 1.0, cutoff=5).start()
    assert run.ask(0, 10**6) is False
    assert run.ask(0, -(10**6)) is True


def _word(scale: float, wanted: int) -> int:
    """Return a random word that makes this noise: invert the tail in the middle of its cell."""
    q = math.exp(-1 / scale)
    top = 1.0 if wanted == 0 else 2 * q ** abs(wanted) / (1 + q)
    middle = (top + 2 * q ** (abs(wanted) + 1) / (1 + q)) / 2
    return int(Fraction(middle) * 2**63) + (2**63 if wanted < 0 else 0)


@pytest.mark.parametrize("wanted", [-7, -1, 0, 1, 12])
def test_a_scripted_word_makes_the_wanted_noise(wanted: int) -> None:
    with replayed(ScriptedBits([_word(3.0, wanted)])):
        assert noise.discrete_laplace(3.0, ()).item() == wanted


def test_redraw_forgets_the_threshold_noise_after_a_yes() -> None:
    script = [_word(2.0, 5), _word(3.0, 6), _word(2.0, -4), _word(3.0, -3), _word(2.0, 0)]
    with replayed(ScriptedBits(script)):
        run = SparseVector(2.0, 3.0, 3, redraw=True).start()
        assert [run.ask(0, 0), run.ask(0, 0)] == [True, True]


def test_without_redraw_the_threshold_noise_stays() -> None:
    script = [_word(2.0, 5), _word(3.0, 6), _word(3.0, -3), _word(3.0, 5), _word(3.0, 4)]
    with replayed(ScriptedBits(script)):
        run = SparseVector(2.0, 3.0, 3).start()
        assert [run.ask(0, 0) for _ in range(4)] == [True, False, True, False]


def test_a_number_told_never_shows_the_noise_that_decided() -> None:
    script = [_word(2.0, 0), _word(3.0, 9), _word(4.0, -2)]
    with replayed(ScriptedBits(script)):
        assert SparseVector(2.0, 3.0, 1, answer_scale=4.0).release([7], 0) == [5]


def test_on_a_grid_values_thresholds_and_numbers_are_reals() -> None:
    made = SparseVector.calibrate(1e5, 2, 0.5, answers=0.5, grid=Grid(0.5))
    assert made.release([1.3, float("nan"), 9.9], 0.6) == [1.5, None, 10.0]


@pytest.mark.parametrize("monotone", [False, True])
def test_neighbours_under_the_same_bits_draw_the_same_noise(monotone: bool) -> None:
    made = SparseVector(2.0, 3.0, 2, monotone=monotone)
    for seed, (one, other) in enumerate(product([(0, 3, -2), (5, 5, 5)], repeat=2)):
        taken = []
        for values in (one, other):
            bits = GeneratorBits(seed)
            with replayed(bits):
                said = made.release(list(values), 0)
            taken.append(bits.taken - len(said))
        assert taken[0] == taken[1] == 1


def test_threads_together_get_no_more_yes_than_were_paid_for() -> None:
    for _ in range(20):
        run = SparseVector(1.0, 1.0, cutoff=3).start()

        def ask(_: int, run: SparseVectorRun = run) -> int:
            try:
                return int(run.ask(10**6, 0))
            except ExhaustedError:
                return 0

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(ask, range(64))) == 3
        assert run.left == 0


@pytest.mark.parametrize("twice", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_run_cannot_be_copied(twice: Any) -> None:
    with pytest.raises(TypeError, match="cannot be copied"):
        twice(SparseVector(1.0, 1.0).start())


def test_a_run_answers_in_its_own_process_only() -> None:
    run = SparseVector(1.0, 1.0).start()
    with mock.patch("os.getpid", return_value=-1), pytest.raises(ExhaustedError, match="process that started it"):
        run.ask(10**6, 0)
    assert run.left == 1


def test_how_many_are_left_is_not_for_the_caller_to_set() -> None:
    with pytest.raises(AttributeError):
        SparseVector(1.0, 1.0).start().left = 5  # type: ignore[misc]
