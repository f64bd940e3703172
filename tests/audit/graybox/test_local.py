"""Reports of people's own clients, replayed: whatever the value is, a report has one form, one price and one size."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from discreet.audit.graybox import FindingKind, replay
from discreet.local.client import Client, DirectResponse, Metric
from discreet.local.client.kinds import KINDS
from discreet.local.client.mechanism import Randomised
from discreet.local.client.metric import SYSTEM
from support.local_kinds import CHOICES, make_kinds

CASES = make_kinds()
ODD: dict[str, Any] = {
    "nothing": None,
    "no number": math.nan,
    "beyond all numbers": -math.inf,
    "a large number": 10**400,
    "an empty text": "",
    "a long text": "\U0001f600" * 3000,
    "half a letter": "\ud800",
    "bytes": b"\xff",
    "a list": [1, 2],
    "a record of nothing": {"fruit": None, "age": "old"},
}


def list_people(kind: str) -> dict[str, Any]:
    """Return somebody, others with usual values, and others with values that nobody thought of."""
    values = list({repr(each): each for each in CASES[kind].values}.values())
    return {"somebody": values[0], **{f"other {place}": each for place, each in enumerate(values[1:3])}, **ODD}


def test_every_kind_of_report_has_a_replay_case() -> None:
    assert CASES.keys() == KINDS.keys()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_report_tells_its_value_by_coins_alone(kind: str, tmp_path: Path) -> None:
    metric, files = CASES[kind].metric, iter(range(1000))

    def report(value: Any) -> object:
        client = Client.open(tmp_path / str(next(files)), [metric])
        told = [client.report(metric.name, value, "2026-01-01") for _ in range(2)]
        return [each.to_bytes() for each in told], client.sum_spending(metric.name, "2026-01-01")

    found = replay(report, list_people(kind), clock=False).raise_if_any()
    assert found.calls == 2


def test_a_report_that_is_longer_for_one_value_or_made_by_another_chance_is_found() -> None:
    class Longer(DirectResponse):
        def randomise(self, value: int, coins: Any) -> Randomised:
            seed, payload = super().randomise(value, coins)
            return Randomised(seed, payload + bytes(value))

    longer = Longer.calibrate(1.0, CHOICES.size)
    metric = Metric("thing", CHOICES, DirectResponse.calibrate(1.0, CHOICES.size), lifetime=1000)
    people = {"somebody": "apple", "other": "cherry"}
    assert replay(lambda value: metric.encode(value).to_bytes(), people, clock=False).ok
    found = replay(lambda value: longer.randomise(CHOICES.place(value), SYSTEM).seed, people, clock=False)
    assert {each.kind for each in found.findings} == {FindingKind.SHAPE}
    surer = [DirectResponse.calibrate(epsilon, CHOICES.size) for epsilon in (1.0, 9.0)]
    chosen = replay(
        lambda value: surer[value == "cherry"].randomise(CHOICES.place(value), SYSTEM).payload, people, clock=False
    )
    assert FindingKind.CALLS in {each.kind for each in chosen.findings}
    plain = replay(lambda value: (metric.encode(value).to_bytes(), value == "apple"), people, clock=False)
    assert {each.kind for each in plain.findings} == {FindingKind.RESULT}
