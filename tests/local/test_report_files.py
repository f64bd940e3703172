"""Files of reports: what is written comes back in every format, and nothing in a file stops the counting."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.base.errors import DiscreetError, ParameterError
from discreet.local import report_files
from discreet.local.client import read_report
from discreet.local.counting import ReportCounter
from discreet.local.faults import Fault
from discreet.local.oracles.find import find_oracle
from discreet.local.report_files import ENDINGS, count_file, hash_file, writing_reports
from support.local_reports import SIZE, break_report, frame, make_batch, make_metric, make_reports

METRIC = make_metric()
COUNTER = ReportCounter(METRIC)


@pytest.mark.parametrize("ending", ENDINGS)
def test_reports_come_back_from_every_format(tmp_path: Path, ending: str) -> None:
    batches = [find_oracle(METRIC.mechanism).encode(np.arange(count) % SIZE) for count in (30, 0, 7)]
    path = tmp_path / f"reports{ending}"
    with writing_reports(METRIC, path) as write:
        for batch in batches:
            write(batch)
    found = count_file(COUNTER, path)
    expected = COUNTER.count_batch(batches[0]) + COUNTER.count_batch(batches[2])
    assert found.intake == expected
    assert found.digest == hash_file(path) == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_is_read_in_pieces(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / f"reports{ending}"
    with writing_reports(METRIC, path) as write:
        write(find_oracle(METRIC.mechanism).encode(np.arange(100) % SIZE))
    whole = count_file(COUNTER, path)
    for name, few in (("PIECE", 100), ("ROWS", 9), ("MANY_LINES", 9)):
        monkeypatch.setattr(report_files, name, few)
    assert count_file(COUNTER, path) == whole


def test_a_file_that_was_not_written_to_its_end_is_not_there(tmp_path: Path) -> None:
    with contextlib.suppress(RuntimeError), writing_reports(METRIC, tmp_path / "reports.frames") as write:
        write(find_oracle(METRIC.mechanism).encode([1, 2]))
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_broken_and_sound_frames_in_one_file_are_all_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reports = make_reports(METRIC, 50)
    broken = [each for _, each in break_report(METRIC, reports[0])]
    path = tmp_path / "reports.frames"
    path.write_bytes(frame(*reports[:20], *broken, *reports[20:]) + b"\x09\x00abc")
    sound = COUNTER.count_stream([frame(*reports)])
    for piece in (1 << 24, 64, 1):
        monkeypatch.setattr(report_files, "PIECE", piece)
        found = count_file(COUNTER, path).intake
        assert found.tally == sound.tally
        assert sum(found.faults.values()) == len(broken) + 1


def test_lines_of_any_length_are_counted_without_being_held(tmp_path: Path) -> None:
    path = tmp_path / "reports.jsonl"
    line = read_report(make_reports(METRIC, 1)[0]).to_json().encode()
    path.write_bytes(b"\n".join([line, b"x" * (3 << 17), line, b"y" * ((1 << 17) - 1), b"", line]))
    found = count_file(COUNTER, path)
    assert found.intake.tally.reports == 3
    assert found.intake.faults == {Fault.OVERSIZED: 2}
    assert found.digest == hash_file(path)


@pytest.mark.parametrize("content", [b"", b"nonsense", b"PAR1" + bytes(40) + b"PAR1"], ids=["empty", "text", "forged"])
def test_what_is_no_parquet_at_all_is_refused_whole(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "reports.parquet"
    path.write_bytes(content)
    with pytest.raises(DiscreetError, match="no sound Parquet"):
        count_file(COUNTER, path)


def test_parquet_without_the_columns_of_reports_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"seed": [1]}), tmp_path / "reports.parquet")
    with pytest.raises(ParameterError, match="columns of reports"):
        count_file(COUNTER, tmp_path / "reports.parquet")


def test_other_endings_and_missing_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"\.frames, \.jsonl, \.parquet"):
        count_file(COUNTER, tmp_path / "reports.txt")
    with pytest.raises(DiscreetError, match="cannot be read"):
        count_file(COUNTER, tmp_path / "reports.frames")
    with pytest.raises(ParameterError), writing_reports(METRIC, tmp_path / "reports"):
        pass


def test_the_hash_of_a_folder_is_that_of_its_names_and_contents(tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "a").write_text("1")
    first = hash_file(folder)
    (folder / "b").write_text("")
    assert hash_file(folder) != first
    (folder / "b").unlink()
    assert hash_file(folder) == first
    (folder / "a").rename(folder / "c")
    assert hash_file(folder) != first


def test_batches_are_made_of_reports() -> None:
    reports = [read_report(report) for report in make_reports(METRIC, 3)]
    assert make_batch(*reports).seeds.tolist() == [report.seed for report in reports]
