"""Every kind of mechanism, all the way: a client's report, the wire, the collector, and what is decoded."""

from __future__ import annotations

import json
import secrets
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest

from discreet.answers.numbers import format_price
from discreet.base.errors import DiscreetError
from discreet.local.client import Client, Metric, read_metric
from discreet.local.client.kinds import KINDS
from discreet.local.client.metric import SYSTEM
from discreet.local.collector import Collector, load_collection
from discreet.local.counting import Intake
from discreet.local.decoding import Decoded, decode
from discreet.local.kept_reports import read_reports
from discreet.local.report_files import writing_reports
from discreet.local.simulating import make_values, simulate
from support.local_kinds import KindCase, make_kinds

CASES = make_kinds()
PEOPLE = 3000
FAR = 5.5
"""Standard errors: of all numbers here, one is so far off about once in a million runs."""


def write_frames(metric: Metric, values: Any) -> bytes:
    """Return the reports that people's own devices would send, each with a secret of its own."""
    frames = b""
    for value in values:
        told = metric.mechanism.recall(metric.domain.place(value), secrets.token_bytes(32), SYSTEM)
        data = metric.wrap(told).to_bytes()
        frames += len(data).to_bytes(2, "little") + data
    return frames


def collect(case: KindCase, folder: Path) -> Intake:
    """Return what a collector counted of many people's reports, from its checkpoint."""
    metric = read_metric(case.metric.to_json())
    frames = write_frames(metric, islice(cycle(case.values), PEOPLE))
    with Collector(folder / "counts", metric) as collector:
        collector.ingest_frames("monday", frames[: len(frames) // PEOPLE * 1000])
        collector.ingest_frames("tuesday", frames[len(frames) // PEOPLE * 1000 :])
    return load_collection(folder / "counts").intake


@pytest.fixture(params=KINDS, scope="module")
def case(request: pytest.FixtureRequest) -> KindCase:
    return CASES[request.param]


@pytest.fixture(scope="module")
def intake(case: KindCase, tmp_path_factory: pytest.TempPathFactory) -> Intake:
    return collect(case, tmp_path_factory.mktemp("counts"))


def list_rows(decoded: Decoded) -> dict[tuple[str, ...], dict[str, Any]]:
    keys = ("attribute", "value") if decoded.has_attributes else ("value",)
    return {tuple(str(row[key]) for key in keys): row for row in decoded.table()}


def test_every_kind_has_a_case() -> None:
    assert set(CASES) == set(KINDS)


@pytest.mark.many
def test_what_people_have_is_decoded_within_its_errors(case: KindCase, intake: Intake) -> None:
    assert (intake.tally.reports, intake.faults) == (PEOPLE, {})
    decoded = decode(intake, 0.99, candidates=case.candidates)
    rows = list_rows(decoded)
    for key, true in case.truth.items():
        row = rows[key]
        raw = row.get("estimate", row.get("frequency", row.get("mean")))
        assert raw is not None
        assert abs(raw - true) < FAR * row["standard_error"], key
        assert row["all_low"] <= row["low"] < raw < row["high"] <= row["all_high"]
    for row in rows.values():
        assert row["standard_error"] > 0
        assert row["consistent"] >= 0


@pytest.mark.many
def test_the_report_says_what_stands_out_what_is_consistent_and_how_far_liars_reach(
    case: KindCase, intake: Intake
) -> None:
    decoded = decode(intake, candidates=case.candidates)
    text = " ".join(decoded.text(200, True, 30, "utf-8", None).split())
    for said in ("95 % intervals, all at once", "stands out", "30 malicious reports can move a", "consistent"):
        assert said in text, said
    assert f"each report is {format_price(case.metric.mechanism.epsilon)}-differentially private" in text
    form = json.loads(decoded.to_json())
    for reading in form["readings"]:
        assert reading["shift_of_one_malicious_report"] > 0
        assert reading["detectable"] > 0
    heads = [axes.get_title(loc="left") for axes in decoded.plot(None).axes]
    names = [f"{each.metric.name}: " if decoded.has_attributes else "" for each in decoded.readings]
    assert heads == [name + each.measure for name, each in zip(names, decoded.readings, strict=True)]


def test_a_client_s_reports_are_counted_before_they_are_sent_and_in_the_collector_s_form(
    case: KindCase, tmp_path: Path
) -> None:
    client, metric = Client.open(tmp_path / "me", [case.metric]), case.metric
    lines = [client.report("thing", value, "2026-03-01").to_json() for value in (case.values[0], None, object())]
    (tmp_path / "a.jsonl").write_text("\n".join(lines) + "\n")
    with Collector(tmp_path / "counts", metric) as collector:
        outcome = collector.ingest(tmp_path / "a.jsonl")
    assert outcome.intake is not None
    assert (outcome.intake.tally.reports, outcome.intake.faults) == (3, {})
    assert client.sum_spending("thing").whole > 0


def test_reports_made_in_bulk_come_to_the_same_kind_of_estimates(case: KindCase, tmp_path: Path) -> None:
    made = make_values(case.metric.domain, 2000)
    assert simulate(case.metric, iter([made]), tmp_path / "bulk.frames") == (2000, 0)
    batch, intake = read_reports(case.metric, [tmp_path / "bulk.frames"])
    assert (len(batch), intake.tally.reports) == (2000, 2000)
    decoded = decode(intake, candidates=case.candidates)
    assert sum(reading.found.reports for reading in decoded.readings) > 0


def test_unsound_reports_of_any_kind_are_put_aside(case: KindCase, tmp_path: Path) -> None:
    with writing_reports(case.metric, tmp_path / "bulk.frames"):
        pass
    frames = write_frames(case.metric, case.values[:5])
    whole = len(frames) // 5
    (tmp_path / "bulk.frames").write_bytes(frames[: 2 * whole] + b"\x03\x00abc" + frames[2 * whole : -1])
    batch, intake = read_reports(case.metric, [tmp_path / "bulk.frames"])
    assert (len(batch), intake.tally.reports, sum(intake.faults.values())) == (4, 4, 2)


def test_what_counts_alone_do_not_spell_asks_for_candidates(tmp_path: Path) -> None:
    for kind, said in (
        ("count-mean", "name the candidates"),
        ("rappor", "name the candidates"),
        ("rappor-strings", "local strings"),
        ("sampled", "name the candidates"),
    ):
        frames = write_frames(CASES[kind].metric, [*CASES[kind].values] * 3)
        with Collector(tmp_path / kind, CASES[kind].metric) as collector:
            collector.ingest_frames("all", frames)
            intake = collector.collection.intake
        with pytest.raises(DiscreetError, match=said):
            decode(intake)
    with pytest.raises(DiscreetError, match="need no candidates"):
        decode(collect(CASES["one-bit"], tmp_path), candidates=["apple"])
