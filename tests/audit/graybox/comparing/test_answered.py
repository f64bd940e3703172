"""What a desk answers is what its mechanisms said: exact numbers that get past them are found."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from audit.graybox.cases import OPERATIONS, find_world
from discreet.audit.graybox import FindingKind, ReplayReport, replay
from discreet.audit.graybox.comparing.answered import judge_answers
from discreet.audit.graybox.comparing.verdicts import PairRelation, Verdicts
from discreet.audit.graybox.recording.tape import TapeEntry
from discreet.curator import Curator
from discreet.curator.door import desk as desks
from discreet.curator.door import watching
from discreet.curator.release import noise as releasing
from discreet.engines.result import ExactRows, GroupedSums
from discreet.mechanisms import SparseVector
from robust.questions import QUESTIONS as ROBUST
from support import clinic
from support.watching_wing import watch

CLINIC = find_world("clinic")
AROUND = "without the unit with the most rows", "with unit at the upper bounds"

Asked = str | Callable[[Curator], object]
Break = Callable[[pytest.MonkeyPatch], None]


def find(asked: Asked) -> ReplayReport:
    return replay(asked, CLINIC.only(*AROUND), clock=False)


def take(module: Any, name: str) -> Any:
    return vars(module)[name]


def choose_ward(curator: Curator) -> object:
    return curator.choose(clinic.NAMES, "COUNT(*) FILTER (WHERE ward = $candidate)", 0.001, table="visits")


def ask_for_keys(curator: Curator) -> object:
    return curator.ask("SELECT doctor, SUM(cost) FROM visits GROUP BY doctor", 20)


def ask_median(curator: Curator) -> object:
    return ROBUST["median"](curator, 4.0)


def ask_watch(curator: Curator) -> object:
    return watch(curator, [SparseVector(1.0, 1.0, 5)], [0, 0, 0], 1000)


def show_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise is drawn, and thrown away."""
    add = releasing._add_noise

    def show(plan: Any, found: GroupedSums, *how: Any) -> Any:
        return replace(add(plan, found, *how), sums=tuple(map(tuple, found.sums)))

    monkeypatch.setattr(releasing, "_add_noise", show)


def choose_least(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mechanism is asked, and the candidate with the lowest score is told."""
    choose = take(releasing, "choose")

    def tell_least(plan: Any, found: GroupedSums, choice: Any) -> tuple[tuple[int, ...], ...]:
        choose(plan, found, choice)
        scores = choice.score.rate(found)
        return ((scores.index(min(scores)),),)

    monkeypatch.setattr(releasing, "choose", tell_least)


def show_fewer_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of the keys that were selected is left out, whichever the data say."""
    add = releasing._add_noise

    def leave_out(plan: Any, found: GroupedSums, *how: Any) -> Any:
        told = add(plan, found, *how)
        assert told.keys is not None
        return replace(told, keys=told.keys[:-1], sums=tuple(each[:-1] for each in told.sums))

    monkeypatch.setattr(releasing, "_add_noise", leave_out)


def tell_one_more(monkeypatch: pytest.MonkeyPatch) -> None:
    def dump(told: Any) -> str:
        return json.dumps([int(number) + 1 for number in told])

    monkeypatch.setattr(desks, "json", SimpleNamespace(dumps=dump, loads=json.loads))


def tell_greatest(monkeypatch: pytest.MonkeyPatch) -> None:
    release = take(desks, "release_statistic")

    def tell(plan: Any, statistic: Any, rows: ExactRows) -> bytes:
        told = json.loads(release(plan, statistic, rows))
        return json.dumps([int(rows.points.max()), *told[1:]]).encode()

    monkeypatch.setattr(desks, "release_statistic", tell)


def decide_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(self: Any) -> bytes:
        self.run = Contrary(self.mechanism)
        return b"started"

    monkeypatch.setattr(watching.WatchState, "begin", begin)


class Contrary:
    """A run whose answers are turned round on their way."""

    def __init__(self, mechanism: SparseVector) -> None:
        self._run = mechanism.start()

    def decide(self, asked: int, level: int) -> bool:
        return not self._run.decide(asked, level)


PAST: dict[str, tuple[Asked, Break, str]] = {
    "exact sums": ("SELECT ward, COUNT(*), SUM(cost) FROM visits GROUP BY ward", show_sums, "no mechanism said"),
    "exact sums of keys of the data": (ask_for_keys, show_sums, "no mechanism said"),
    "fewer keys than were selected": (ask_for_keys, show_fewer_keys, "shows other keys than were selected"),
    "the best candidate": (choose_ward, choose_least, "chooses others than its mechanism did"),
    "other numbers of a sum": (OPERATIONS["clipped sum"][0].perform, tell_one_more, "answers other numbers"),
    "other sums of products": (OPERATIONS["training"][3].perform, tell_one_more, "answers other numbers"),
    "an exact value": (ask_median, tell_greatest, "answers other numbers"),
    "an exact comparison": (ask_watch, decide_otherwise, "says something else than its run"),
}


@pytest.mark.parametrize("name", PAST)
def test_what_is_told_past_a_mechanism_that_was_asked_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, break_it, words = PAST[name]
    assert find(asked).raise_if_any().calls
    break_it(monkeypatch)
    report = find(asked)
    assert FindingKind.RESULT in {each.kind for each in report.findings}
    assert words in str(report)


def test_answers_that_differ_though_all_noise_is_the_same_are_found() -> None:
    def call(answer: bytes, told: int) -> TapeEntry:
        pick = TapeEntry("NoisyMax", "scale 2", (2,), [1, 2], told=told)
        return TapeEntry("desk: choose group", "all groups", inner=[pick], fresh=answer)

    verdicts = Verdicts("a neighbour", PairRelation.ADD_REMOVE)
    judge_answers(verdicts, call(b"3", 0), call(b"3", 0))
    judge_answers(verdicts, call(b"3", 0), call(b"4", 1))
    assert verdicts.findings == []
    judge_answers(verdicts, call(b"3", 0), call(b"4", 0))
    (found,) = verdicts.findings
    assert found.words == "desk: choose group answers something else, though all noise in it is the same"
