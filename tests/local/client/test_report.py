from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.local.client import (
    Choices,
    ClientError,
    DirectResponse,
    HadamardBit,
    LocalHashing,
    Mechanism,
    Metric,
    ProjectiveResponse,
    SubsetSelection,
    UnaryEncoding,
    read_json_report,
    read_report,
)

FRUIT = Choices(("apple", "banana", "cherry"))
MECHANISMS: list[Mechanism] = [
    kind.calibrate(1.0, 4)
    for kind in (DirectResponse, UnaryEncoding, LocalHashing, HadamardBit, SubsetSelection, ProjectiveResponse)
]


def make(mechanism: Mechanism) -> Metric:
    return Metric("fruit", FRUIT, mechanism, lifetime=8)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda each: each.kind)
def test_reports_go_and_come_as_bytes_and_as_json(mechanism: Mechanism) -> None:
    metric = make(mechanism)
    for value in ("apple", "durian", None, 3.5):
        report = metric.encode(value)
        assert read_report(report.to_bytes()) == report == read_json_report(report.to_json())


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda each: each.kind)
def test_all_reports_of_a_metric_have_one_length(mechanism: Mechanism) -> None:
    metric = make(mechanism)
    assert len({len(metric.encode(value).to_bytes()) for value in ("apple", "", None) for _ in range(20)}) == 1


def test_the_bytes_of_a_report_never_change_their_meaning() -> None:
    metric = Metric("fruit", FRUIT, HadamardBit(4, 1 << 63), lifetime=8)
    report = read_report(bytes.fromhex("010405") + b"fruit" + metric.parameters + bytes.fromhex("0105010001"))
    assert (report.seed, report.payload, report.mechanism) == (5, b"\x01", "hadamard")
    assert metric.parameters.hex() == "81cccb99192da370"


@pytest.mark.parametrize("cut", range(1, 21))
def test_a_report_that_is_cut_short_is_refused(cut: int) -> None:
    data = make(MECHANISMS[3]).encode("apple").to_bytes()
    assert len(data) > 20
    with pytest.raises(ClientError):
        read_report(data[:-cut])


def test_a_report_of_another_version_is_refused() -> None:
    data = make(MECHANISMS[0]).encode("apple").to_bytes()
    with pytest.raises(ClientError, match="version 1"):
        read_report(b"\x02" + data[1:])
    with pytest.raises(ClientError):
        read_report(data + b"\x00")
    with pytest.raises(ClientError):
        read_report(data[:1] + b"\xff" + data[2:])


@given(st.binary(max_size=60))
def test_no_bytes_make_the_reader_fail_otherwise(data: bytes) -> None:
    try:
        read_report(b"\x01\x01" + data)
    except ClientError:
        return
    assert read_report(b"\x01\x01" + data).to_bytes() == b"\x01\x01" + data


WRONG = [
    {"version": 2},
    {"payload": "!!"},
    {"payload": 5},
    {"seed": -1},
    {"seed": 1 << 70},
    {"seed": True},
    {"seed_width": 9},
    {"parameters": "00"},
    {"parameters": "zz"},
    {"mechanism": "truth"},
    {"metric": 7},
    {"more": 1},
]


@pytest.mark.parametrize("change", WRONG, ids=str)
def test_a_json_report_with_a_wrong_field_is_refused(change: dict[str, object]) -> None:
    form = json.loads(make(MECHANISMS[3]).encode("apple").to_json())
    with pytest.raises(ClientError, match="no report"):
        read_json_report(json.dumps(form | change))


@pytest.mark.parametrize("line", ["", "[]", "null", "{}", "[" * 100_000, '{"version": 1}'])
def test_a_line_that_is_no_report_is_refused(line: str) -> None:
    with pytest.raises(ClientError, match="no report"):
        read_json_report(line)
