"""A person's client: counted before it is handed out, capped for life, and never silent because of a value."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from discreet.local.client import (
    BoundedNumbers,
    Choices,
    Client,
    ClientError,
    DirectResponse,
    MemoisedUnary,
    Metric,
    Report,
    UnaryEncoding,
)
from discreet.local.client.coins import ONE

FRUIT = Choices(("apple", "banana"))
HONEST = DirectResponse(3, ONE - (1 << 24))
"""It lies once in 10^12 times: what a report was made of shows."""

DAY = "2026-03-01"


def make_metric(lifetime: float = 8.0, daily: float | None = None, name: str = "fruit", version: int = 1) -> Metric:
    return Metric(name, FRUIT, DirectResponse.calibrate(1, 3), lifetime, daily, version)


def make_honest(reports: int, daily: int | None = None) -> Metric:
    caps = [None if count is None else (count + 0.5) * HONEST.epsilon for count in (reports, daily)]
    return Metric("fruit", FRUIT, HONEST, caps[0] or 0, caps[1])


def make_memoised(name: str = "site", lifetime: float = 1e6, size: int = 128) -> Metric:
    """Return a metric whose permanent noise shows: fresh noise hardly ever falls."""
    mechanism = MemoisedUnary(size, ONE // 2, ONE // 3, ONE - (1 << 20))
    return Metric(name, Choices(tuple(f"site {place}" for place in range(size - 1))), mechanism, lifetime)


def show_item(report: Report) -> int:
    return int.from_bytes(report.payload, "little")


def test_what_reports_tell_is_added_up_exactly_for_a_lifetime_and_a_day(tmp_path: Path) -> None:
    metric = make_metric(daily=3)
    client, one = Client.open(tmp_path / "client", [metric]), Fraction(metric.mechanism.epsilon)
    for day in (DAY, DAY, "2026-03-02"):
        client.report("fruit", "apple", day)
    assert client.sum_spending("fruit", DAY) == (3 * one, 2 * one, 3)
    assert client.sum_spending("fruit", dt.date(2026, 3, 2)).day == one
    assert client.sum_spending("fruit", dt.datetime(2026, 3, 2, 23, 59)).day == one
    assert client.sum_spending("fruit", "2026-03-03").day == 0


def test_a_report_is_counted_on_disk_when_it_is_handed_out(tmp_path: Path) -> None:
    client = Client.open(tmp_path / "client", [make_metric()])
    for count in range(1, 4):
        client.report("fruit", "apple")
        assert Client.open(tmp_path / "client", [make_metric()]).sum_spending("fruit").reports == count


def test_a_report_that_cannot_be_counted_is_not_handed_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client.open(tmp_path / "client", [make_metric()])

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", fail)
        with pytest.raises(ClientError, match="nothing was handed out"):
            client.report("fruit", "apple")
    assert client.sum_spending("fruit").reports == 0
    assert not list(tmp_path.glob("*.part"))


SENDER = """
import sys
from discreet.local.client import *
client = Client.open(sys.argv[1], [read_metric(sys.argv[2])])
for _ in range(int(sys.argv[3])):
    client.report("fruit", "apple", "2026-03-01")
    print("sent", flush=True)
"""


def start_sender(path: Path, metric: Metric, reports: int) -> subprocess.Popen[str]:
    given = [sys.executable, "-c", SENDER, str(path), metric.to_json(), str(reports)]
    return subprocess.Popen(given, stdout=subprocess.PIPE, text=True)


def test_a_client_that_is_killed_has_counted_all_that_it_sent(tmp_path: Path) -> None:
    metric = make_metric(lifetime=1e9)
    sender = start_sender(tmp_path / "client", metric, 10**6)
    assert sender.stdout is not None
    for _ in range(5):
        assert sender.stdout.readline() == "sent\n"
    sender.kill()
    rest = sender.stdout.read().count("sent\n")
    sender.wait()
    sender.stdout.close()
    client = Client.open(tmp_path / "client", [metric])
    assert 5 + rest <= client.sum_spending("fruit", DAY).reports <= 6 + rest
    assert client.lifetime == 1


def test_two_processes_spend_nothing_twice(tmp_path: Path) -> None:
    metric = make_honest(20)
    senders = [start_sender(tmp_path / "client", metric, 15) for _ in range(2)]
    assert [sender.communicate()[0].count("sent") for sender in senders] == [15, 15]
    client = Client.open(tmp_path / "client", [metric])
    assert client.sum_spending("fruit", DAY) == (20 * Fraction(HONEST.epsilon), 20 * Fraction(HONEST.epsilon), 20)


def test_at_the_cap_of_a_lifetime_reports_go_on_and_tell_nothing(tmp_path: Path) -> None:
    client = Client.open(tmp_path / "client", [make_honest(3)])
    sent = [show_item(client.report("fruit", value)) for value in ("apple", "banana", "apple", "apple", "banana")]
    assert sent == [0, 1, 0, 2, 2]
    assert client.sum_spending("fruit").reports == 3


def test_at_the_cap_of_a_day_reports_go_on_and_tell_nothing_until_the_next(tmp_path: Path) -> None:
    client = Client.open(tmp_path / "client", [make_honest(9, daily=2)])
    days = [DAY] * 3 + ["2026-03-02"] + [DAY] + ["2026-02-28"] + ["2026-03-02"] * 2
    assert [show_item(client.report("fruit", "apple", day)) for day in days] == [0, 0, 2, 0, 2, 0, 0, 2]


def test_a_cap_below_one_report_lets_nothing_out_from_the_first(tmp_path: Path) -> None:
    client = Client.open(tmp_path / "client", [Metric("fruit", FRUIT, HONEST, lifetime=1)])
    assert show_item(client.report("fruit", "apple")) == 2
    assert tuple(client.sum_spending("fruit")) == (0, 0, 0)


def test_reports_beyond_a_cap_look_like_others_on_the_wire(tmp_path: Path) -> None:
    client = Client.open(tmp_path / "client", [make_honest(1)])
    before, after = (client.report("fruit", "apple") for _ in range(2))
    assert len(before.to_bytes()) == len(after.to_bytes())
    assert (before.parameters, before.seed_width) == (after.parameters, after.seed_width)


class _Evil(str):
    __slots__ = ()

    def __hash__(self) -> int:
        raise RuntimeError("nobody looks at me")


@pytest.mark.parametrize(
    "value",
    [None, 3, b"apple", float("nan"), [], _Evil("apple"), "\ud800", object()],
    ids=lambda value: type(value).__name__,
)
def test_no_value_keeps_a_report_from_being_sent_and_counted(tmp_path: Path, value: Any) -> None:
    client = Client.open(tmp_path / "client", [make_honest(3)])
    assert show_item(client.report("fruit", value)) == 2
    assert client.sum_spending("fruit").reports == 1


def test_permanent_noise_is_the_same_again_for_a_value_and_another_for_another_metric(tmp_path: Path) -> None:
    client = Client.open(tmp_path / "client", [make_memoised("site"), make_memoised("page")])
    reports = {name: [client.report(name, "site 7").payload for _ in range(2)] for name in ("site", "page")}
    assert reports["site"][0] == reports["site"][1]
    assert reports["page"][0] == reports["page"][1]
    assert reports["site"][0] != reports["page"][0]


def test_other_people_have_other_permanent_noise(tmp_path: Path) -> None:
    clients = [Client.open(tmp_path / name, [make_memoised()]) for name in ("one", "two")]
    assert clients[0].report("site", "site 7").payload != clients[1].report("site", "site 7").payload


def test_at_a_cap_permanent_noise_is_sent_again_as_it_was(tmp_path: Path) -> None:
    mechanism = MemoisedUnary.calibrate(4, 1, 8)
    metric = Metric("site", Choices(tuple("abcdefg")), mechanism, mechanism.bound_lifetime(3))
    client = Client.open(tmp_path / "client", [metric])
    sent = [client.report("site", value) for value in "abcdefgabc"]
    assert client.sum_spending("site").reports == 3
    assert client.sum_spending("site").whole == Fraction(mechanism.bound_lifetime(3))
    assert set(sent[3:]) == {sent[2]}


def test_permanent_noise_before_the_first_report_is_not_shown_by_a_report_of_nothing(tmp_path: Path) -> None:
    metric = make_memoised(lifetime=0.001)
    client = Client.open(tmp_path / "client", [metric])
    assert client.report("site", "site 7").payload != client.report("site", "site 7").payload


def test_a_new_version_does_not_give_back_what_was_spent(tmp_path: Path) -> None:
    first, second = make_metric(4.0), make_metric(4.0, version=2)
    Client.open(tmp_path / "client", [first]).report("fruit", "apple")
    client = Client.open(tmp_path / "client", [second])
    one = Fraction(first.mechanism.epsilon)
    assert client.sum_spending("fruit") == (one, one, 0)
    for _ in range(9):
        client.report("fruit", "apple")
    assert client.sum_spending("fruit") == (4 * one, 4 * one, 3)


def test_parameters_that_change_and_change_back_have_new_permanent_noise(tmp_path: Path) -> None:
    one, other = make_memoised(), make_memoised(lifetime=1e5)
    sent = [
        Client.open(tmp_path / "client", [each]).report("site", "site 7").payload for each in (one, other, one, one)
    ]
    assert len(set(sent)) == 3
    assert sent[2] == sent[3]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda client: client.report("colour", "red"), "no metric 'colour'; there are fruit"),
        (lambda client: client.report("fruit", "apple", "yesterday"), "a date such as"),
        (lambda client: client.report("fruit", "apple", 5), "a date such as"),
    ],
    ids=["metric", "day", "number"],
)
def test_what_the_application_gets_wrong_is_refused(
    tmp_path: Path, call: Callable[[Client], object], said: str
) -> None:
    with pytest.raises(ClientError, match=said):
        call(Client.open(tmp_path / "client", [make_metric()]))


def test_two_metrics_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ClientError, match="two metrics 'fruit'"):
        Client.open(tmp_path / "client", [make_metric(), make_metric(version=2)])
    assert not (tmp_path / "client").exists()


def test_numbers_and_bits_are_reported_by_the_same_client(tmp_path: Path) -> None:
    bits = Metric("bits", FRUIT, UnaryEncoding.calibrate(1, 3), lifetime=2)
    client = Client.open(tmp_path / "client", [make_metric(), bits])
    assert {client.report(name, "apple").mechanism for name in ("fruit", "bits")} == {"direct", "unary"}
    assert BoundedNumbers(0, 1).place(None) == 0
