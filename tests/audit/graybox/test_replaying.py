"""Replay finds what it should: operations that are wrong in one way each, and right ones in which nothing is found."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from discreet import noise
from discreet.audit.graybox import FindingKind, ReplayError, ReplayReport, listen_to, replay
from discreet.base.errors import ParameterError
from discreet.mechanisms import (
    CountingQueries,
    Exponential,
    Gaussian,
    Grid,
    KeySelection,
    Laplace,
    NoisyMax,
    Quantile,
    RandomizedResponse,
    SparseVector,
)
from discreet.mechanisms.robust.stable_histogram import StableHistogram
from discreet.mechanisms.robust.universal import UniversalMean, UniversalQuartiles, UniversalVariance

HALF = Fraction(1, 2)

VALUES = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]
AROUND = [VALUES, VALUES[1:], [*VALUES, 9], [*VALUES, 0]]
"""Whole numbers from 0 to 9, and neighbours with one less and one more."""

ODD = [VALUES, [*VALUES, 9], [*VALUES, 666]]
"""Somebody has a value that nobody thought of."""


def kinds(report: ReplayReport) -> set[FindingKind]:
    return {each.kind for each in report.findings}


RIGHT: dict[str, tuple[Callable[[list[int]], object], dict[str, Any]]] = {
    "a count": (lambda data: Laplace(2.0).release(len(data)), {"sensitivity": 1}),
    "a sum": (lambda data: Laplace(20.0).release(sum(data)), {"epsilon": 0.5}),
    "a vector": (lambda data: Gaussian(9.0).release([len(data), sum(data)]), {"sensitivity": math.sqrt(82)}),
    "counting queries": (
        lambda data: CountingQueries.calibrate(1.0, 2).release([len(data), sum(each > 4 for each in data)]),
        {"epsilon": 1},
    ),
    "reals on a grid": (lambda data: Laplace(40.0, Grid(0.5)).release(sum(data) / 2), {"sensitivity": 5}),
    "a choice": (lambda data: Exponential(2.0).release([data.count(3), data.count(5)]), {"epsilon": 1}),
    "a noisy max": (lambda data: NoisyMax(2.0).release([data.count(3), data.count(5)]), {"sensitivity": 1}),
    "what follows from noise": (
        lambda data: [Laplace(2.0).release(len(data)) for _ in range(max(0, Laplace(2.0).release(len(data))))],
        {"sensitivity": 1},
    ),
    "a quantile": (
        lambda data: Quantile(HALF, 10, 1.0, 1).release({each: data.count(each) for each in set(data)}),
        {},
    ),
    "keys of the data": (
        lambda data: StableHistogram(1.0, 1e-6).release({str(each): data.count(each) for each in set(data)}),
        {},
    ),
    "a universal mean": (lambda data: UniversalMean(1.0).release(data), {}),
    "a universal variance": (lambda data: UniversalVariance(1.0).release(data), {"epsilon": 1}),
    "universal quartiles": (lambda data: UniversalQuartiles(1.0).release(data), {}),
    "which keys are kept": (lambda data: KeySelection(1.0, 1e-6).release([data.count(each) for each in range(10)]), {}),
    "above a threshold": (
        lambda data: SparseVector(4.0, 8.0).release([data.count(3), data.count(5)], 2),
        {"sensitivity": 1},
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_nothing_is_found_in_what_is_right(name: str) -> None:
    operation, declared = RIGHT[name]
    report = replay(operation, AROUND, clock=False, **declared)
    assert report.findings == ()
    assert report.raise_if_any() is report
    assert report.calls >= 1
    assert any(each.observed > 0 for each in report.moved)


WRONG: dict[str, tuple[Callable[[list[int]], object], dict[str, Any], FindingKind]] = {
    "half of the sensitivity": (
        lambda data: Laplace(9.0).release(sum(data)),
        {"sensitivity": 4.5},
        FindingKind.SENSITIVITY,
    ),
    "half of the sensitivity, in L2": (
        lambda data: Gaussian(9.0).release([sum(data)]),
        {"sensitivity": 4.5},
        FindingKind.SENSITIVITY,
    ),
    "half of the epsilon": (lambda data: Laplace(9.0).release(sum(data)), {"epsilon": 0.5}, FindingKind.SENSITIVITY),
    "scores that move farther": (
        lambda data: Exponential(2.0).release([sum(data), 7]),
        {"sensitivity": 8},
        FindingKind.SENSITIVITY,
    ),
    "two draws for the price of one": (
        lambda data: [Laplace(2.0).release(len(data)) for _ in range(2)],
        {"epsilon": 0.5},
        FindingKind.SENSITIVITY,
    ),
    "a quantile made for fewer rows": (
        lambda data: Quantile(HALF, 10, 1.0, 1).release({each: 2 * data.count(each) for each in set(data)}),
        {},
        FindingKind.SENSITIVITY,
    ),
    "a histogram in which a person is twice": (
        lambda data: StableHistogram(1.0, 1e-6).release({str(each): 2 * data.count(each) for each in set(data)}),
        {},
        FindingKind.SENSITIVITY,
    ),
    "a universal mean made for fewer rows": (
        lambda data: UniversalMean(1.0, rows=1).release([*data, *data]),
        {},
        FindingKind.SENSITIVITY,
    ),
    "a scale of the data": (lambda data: Laplace(float(max(data))).release(sum(data)), {}, FindingKind.CALLS),
    "a scale of how many there are": (
        lambda data: Laplace(10.0 / len(data)).release(sum(data)),
        {},
        FindingKind.CALLS,
    ),
    "a threshold of the data": (
        lambda data: SparseVector(4.0, 8.0).release([data.count(3)], max(data)),
        {},
        FindingKind.CALLS,
    ),
    "as many draws as there are people": (
        lambda data: [Laplace(9.0).release(each) for each in data],
        {},
        FindingKind.CALLS,
    ),
    "another mechanism": (
        lambda data: (Laplace(9.0) if len(data) > 10 else Gaussian(9.0)).release(sum(data)),
        {},
        FindingKind.CALLS,
    ),
    "a vector as long as the data": (lambda data: Laplace(9.0).release(data), {}, FindingKind.SHAPE),
    "an exact number beside noise": (
        lambda data: (Laplace(9.0).release(sum(data)), len(data)),
        {},
        FindingKind.RESULT,
    ),
    "a number of another type": (
        lambda data: [Laplace(9.0).release(sum(data)), 1.0 if len(data) > 10 else 1][1:],
        {},
        FindingKind.RESULT,
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_found(name: str) -> None:
    operation, declared, kind = WRONG[name]
    report = replay(operation, ODD if "data" in name else AROUND, clock=False, **declared)
    assert kind in kinds(report)
    with pytest.raises(ReplayError, match="FOUND"):
        report.raise_if_any()


def refuse_odd(data: list[int]) -> object:
    if 666 in data:
        raise ValueError("cannot read 666")
    return Laplace(9.0).release(min(9, max(data)))


def tell_in_an_error(data: list[int]) -> object:
    Laplace(9.0).release(len(data))
    raise ValueError(f"{len(data)} rows are too few")


def test_an_error_of_one_person_s_rows_is_a_finding_and_no_crash() -> None:
    report = replay(refuse_odd, {"all": VALUES, "with the odd one": [*VALUES, 666]}, clock=False)
    (found,) = report.findings
    assert found.kind is FindingKind.ERROR
    assert found.neighbour == "with the odd one"
    assert "cannot read 666" in found.words


def test_an_error_on_the_database_itself_is_no_report_of_nothing_found() -> None:
    def refuse(data: list[int]) -> object:
        raise ValueError("too few rows")

    report = replay(refuse, AROUND)
    assert report.findings == ()
    assert not report.ok
    assert report.refused == "on the database, ValueError: too few rows"
    with pytest.raises(ReplayError, match="nothing was replayed"):
        report.raise_if_any()


def test_an_error_whose_text_depends_on_rows_is_found_though_everybody_gets_one() -> None:
    report = replay(tell_in_an_error, AROUND, clock=False)
    assert kinds(report) == {FindingKind.ERROR}
    assert len(report.findings) == 3
    assert "raises ValueError: 9 rows are too few, and raised ValueError: 10 rows are too few" in str(report)
    ending = replay(lambda data: refuse_odd([*data, 666] if len(data) == 10 else data), AROUND, clock=False)
    assert kinds(ending) == {FindingKind.ERROR}
    assert "it ends, and raised ValueError: cannot read 666" in str(ending)


def test_mechanisms_of_others_are_heard_where_they_are_named() -> None:
    generator = np.random.default_rng(1)
    noisy = listen_to(lambda value, scale: value + generator.laplace(0, scale), "their Laplace")
    right = replay(lambda data: noisy(sum(data), scale=9.0), AROUND, sensitivity=9, clock=False).raise_if_any()
    assert str(right.moved[0]) == "their Laplace: declared 9, observed 9 (L1)"
    half = replay(lambda data: noisy(sum(data), scale=9.0), AROUND, sensitivity=4.5, clock=False)
    assert kinds(half) == {FindingKind.SENSITIVITY}
    assert FindingKind.CALLS in kinds(replay(lambda data: noisy(sum(data), scale=9 / len(data)), AROUND, clock=False))
    assert FindingKind.SHAPE in kinds(replay(lambda data: noisy(np.array(data), 9.0).size, AROUND, clock=False))
    assert noisy(3.0, 0.0) == 3.0


def test_noise_that_is_added_past_all_mechanisms_counts_as_none() -> None:
    report = replay(lambda data: len(data) + int(noise.discrete_laplace(2.0, 1)[0]), AROUND, clock=False)
    assert kinds(report) == {FindingKind.CALLS, FindingKind.RESULT}
    assert "noise was drawn past all mechanisms that are heard" in str(report)


def test_an_error_that_everybody_gets_after_a_draw_differs_by_its_text() -> None:
    """An error that is caught and told counts as a result: its text must not depend on rows."""

    def told(data: list[int]) -> object:
        try:
            return tell_in_an_error(data)
        except ValueError as trouble:
            return trouble

    report = replay(told, AROUND, clock=False)
    assert kinds(report) == {FindingKind.RESULT}


def test_what_is_no_number_is_a_finding_with_the_input_that_did_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RandomizedResponse, "release", lambda self, answers: [math.nan if 666 in answers else 1.0])
    made = RandomizedResponse.calibrate(1.0)
    report = replay(lambda data: made.release(data), {"all": VALUES, "one": [*VALUES[1:], 666]}, clock=False)
    assert FindingKind.NUMBER in kinds(report)
    assert [each.neighbour for each in report.findings if each.kind is FindingKind.NUMBER] == ["one"]
    alone = replay(lambda data: made.release([*data, 666][-1:]), {"all": VALUES, "one": VALUES}, clock=False)
    assert "all" in [each.neighbour for each in alone.findings if each.kind is FindingKind.NUMBER]


def test_what_hangs_is_left_behind_and_found() -> None:
    waiting: list[bool] = []

    def hang(data: list[int]) -> object:
        told = Laplace(9.0).release(len(data))
        while 666 in data and not waiting:
            time.sleep(0.01)
        return told

    try:
        report = replay(hang, {"all": VALUES, "with the odd one": [*VALUES, 666]}, longest=0.3)
        assert kinds(report) == {FindingKind.HANG}
        assert report.findings[0].neighbour == "with the odd one"
        always = replay(lambda data: hang([666]), AROUND, longest=0.1)
        assert kinds(always) == {FindingKind.HANG}
        assert not always.ok
    finally:
        waiting.append(True)


def test_a_slow_path_for_one_person_is_found() -> None:
    def slow(data: list[int]) -> object:
        if 666 in data:
            time.sleep(0.25)
        return Laplace(9.0).release(len(data))

    given = {"all": VALUES, "with the slow one": [*VALUES, 666]}
    report = replay(slow, given)
    assert kinds(report) == {FindingKind.TIME}
    assert replay(slow, given, sensitivity=1, clock=False).ok


def test_one_run_that_was_slow_by_chance_is_not() -> None:
    turns = []

    def once(data: list[int]) -> object:
        turns.append(0)
        if len(turns) == 2:
            time.sleep(0.25)
        return Laplace(9.0).release(len(data))

    assert replay(once, AROUND[:2], sensitivity=1).ok
    assert len(turns) > 2


def test_noise_is_drawn_anew_from_the_system_where_nobody_replays() -> None:
    replay(lambda data: Laplace(1e6).release(len(data)), AROUND, clock=False)
    assert len({Laplace(1e6).release(0) for _ in range(20)}) > 10
    assert Laplace.release.__qualname__ == "Additive.release"
    assert not hasattr(Laplace.release, "__wrapped__")


def test_a_replay_says_the_same_again_and_another_seed_something_else() -> None:
    told: list[int] = []

    def count(data: list[int]) -> object:
        told.append(Laplace(1e6).release(len(data)))
        return told[-1]

    for seed in (1, 1, 2):
        assert replay(count, AROUND[:2], sensitivity=1, seed=seed, clock=False).ok
    assert told[0] == told[1] == told[2] == told[3] != told[4] == told[5]


def test_a_report_says_what_is_declared_and_what_was_observed() -> None:
    report = replay(lambda data: Laplace(9.0).release(sum(data)), AROUND, sensitivity=4.5, clock=False)
    assert str(report).splitlines() == [
        "test_a_report_says_what_is_declared_and_what_was_observed.<locals>.<lambda>: 3 neighbours, 1 call, 1 finding",
        "  Laplace: declared 4.5, observed 9 (L1)",
        "  FOUND sensitivity, neighbour 2: Laplace: declared 4.5, observed 9 (L1)",
    ]


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"operation": 7}, "operation must be a function of one database"),
        ({"neighbours": 7}, "neighbours must be a policy's path"),
        ({"neighbours": [VALUES]}, "neighbours must be a database and at least one neighbour"),
        ({"longest": 0}, "longest must be"),
        ({"delta": 2}, "delta must be"),
        ({"sensitivity": -1}, "sensitivity must be"),
        ({"epsilon": -1}, "epsilon must be"),
        ({"operation": "SELECT COUNT(*) FROM t"}, "neighbours must be a policy or its neighbours"),
    ],
)
def test_what_cannot_be_replayed_is_refused(how: dict[str, Any], words: str) -> None:
    given: dict[str, Any] = {"operation": len, "neighbours": AROUND} | how
    with pytest.raises(ParameterError, match=words):
        replay(**given)


def test_what_moves_with_nothing_declared_is_not_called_sound() -> None:
    report = replay(lambda rows: Laplace(2.0).release(sum(rows)), [[1, 2, 900], [1, 2]])
    assert (report.findings, report.ok) == ((), False)
    assert "say sensitivity=, or epsilon=" in str(report)
    assert replay(lambda rows: Laplace(2.0).release(sum(rows)), [[1, 2, 900], [1, 2]], sensitivity=900).ok


def test_rows_that_are_wiped_after_a_release_are_compared_as_they_were() -> None:
    def wipe(data: list[int]) -> Any:
        row = np.array([data[0], 0])
        told = Laplace.calibrate(1.0, 1).release([row])
        row[:] = 0
        return told

    assert not replay(wipe, [[0], [100]], sensitivity=1, clock=False).ok


def test_what_is_added_in_place_to_what_was_told_is_found() -> None:
    def leak(data: list[int]) -> Any:
        told = Laplace.calibrate(1.0, 1).release(np.array([5, 5]))
        told += data[0]
        return told

    assert not replay(leak, [[100], [0]], sensitivity=1, clock=False).ok


def test_what_is_scaled_in_place_is_the_same_on_equal_databases() -> None:
    def scale(data: list[int]) -> Any:
        told = Laplace.calibrate(1.0, 1).release(np.array([5, 5]))
        told *= 2
        return told

    assert replay(scale, [[1], [1]], sensitivity=1, clock=False).ok


def test_an_operation_that_yields_its_answers_is_run_to_its_end() -> None:
    laplace = Laplace.calibrate(1.0, 1)
    report = replay(lambda data: (laplace.release(each) for each in data), [[0], [100]], sensitivity=1, clock=False)
    assert not report.ok


def test_an_error_that_names_a_place_in_memory_is_the_same_error() -> None:
    def fail(words: str) -> object:
        raise ValueError(f"{words} of {object()!r}")

    assert replay(fail, ["no", "no"], clock=False).findings == ()
    report = replay(fail, ["no", "yes"], clock=False)
    assert kinds(report) == {FindingKind.ERROR}


def test_what_is_no_function_of_data_is_not_listened_to() -> None:
    for wrong in (3, lambda: 0.0):
        with pytest.raises(ParameterError, match="a function whose first argument is data"):
            listen_to(wrong)  # type: ignore[arg-type]


def test_numbers_that_are_shown_alike_and_are_not_are_shown_whole() -> None:
    report = replay(
        lambda data: Laplace(2.0, Grid(2.0**-40)).release(data), [0.0, 1 + 2.0**-30], sensitivity=1, clock=False
    )
    assert "declared 1.0000000000009095, observed 1.0000000009313226" in str(report.findings[0])


def test_counts_of_a_frame_that_are_written_over_with_noise_pass() -> None:
    """Pandas keeps what it looked up on the way, on one of two equal series and not on the other."""

    def count(frame: pd.DataFrame) -> pd.Series:
        found = frame.groupby("ward").size().reindex(["a", "b", "c"], fill_value=0)
        found[:] = Laplace(2.0).release(found.to_numpy())
        return found

    frame = pd.DataFrame({"ward": ["a", "b", "a", "c"]})
    assert replay(count, [frame, frame.iloc[:3], frame.iloc[1:]], sensitivity=1, clock=False).raise_if_any().calls == 1
