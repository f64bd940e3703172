"""What a collection says: estimates with errors, what they cannot show, and the consistent version apart."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

from discreet.base.errors import DiscreetError, ParameterError
from discreet.local.client import (
    OTHER,
    AlphabetWords,
    BoundedNumbers,
    Choices,
    DirectResponse,
    FragmentPuzzle,
    HadamardSketch,
    MemoisedUnary,
    Metric,
    OneBitMean,
    PrefixExtending,
    Records,
    Sampled,
    Texts,
)
from discreet.local.counting import Intake, ReportCounter
from discreet.local.decoding import decode
from discreet.local.estimates import find_quantile
from discreet.local.faults import Fault
from discreet.local.oracles.find import find_oracle
from discreet.local.oracles.sampled import SampledOracle

METRIC = Metric("fruit", Choices(("apple", "banana", "cherry")), DirectResponse.calibrate(1, 4), 8, daily=2)
COUNTS = [3000, 5000, 1000, 1000]


def make_intake(faults: bool = False) -> Intake:
    """Return what the reports of people with these values came to."""
    batch = find_oracle(METRIC.mechanism).encode(np.repeat(np.arange(4), COUNTS))
    intake = ReportCounter(METRIC).count_batch(batch)
    return Intake(intake.tally, {Fault.METRIC: 3, Fault.SEED: 1} if faults else {})


def test_values_stand_in_the_order_of_their_estimates_with_all_numbers() -> None:
    decoded = decode(make_intake())
    rows = list(decoded.table())
    frequencies = [row["frequency"] for row in rows]
    assert frequencies == sorted(frequencies, reverse=True)  # type: ignore[type-var]
    assert {row["value"] for row in rows} == {"apple", "banana", "cherry", OTHER}
    assert rows[0]["value"] == "banana"
    for row in rows:
        assert row["all_low"] < row["low"] < row["frequency"] < row["high"] < row["all_high"]  # type: ignore[operator]
    assert sum(row["consistent"] for row in rows) == pytest.approx(1)  # type: ignore[misc]


def test_the_text_says_what_it_can_and_cannot_show() -> None:
    text = decode(make_intake(faults=True)).text(120, False, None, "utf-8", None)
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


def test_no_number_that_is_promised_is_rounded_down() -> None:
    """A truth of 1.0743 is not told as 1.074, and a bound of .0381 not as .038."""
    mechanism = MemoisedUnary.calibrate(2.0, 1.00004, 4)
    metric = Metric("fruit", METRIC.domain, mechanism, 8.0000001, daily=2.0000001)
    batch = find_oracle(mechanism).encode(np.repeat(np.arange(4), COUNTS))
    decoded = decode(ReportCounter(metric).count_batch(batch))
    told = [float(number) for number in re.findall(r"[0-9.]+[0-9]", decoded.guarantee)]
    assert told == [1.00004, 8.00001, 2.00001]
    assert "on one day, looked at alone" in decoded.guarantee
    for malicious in range(1, 60):
        (note,) = [each for each in decoded.notes(malicious) if "malicious" in each]
        assert float(note.split(" by ")[-1].split()[0]) >= malicious * decoded.readings[0].found.shift


def test_malicious_reports_move_an_estimate_by_what_is_said() -> None:
    intake = make_intake()
    before = decode(intake).readings[0].found
    tally, many = intake.tally, 500
    counts = tally.counts.copy()
    counts[2] += many
    counts[1] -= many
    attacked = decode(Intake(type(tally)(METRIC, tally.reports, counts), {})).readings[0].found
    after = dict(zip(attacked.names, attacked.raw, strict=True))
    moved = np.array([abs(after[name] - raw) for name, raw in zip(before.names, before.raw, strict=True)])
    assert moved.max() == pytest.approx(many * before.shift)
    assert f"{many} malicious reports can move" in decode(intake).notes(many)[1]


def test_the_most_frequent_alone_have_intervals_that_hold_at_once() -> None:
    decoded = decode(make_intake(), top=2)
    assert len(decoded.table()) == 2
    sheet = decoded.sheet()
    assert sheet.simultaneous
    pair = sheet.bounds[0][1]
    assert pair is not None
    assert pair[0] == decoded.readings[0].found.all_low[0]
    with pytest.raises(ParameterError, match="top"):
        decode(make_intake(), top=0)


def test_json_and_csv_hold_the_same_numbers() -> None:
    decoded = decode(make_intake(faults=True), confidence=0.9)
    form = json.loads(decoded.to_json())
    lines = list(csv.reader(io.StringIO(decoded.table().to_csv())))
    assert form["columns"] == lines[0]
    assert [[row[0], *map(str, row[1:])] for row in form["rows"]] == lines[1:]
    assert (form["reports"], form["confidence"]) == (10_000, 0.9)
    assert form["put_aside"] == {"wrong metric": 3, "seed or cohort out of range": 1}
    (reading,) = form["readings"]
    assert reading["shift_of_one_malicious_report"] == decoded.readings[0].found.shift
    assert (reading["attribute"], reading["measure"]) == (None, "frequency")


def test_a_picture_has_a_bar_and_an_interval_for_each_value(tmp_path: Path) -> None:
    figure = decode(make_intake()).plot(tmp_path / "fruit.svg")
    (axes,) = figure.axes
    assert next(label.get_text() for label in axes.get_yticklabels()) == "banana"
    assert len(axes.patches) == 4
    assert (tmp_path / "fruit.svg").stat().st_size > 1000


def test_nothing_is_estimated_from_nothing() -> None:
    with pytest.raises(DiscreetError, match="no sound report of fruit"):
        decode(Intake.start(METRIC))
    with pytest.raises(ParameterError, match="confidence"):
        decode(make_intake(), confidence=1.0)


def make_records(fruits: int = 2) -> Intake:
    """Return what 9,000 people's records came to, of which a report tells one of three attributes."""
    names = ("age", "fruit", "word")
    domain = Records(names, (BoundedNumbers(0, 100), Choices(("apple", "banana")[:fruits]), Texts()))
    parts = (OneBitMean.calibrate(8), DirectResponse.calibrate(8, fruits + 1), HadamardSketch.calibrate(8, 64, 64))
    metric = Metric("person", domain, Sampled(parts), lifetime=8)
    oracle = find_oracle(metric.mechanism)
    assert isinstance(oracle, SampledOracle)
    ages, held = np.full(9000, 0.5), np.arange(9000) % 2
    return ReportCounter(metric).count_batch(oracle.encode_columns([ages, held, [b"yes", b"no", b"no"] * 3000]))


def test_attributes_of_records_are_decoded_each_by_its_kind() -> None:
    decoded = decode(make_records(), candidates={"word": ["yes", "no"]})
    rows = {(row["attribute"], row["value"]): row for row in decoded.table()}
    expected = {("age", "(mean)"): 75, ("fruit", "apple"): 0.5, ("word", "no"): 2 / 3, ("word", "yes"): 1 / 3}
    for key, true in expected.items():
        assert abs(rows[key]["estimate"] - true) < 5.5 * rows[key]["standard_error"], key  # type: ignore[operator]
    assert [(each.metric.name, each.measure) for each in decoded.readings] == [
        ("age", "mean"),
        ("fruit", "frequency"),
        ("word", "frequency"),
    ]


def test_intervals_of_records_hold_for_all_attributes_at_once_and_errors_have_the_draw_of_those_who_told() -> None:
    decoded = decode(make_records(), candidates={"word": ["yes", "no"]})
    fruit = decoded.readings[1].found
    assert {each.found.compared for each in decoded.readings} == {1 + 3 + 2}
    assert fruit.all_high - fruit.raw == pytest.approx(find_quantile(0.95, 6) * fruit.errors)
    drawn = np.sqrt(0.25 / fruit.reports * (1 - fruit.reports / 9000))
    assert fruit.errors[0] > 0.99 * drawn


def test_liars_choose_the_attribute_that_they_lie_about() -> None:
    """One of a hundred reports is one of all: not of those that told this attribute."""
    decoded = decode(make_records(), candidates={"word": ["yes", "no"]})
    assert [note for note in decoded.notes() if "fruit: 90 malicious reports" in note]
    assert not [note for note in decoded.notes() if "malicious" in note and "90 malicious" not in note]


def test_words_that_noise_chose_have_intervals_that_hold_at_once() -> None:
    words = AlphabetWords("ab", 3)
    metric = Metric("word", words, PrefixExtending.calibrate(4, words.bits, first=2, step=2, pool=64), lifetime=4)
    batch = find_oracle(metric.mechanism).encode(np.full(5000, words.place("ab"), dtype=np.uint64))
    decoded = decode(ReportCounter(metric).count_batch(batch), top=3)
    assert decoded.sheet(simultaneous=False).simultaneous
    assert decoded.readings[0].found.names[0] == "ab"
    assert len(decoded.table()) == 3


def test_candidates_are_for_the_attributes_that_need_them() -> None:
    with pytest.raises(ParameterError, match="age, fruit, word"):
        decode(make_records(), candidates=["yes"])
    with pytest.raises(ParameterError, match="age, fruit, word"):
        decode(make_records(), candidates={"wrod": ["yes"]})
    with pytest.raises(DiscreetError, match="fruit has choices, which need no candidates"):
        decode(make_records(), candidates={"word": ["yes"], "fruit": ["apple"]})
    with pytest.raises(ParameterError, match="no attributes"):
        decode(make_intake(), candidates={"word": ["yes"]})


def test_a_puzzle_in_which_nothing_stands_out_says_so() -> None:
    words = AlphabetWords("ab", 3)
    metric = Metric("word", words, FragmentPuzzle.calibrate(1, words.bits, 2, 8, 32, 32), lifetime=1)
    batch = find_oracle(metric.mechanism).encode(np.array([words.place("ab")], dtype=np.uint64))
    decoded = decode(ReportCounter(metric).count_batch(batch))
    assert len(decoded.table()) == 0
    assert "1 report by puzzle; no word stands out" in decoded.notes()[0]
    assert "no word stands out" in decoded.text(100, False, None, "utf-8", None)
    with pytest.raises(DiscreetError, match="nothing to draw"):
        decoded.plot(None)
