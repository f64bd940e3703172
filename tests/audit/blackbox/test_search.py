"""The search for the neighbours that show the most."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from discreet.audit.blackbox.direct import DirectTest
from discreet.audit.blackbox.events import ChosenEvent
from discreet.audit.blackbox.expecting import EventAim
from discreet.audit.blackbox.lower_bound import judge_scores
from discreet.audit.blackbox.names import name_input
from discreet.audit.blackbox.outputs import OutputReader
from discreet.audit.blackbox.patterns import InputPair, list_changes, move_answers
from discreet.audit.blackbox.scores import LearnedScore
from discreet.audit.blackbox.search import (
    LAST,
    STAGES,
    OutputStore,
    certify_in_stages,
    count_rounds,
    find_worst,
    rank_pairs,
)
from discreet.audit.blackbox.staged import StagedTest
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.mechanisms import Laplace


def count_twice_if_seven(count: int, outputs: int) -> Floats:
    return np.asarray(Laplace(10.0).release(np.full(outputs, count + 20 * (count == 7))))


def test_the_pair_that_shows_the_most_is_found() -> None:
    found = find_worst(count_twice_if_seven, [(0, 1), (3, 2), (6, 7), (4, 5), (9, 8)], samples=300_000)
    assert (found.first, found.second) == (6, 7)
    assert found.bound.refutes(1.0)


def test_an_input_that_breaks_the_mechanism_is_named() -> None:
    def fail_at_three(count: int, outputs: int) -> Floats:
        return np.full(outputs, 1.0 / (count - 3))

    found = find_worst(fail_at_three, [(0, 1), (2, 3)], samples=100_000)
    assert found.bound.refutes(1e9)
    assert "ZeroDivisionError" in str(found.bound)
    assert (found.first, found.second) == (2, 3)


def test_an_input_that_breaks_the_mechanism_in_a_late_stage_is_named() -> None:
    drawn: Counter[int] = Counter()

    def fail_in_the_end(count: int, outputs: int) -> Floats:
        drawn[count] += outputs
        if drawn[3] > 35_000:
            raise ZeroDivisionError
        return np.rint(np.random.default_rng().laplace(20 * (count == 3), 10.0, outputs))

    found = find_worst(fail_in_the_end, [(0, 1), (3, 2)], samples=100_000, claim=0.1)
    assert "ZeroDivisionError" in str(found.bound)
    assert (found.first, found.second) == (3, 2)
    assert 60_000 < found.bound.samples < 100_000


def test_too_few_outputs_are_refused() -> None:
    with pytest.raises(ParameterError, match="for each of the pairs"):
        find_worst(count_twice_if_seven, [(0, 1)] * 100, samples=10_000)


def hide_a_leak(answers: list[int], outputs: int) -> Floats:
    """Add too little noise where an answer is above what the known patterns have."""
    noise = np.random.default_rng().laplace(0, 4 if max(answers) > 2 else 40, outputs)
    return np.asarray(sum(answers) + np.rint(noise))


def test_neighbours_that_nobody_listed_are_found_by_moves() -> None:
    """Moves are drawn, and in one search of a hundred none goes where the leak is: the better of four must find it."""
    pairs = list_changes(4)
    listed = find_worst(hide_a_leak, pairs, samples=60_000)
    searches = [find_worst(hide_a_leak, pairs, move=move_answers, samples=300_000) for _ in range(4)]
    moved = max(searches, key=lambda found: found.bound.epsilon)
    assert listed.bound.epsilon < 0.2 < moved.bound.epsilon
    assert max(*moved.first, *moved.second) > 2
    assert moved.bound.samples <= 300_000


def test_moves_that_are_no_pairs_are_refused() -> None:
    with pytest.raises(ParameterError, match="move must be a function of a pair and of a generator"):
        find_worst(hide_a_leak, list_changes(4), move=lambda pair, generator: None, samples=60_000)  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("move", [3, lambda pair: pair], ids=["a number", "of a pair alone"])
def test_moves_that_cannot_be_called_are_refused_before_anything_is_drawn(move: Any) -> None:
    def draw(given: Any, outputs: int) -> Floats:
        raise AssertionError("it was drawn from")

    with pytest.raises(ParameterError, match="move must be a function of a pair and of a generator"):
        find_worst(draw, list_changes(4), move=move, samples=60_000)


def test_moves_stay_neighbours() -> None:
    generator = np.random.default_rng(8)
    for pair in list_changes(6):
        for _ in range(50):
            pair = move_answers(pair, generator)
            assert np.abs(np.subtract(*pair)).max() <= 1


def test_an_input_in_several_pairs_is_drawn_once_for_learning() -> None:
    drawn: Counter[int] = Counter()

    def draw(given: int, outputs: int) -> Floats:
        drawn[given] += outputs
        return np.asarray(np.random.default_rng().laplace(10 * (given == 3), 9.0, outputs))

    found = find_worst(draw, [(0, 1), (0, 2), (0, 3)], samples=60_000)
    assert (found.first, found.second) == (0, 3)
    assert sum(drawn.values()) == found.bound.samples <= 60_000
    assert drawn[0] == drawn[3]


def test_large_inputs_that_differ_in_the_middle_alone_are_told_apart() -> None:
    first = np.zeros(5_000)
    second, third = first.copy(), first.copy()
    second[2_500], third[2_500] = 1.0, 0.0
    assert repr(first) == repr(second)
    assert name_input(first) != name_input(second)
    assert name_input(first) == name_input(third)
    tell = lambda given, outputs: np.rint(np.random.default_rng().laplace(20 * given.sum(), 10.0, outputs))  # noqa: E731
    assert find_worst(tell, [(first, second)], samples=20_000, claim=1.0).bound.refutes(1.0)


def test_inputs_that_are_made_anew_whenever_they_are_looked_at_have_their_fault() -> None:
    def fail(given: int, count: int) -> Floats:
        if given == 1_001:
            raise ValueError("too many")
        return np.zeros(count)

    anew: Any = range(1_000, 1_002)
    worst = find_worst(fail, [anew], samples=20_000, claim=1.0)
    assert (worst.first, worst.second, worst.bound.fault and worst.bound.fault.given) == (1_000, 1_001, 1_001)


def test_inputs_that_cannot_be_written_down_are_told_apart() -> None:
    stay, move = (lambda rows, shift=shift: rows + shift for shift in (0, 20))
    tell = lambda given, outputs: given(np.rint(np.random.default_rng().laplace(0.0, 10.0, outputs)))  # noqa: E731
    assert find_worst(tell, [(stay, move)], samples=20_000, claim=1.0).bound.refutes(1.0)


def make_event(expected: float, suspicion: float, certain: bool = False) -> ChosenEvent:
    score = LearnedScore("a score", lambda rows: rows[:, 0])
    return ChosenEvent(score, 0.0, False, 0.5, 0.4, expected, 1_000, suspicion=suspicion, certain=certain)


def test_pairs_that_show_much_and_pairs_that_are_suspected_are_kept_in_turn() -> None:
    found = [
        (make_event(0.09, 0.1), (0, 1)),
        (make_event(0.05, 3.0), (1, 2)),
        (make_event(0.08, 2.0), (2, 3)),
        (None, (3, 4)),
    ]
    without, against = EventAim(1_000, 0.0, 0.95), EventAim(1_000, 0.0, 0.95, 0.1)
    assert rank_pairs(found, without) == [0, 2, 1, 3]
    assert rank_pairs(found, against) == [1, 2, 0, 3]
    sure = [*found, (make_event(0.2, 1.0, certain=True), (4, 5)), (make_event(0.3, 0.0), (5, 6))]
    assert rank_pairs(sure, against)[:2] == [4, 1]
    lucky = [*found, (make_event(0.2, 1.0), (4, 5))]
    assert rank_pairs(lucky, against) == [1, 2, 4, 0, 3]
    calm = [(make_event(0.09, 0.1), (0, 1)), (make_event(0.05, 1.0), (1, 2))]
    assert rank_pairs(calm, against) == [0, 1]


@pytest.mark.parametrize(
    "pairs", [[], [1, 2], [(0, 1), (2,)], None, 3, ["ab"], iter([(0, 1)]), np.zeros((2, 2)), {0: 1}]
)
def test_inputs_that_are_no_pairs_are_refused(pairs: Any) -> None:
    with pytest.raises(ParameterError, match="pairs must be a list of neighbouring inputs two by two"):
        find_worst(count_twice_if_seven, pairs)


def test_a_worst_pair_is_told_in_a_sentence() -> None:
    found = find_worst(count_twice_if_seven, [(6, 7)], samples=4_000)
    assert str(found) == f"between 6 and 7: {found.bound}"


@pytest.mark.parametrize("pairs", [1, 2, 3, 8, 9, 100])
def test_rounds_go_on_until_the_last_pairs_are_left(pairs: int) -> None:
    rounds = count_rounds(pairs, moving=False)
    assert -(-pairs // 2**rounds) <= LAST
    assert rounds == 0 or -(-pairs // 2 ** (rounds - 1)) > LAST
    assert count_rounds(pairs, moving=True) > rounds


AIM = EventAim(50_000, 0.0, 0.95, 0.1)
NOTHING, SOMETHING = (0, 1), (2, 3)
"""Pairs of inputs: between the first nothing differs, between the second the claim is wrong."""


def store_outputs() -> tuple[OutputStore, dict[InputPair, ChosenEvent], Counter[int]]:
    """Return outputs of a mechanism that treats 3 alone otherwise, each pair's event, and what was drawn on each."""
    drawn: Counter[int] = Counter()

    def tell(given: int, outputs: int) -> Floats:
        drawn[given] += outputs
        return np.random.default_rng().laplace(given == 3, 2.0, outputs)

    store, events = OutputStore(OutputReader(tell)), dict[InputPair, ChosenEvent]()
    for pair in (NOTHING, SOMETHING):
        event = judge_scores(*store.take(pair, 5_000), AIM)
        assert event is not None
        events[pair] = event
    return store, events, drawn


def test_a_pair_that_only_looked_good_is_left_after_a_stage() -> None:
    store, events, drawn = store_outputs()
    tricked = replace(events[SOMETHING], suspicion=9.0, expected=9.0, certain=True)
    found: list[tuple[ChosenEvent | None, InputPair]] = [(tricked, NOTHING), (events[SOMETHING], SOMETHING)]
    pair, bound = certify_in_stages(store, events[SOMETHING], found, 0, AIM)
    assert pair == SOMETHING
    assert bound.refutes(0.1)
    assert drawn[0] == drawn[1] == 5_000 + 50_000 // STAGES
    assert drawn[2] == drawn[3] == 5_000 + 50_000 // STAGES * (STAGES - 1)
    assert bound.samples == drawn.total() == 2 * (2 * 5_000 + 50_000)


def test_a_pair_whose_old_event_was_bad_is_kept_where_all_its_outputs_speak_for_it() -> None:
    store, events, _ = store_outputs()
    useless = replace(events[SOMETHING], threshold=-99.0)
    found: list[tuple[ChosenEvent | None, InputPair]] = [(events[SOMETHING], SOMETHING), (events[NOTHING], NOTHING)]
    pair, bound = certify_in_stages(store, useless, found, 0, AIM)
    assert pair == SOMETHING
    assert isinstance(bound.evidence, StagedTest)
    excesses = [test.find_excess(0.1, 0.0) for test in bound.evidence.tests]
    assert excesses[0] < 0 < min(excesses[1:])


def test_a_claim_is_tested_in_stages_and_a_bound_at_once() -> None:
    pairs = [(0, 1), (3, 2)]
    claimed = find_worst(count_twice_if_seven, pairs, samples=50_000, claim=0.1).bound.evidence
    bounded = find_worst(count_twice_if_seven, pairs, samples=50_000).bound.evidence
    assert isinstance(claimed, StagedTest)
    assert len(claimed.tests) == STAGES
    assert len({test.counts.pairs for test in claimed.tests}) == 1
    assert isinstance(bounded, DirectTest)


def test_a_mechanism_that_changes_its_input_is_refused_and_refutes_nothing() -> None:
    def add(given: list[int], outputs: int) -> Floats:
        given.append(99)
        return np.random.default_rng().laplace(len(given), 1.0, outputs)

    with pytest.raises(ParameterError, match="leaves its input as it is"):
        find_worst(add, [([], [1]), ([1], [1, 2])], samples=50_000, claim=1.0)
