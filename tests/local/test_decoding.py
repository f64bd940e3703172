"""What a collection says: estimates with errors, what they cannot show, and the consistent version apart."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from discreet.base.errors import DiscreetError, ParameterError
from discreet.local.client import OTHER, Choices, DirectResponse, Metric
from discreet.local.collector import Collection
from discreet.local.counting import Intake, ReportCounter
from discreet.local.decoding import decode
from discreet.local.faults import Fault
from discreet.local.oracles.find import find_oracle

METRIC = Metric("fruit", Choices(("apple", "banana", "cherry")), DirectResponse.calibrate(1, 4), 8, daily=2)
COUNTS = [3000, 5000, 1000, 1000]


def make_collection(faults: bool = False) -> Collection:
    """Return a collection whose counts are as if every report were the truth with its chance, exactly."""
    batch = find_oracle(METRIC.mechanism).encode(np.repeat(np.arange(4), COUNTS))
    intake = ReportCounter(METRIC).count_batch(batch)
    return Collection(Intake(intake.tally, {Fault.METRIC: 3, Fault.SEED: 1} if faults else {}), {"day": "0" * 64})


def test_values_stand_in_the_order_of_their_estimates_with_all_numbers() -> None:
    decoded = decode(make_collection())
    rows = list(decoded.table())
    frequencies = [row["frequency"] for row in rows]
    assert frequencies == sorted(frequencies, reverse=True)  # type: ignore[type-var]
    assert {row["value"] for row in rows} == {"apple", "banana", "cherry", OTHER}
    assert rows[0]["value"] == "banana"
    for row in rows:
        assert row["all_low"] < row["low"] < row["frequency"] < row["high"] < row["all_high"]  # type: ignore[operator]
    assert sum(row["consistent"] for row in rows) == pytest.approx(1)  # type: ignore[misc]


def test_the_text_says_what_it_can_and_cannot_show() -> None:
    text = decode(make_collection(faults=True)).text(120, False, None, "utf-8", None)
    for said in (
        "95 % intervals, each on its own",
        "each report is 1-differentially private before it is sent",
        "at most 8 in a lifetime, 2 on one day",
        "10,000 reports by direct; the smallest frequency that stands out of the noise, half of the times, is 0.0",
        "100 malicious reports can move a frequency by 0.0",
        "consistent: the nearest numbers that are not below 0",
        "put aside, and not counted: 3 wrong metric, 1 seed or cohort out of range",
    ):
        assert said in " ".join(text.split()), said


def test_malicious_reports_move_an_estimate_by_what_is_said() -> None:
    collection = make_collection()
    before = decode(collection).frequencies
    tally, many = collection.intake.tally, 500
    counts = tally.counts.copy()
    counts[2] += many
    counts[1] -= many
    attacked = Collection(Intake(type(tally)(METRIC, tally.reports, counts), {}), {})
    moved = np.abs(decode(attacked).frequencies.raw - before.raw)
    assert moved.max() == pytest.approx(many * before.shift)
    assert f"{many} malicious reports can move" in decode(collection).notes(many)[1]


def test_the_most_frequent_alone_have_intervals_that_hold_at_once() -> None:
    decoded = decode(make_collection(), top=2)
    assert len(decoded.table()) == 2
    sheet = decoded.sheet()
    assert sheet.simultaneous
    pair = sheet.bounds[0][1]
    assert pair is not None
    assert pair[0] == decoded.frequencies.all_low[1]
    with pytest.raises(ParameterError, match="top"):
        decode(make_collection(), top=0)


def test_json_and_csv_hold_the_same_numbers() -> None:
    decoded = decode(make_collection(faults=True), confidence=0.9)
    form = json.loads(decoded.to_json())
    lines = list(csv.reader(io.StringIO(decoded.table().to_csv())))
    assert form["columns"] == lines[0]
    assert [[row[0], *map(str, row[1:])] for row in form["rows"]] == lines[1:]
    assert (form["reports"], form["confidence"]) == (10_000, 0.9)
    assert form["put_aside"] == {"wrong metric": 3, "seed or cohort out of range": 1}
    assert form["shift_of_one_malicious_report"] == decoded.frequencies.shift


def test_a_picture_has_a_bar_and_an_interval_for_each_value(tmp_path: Path) -> None:
    figure = decode(make_collection()).plot(tmp_path / "fruit.svg")
    (axes,) = figure.axes
    assert next(label.get_text() for label in axes.get_yticklabels()) == "banana"
    assert len(axes.patches) == 4
    assert (tmp_path / "fruit.svg").stat().st_size > 1000


def test_nothing_is_estimated_from_nothing() -> None:
    with pytest.raises(DiscreetError, match="no sound report of fruit"):
        decode(Collection.start(METRIC))
    with pytest.raises(ParameterError, match="confidence"):
        decode(make_collection(), confidence=1.0)
