"""Counting reports: the sound ones exactly, others by their fault, the same in every form and grouping."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.local.client import Metric, read_report
from discreet.local.client.errors import ClientError
from discreet.local.counting import COLUMNS, Intake, ReportCounter, split_frames
from discreet.local.faults import Fault
from discreet.local.report_files import find_schema, to_arrow, to_lines
from discreet.local.tally import Tally
from support.local_reports import MECHANISMS, break_report, frame, make_batch, make_metric, make_reports

METRICS = [make_metric(mechanism) for mechanism in MECHANISMS]
EACH = pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.mechanism.kind)
HADAMARD = make_metric()
SOUND = make_reports(HADAMARD, 40)
BROKEN = [broken for report in SOUND[:2] for _, broken in break_report(HADAMARD, report)]


def count_one_by_one(metric: Metric, reports: list[bytes]) -> Intake:
    """Count reports as slowly and plainly as can be."""
    total, faults = Tally.start(metric), dict[Fault, int]()
    for report in reports:
        read = read_report(report)
        assert (read.metric, read.parameters, read.mechanism) == (metric.name, metric.parameters, metric.mechanism.kind)
        total, bad = total.add(make_batch(read))
        assert bad == 0
    return Intake(total, faults)


@EACH
def test_frames_of_sound_reports_are_all_counted(metric: Metric) -> None:
    reports = make_reports(metric, 300)
    counter = ReportCounter(metric)
    assert {len(report) + 2 for report in reports} == {counter.frame_size}
    found, used = counter.count_frames(frame(*reports))
    assert used == len(frame(*reports))
    assert found == count_one_by_one(metric, reports)
    assert found.reports == 300


@EACH
def test_a_broken_report_is_counted_by_what_is_wrong_with_it_and_skews_nothing(metric: Metric) -> None:
    reports = make_reports(metric, 20)
    sound, counter = count_one_by_one(metric, reports), ReportCounter(metric)
    seen = set()
    for fault, broken in break_report(metric, reports[0]):
        for order in ([broken, *reports], [*reports[:7], broken, *reports[7:]], [*reports, broken]):
            found = counter.count_stream([frame(*order)])
            assert found.tally == sound.tally, fault
            assert found.faults == {fault: 1}, broken
        seen.add(fault)
    assert seen >= set(Fault) - {Fault.UNREADABLE, Fault.PAYLOAD, Fault.SEED}


def test_every_fault_of_bytes_was_broken_somewhere() -> None:
    seen = {fault for metric in METRICS for fault, _ in break_report(metric, make_reports(metric, 1)[0])}
    assert seen == set(Fault) - {Fault.UNREADABLE}


@EACH
def test_lines_and_columns_come_to_the_same_as_frames(metric: Metric) -> None:
    reports = make_reports(metric, 50)
    batch, counter = make_batch(*(read_report(report) for report in reports)), ReportCounter(metric)
    found = counter.count_stream([frame(*reports)])
    assert counter.count_lines(to_lines(metric, batch).splitlines(keepends=True)) == found
    assert counter.count_arrow(to_arrow(metric, batch)) == found
    assert counter.count_arrow(to_arrow(metric, batch).slice(7, 20)) == counter.count_stream([frame(*reports[7:27])])


@EACH
def test_broken_reports_have_the_same_fault_in_lines_and_columns_as_in_frames(metric: Metric) -> None:
    reports, counter = make_reports(metric, 5), ReportCounter(metric)
    for fault, broken in break_report(metric, reports[0]):
        try:
            read = read_report(broken)
        except ClientError:
            continue
        assert counter.count_lines([read.to_json().encode()]).faults == {fault: 1}, broken
        table = pa.table([[getattr(read, name)] for name in COLUMNS], schema=find_schema()).to_batches()[0]
        if read.seed_width == metric.seed_width:
            assert counter.count_arrow(table).faults == {fault: 1}, broken


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b"nonsense", Fault.UNREADABLE),
        (b"[" * 100_000, Fault.UNREADABLE),
        (b"7", Fault.UNREADABLE),
        (b'{"metric": "item"}', Fault.UNREADABLE),
        (b"\xff\xfe", Fault.UNREADABLE),
        (b"9" * 200_000, Fault.OVERSIZED),
        (b'{"version": 2}', Fault.VERSION),
        (b'{"version": 1, "metric": 5}', Fault.METRIC),
        (b'{"version": 1, "metric": "item", "parameters": []}', Fault.PARAMETERS),
    ],
    ids=lambda each: str(each)[:20],
)
def test_lines_that_are_no_reports_are_counted(line: bytes, fault: Fault) -> None:
    assert ReportCounter(HADAMARD).count_lines([line, b" \n"]) == Intake(Tally.start(HADAMARD), {fault: 1})


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"mechanism": {"a": 1}}, Fault.MECHANISM),
        ({"mechanism": "unheard-of"}, Fault.MECHANISM),
        ({"seed": 1 << 70}, Fault.SEED),
        ({"seed": -1}, Fault.SEED),
        ({"seed": 1.5}, Fault.SEED),
        ({"seed_width": 99}, Fault.SEED),
        ({"payload": "%%%"}, Fault.UNREADABLE),
        ({"payload": None}, Fault.UNREADABLE),
        ({"more": 1}, Fault.UNREADABLE),
    ],
    ids=str,
)
def test_lines_with_a_wrong_field_are_counted(change: dict[str, Any], fault: Fault) -> None:
    import json

    form = json.loads(read_report(SOUND[0]).to_json()) | change
    assert ReportCounter(HADAMARD).count_lines([json.dumps(form).encode()]).faults == {fault: 1}


def test_columns_with_nulls_and_odd_seeds_are_counted() -> None:
    metric, read = HADAMARD, read_report(SOUND[0])
    row = {name: getattr(read, name) for name in COLUMNS}
    rows = [row, *({**row, name: None} for name in COLUMNS), {**row, "seed": -1}, {**row, "seed": 1 << 40}]
    table = pa.Table.from_pylist(rows, find_schema()).to_batches()[0]
    found = ReportCounter(metric).count_arrow(table)
    assert found.faults == {Fault.UNREADABLE: len(COLUMNS), Fault.SEED: 2}
    assert found.tally == count_one_by_one(metric, SOUND[:1]).tally


def test_columns_of_other_types_that_hold_the_same_are_counted_and_others_refused() -> None:
    table = to_arrow(HADAMARD, make_batch(*(read_report(report) for report in SOUND)))
    wide = {"metric": pa.large_string(), "parameters": pa.binary(8), "seed": pa.uint64(), "payload": pa.large_binary()}
    cast = table.cast(pa.schema([(field.name, wide.get(field.name, field.type)) for field in table.schema]))
    counter = ReportCounter(HADAMARD)
    assert counter.count_arrow(cast) == counter.count_stream([frame(*SOUND)])
    huge = table.set_column(3, "seed", pa.array([(1 << 64) - 1] * len(SOUND), pa.uint64()))
    assert counter.count_arrow(huge).faults == {Fault.SEED: len(SOUND)}
    with pytest.raises(ParameterError, match="column seed"):
        counter.count_arrow(table.set_column(3, "seed", pa.array(np.zeros(len(SOUND)))))
    with pytest.raises(ParameterError, match="columns of reports"):
        counter.count_arrow(table.drop_columns(["payload"]))


def test_frames_are_split_where_their_lengths_say_and_the_rest_is_left() -> None:
    starts, ends = split_frames(frame(b"abc", b"", b"xy") + b"\x05\x00zz")
    assert (starts.tolist(), ends.tolist()) == ([2, 7, 9], [5, 7, 11])


@settings(max_examples=30)
@given(st.lists(st.sampled_from(SOUND + BROKEN), max_size=60), st.lists(st.integers(0, 40), max_size=8), st.randoms())
def test_any_order_any_grouping_and_any_pieces_come_to_the_same(
    reports: list[bytes], cuts: list[int], chance: Any
) -> None:
    counter = ReportCounter(HADAMARD)
    whole = counter.count_stream([frame(*reports)])
    assert whole.reports == len(reports)
    shuffled = reports.copy()
    chance.shuffle(shuffled)
    assert counter.count_stream([frame(*shuffled)]) == whole
    places = sorted({min(cut, len(reports)) for cut in cuts})
    pairs = zip([0, *places], [*places, len(reports)], strict=True)
    parts = [counter.count_stream([frame(*reports[start:end])]) for start, end in pairs]
    chance.shuffle(parts)
    while len(parts) > 1:
        place = chance.randrange(len(parts) - 1)
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
    assert parts[0] == whole
    data = frame(*reports)
    assert counter.count_stream(data[place : place + 7] for place in range(0, len(data), 7)) == whole


@settings(max_examples=50)
@given(st.binary(max_size=300))
def test_no_bytes_whatsoever_make_it_fail_or_count(data: bytes) -> None:
    counter = ReportCounter(HADAMARD)
    for found in (counter.count_stream([data]), counter.count_lines(data.splitlines(keepends=True))):
        assert found.tally == Tally.start(HADAMARD)
    assert counter.count_stream([frame(*SOUND), data]).tally == counter.count_stream([frame(*SOUND)]).tally


def test_intakes_of_different_metrics_are_not_added() -> None:
    with pytest.raises(ParameterError, match="same metric"):
        Intake.start(METRICS[0]) + Intake.start(METRICS[1])
