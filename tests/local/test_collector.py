"""The collector: every batch once, whole or not at all, and the same bytes after any crash."""

from __future__ import annotations

import contextlib
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import DiscreetError, ParameterError
from discreet.local.collector import (
    Collection,
    Collector,
    Fate,
    Outcome,
    load_collection,
    read_collection,
)
from discreet.local.counting import ReportCounter
from discreet.local.faults import Fault
from support.local_reports import MECHANISMS, break_report, frame, make_metric, make_reports

METRIC = make_metric()
COUNTER = ReportCounter(METRIC)
REPORTS = make_reports(METRIC, 60)
BROKEN = [broken for _, broken in break_report(METRIC, REPORTS[0])]


def write_batches(folder: Path, count: int = 3) -> list[Path]:
    """Write files of reports, each with some broken ones."""
    paths = [folder / f"day-{place}.frames" for place in range(count)]
    for place, path in enumerate(paths):
        path.write_bytes(frame(*REPORTS[10 * place : 10 * place + 10], *BROKEN[place : place + 2]))
    return paths


def collect(checkpoint: Path, paths: list[Path]) -> list[Outcome]:
    with Collector(checkpoint, METRIC) as collector:
        return [collector.ingest(path) for path in paths]


def test_batches_are_counted_and_kept(tmp_path: Path) -> None:
    paths = write_batches(tmp_path)
    outcomes = collect(tmp_path / "counts", paths)
    assert [(outcome.batch, outcome.fate) for outcome in outcomes] == [(path.name, Fate.COUNTED) for path in paths]
    found = load_collection(tmp_path / "counts")
    assert found.intake == COUNTER.count_stream([b"".join(path.read_bytes() for path in paths)])
    assert (found.intake.tally.reports, found.intake.reports) == (30, 36)
    assert sorted(found.batches) == [path.name for path in paths]


def test_a_batch_that_came_before_is_skipped_and_changes_nothing(tmp_path: Path) -> None:
    paths = write_batches(tmp_path)
    collect(tmp_path / "counts", paths)
    before = (tmp_path / "counts").read_bytes()
    outcomes = collect(tmp_path / "counts", [*paths, paths[0]])
    assert [outcome.fate for outcome in outcomes] == [Fate.SKIPPED] * 4
    assert (tmp_path / "counts").read_bytes() == before


def test_a_batch_that_comes_twice_in_one_run_counts_once(tmp_path: Path) -> None:
    (path,) = write_batches(tmp_path, 1)
    assert [each.fate for each in collect(tmp_path / "counts", [path, path])] == [Fate.COUNTED, Fate.SKIPPED]
    assert load_collection(tmp_path / "counts").intake.tally.reports == 10


def test_other_reports_under_a_name_that_was_used_are_refused(tmp_path: Path) -> None:
    first, second, _ = write_batches(tmp_path)
    with Collector(tmp_path / "counts", METRIC) as collector:
        collector.ingest(first)
        outcome = collector.ingest(second, batch=first.name)
        assert (outcome.fate, outcome.intake) == (Fate.REFUSED, None)
        assert "give another" in outcome.reason
        assert collector.ingest(second).fate is Fate.COUNTED


def test_a_copy_under_another_name_is_counted_and_pointed_out(tmp_path: Path) -> None:
    (path,) = write_batches(tmp_path, 1)
    with Collector(tmp_path / "counts", METRIC) as collector:
        assert collector.ingest(path).reason == ""
        assert f"same content as {path.name}" in collector.ingest(path, batch="copy").reason


def test_frames_from_memory_are_a_batch_too(tmp_path: Path) -> None:
    with Collector(tmp_path / "counts", METRIC) as collector:
        first = collector.ingest_frames("noon", frame(*REPORTS[:10]) + b"\x07")
        assert first.intake is not None
        assert first.intake.faults == {Fault.TRUNCATED: 1}
        assert collector.ingest_frames("noon", frame(*REPORTS[:10]) + b"\x07").fate is Fate.SKIPPED
        assert collector.ingest_frames("noon", frame(*REPORTS[:10])).fate is Fate.REFUSED


def test_a_file_that_cannot_be_read_is_refused_and_others_go_on(tmp_path: Path) -> None:
    (path,) = write_batches(tmp_path, 1)
    (tmp_path / "bad.parquet").write_bytes(b"nonsense")
    with Collector(tmp_path / "counts", METRIC) as collector:
        outcomes = [collector.ingest(each) for each in (tmp_path / "bad.parquet", tmp_path / "none.frames", path)]
        assert collector.ingest(path, batch="x" * 201).fate is Fate.REFUSED
        assert collector.ingest(path, batch="").fate is Fate.REFUSED
    assert [outcome.fate for outcome in outcomes] == [Fate.REFUSED, Fate.REFUSED, Fate.COUNTED]
    assert load_collection(tmp_path / "counts").intake.tally.reports == 10


def test_the_bytes_do_not_depend_on_the_order_of_batches(tmp_path: Path) -> None:
    paths = write_batches(tmp_path)
    collect(tmp_path / "one", paths)
    for path in reversed(paths):
        collect(tmp_path / "two", [path])
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert stat.S_IMODE((tmp_path / "one").stat().st_mode) == 0o600


def test_one_collector_at_a_time_has_a_checkpoint(tmp_path: Path) -> None:
    with Collector(tmp_path / "counts", METRIC), pytest.raises(DiscreetError, match="another collector"):
        Collector(tmp_path / "counts", METRIC)
    Collector(tmp_path / "counts", METRIC).close()


def test_a_checkpoint_belongs_to_one_metric(tmp_path: Path) -> None:
    with pytest.raises(DiscreetError, match="say which metric"):
        Collector(tmp_path / "counts")
    collect(tmp_path / "counts", [])
    with pytest.raises(ParameterError, match="metric"):
        Collector(tmp_path / "counts", make_metric(MECHANISMS[0]))
    with Collector(tmp_path / "counts") as collector:
        assert collector.collection.metric == METRIC


def test_a_damaged_checkpoint_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    collect(tmp_path / "counts", write_batches(tmp_path))
    whole = (tmp_path / "counts").read_bytes()
    for place in (0, 40, len(whole) // 2, len(whole) - 1):
        broken = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        (tmp_path / "counts").write_bytes(broken)
        with pytest.raises(DiscreetError, match="damaged"):
            Collector(tmp_path / "counts", METRIC)
        assert (tmp_path / "counts").read_bytes() == broken
    with pytest.raises(ParameterError, match="damaged"):
        read_collection(whole[:-1])
    with pytest.raises(DiscreetError, match="cannot be read"):
        load_collection(tmp_path / "none")


def test_a_run_that_fails_keeps_the_last_checkpoint(tmp_path: Path) -> None:
    paths = write_batches(tmp_path)
    collect(tmp_path / "counts", paths[:1])
    before = (tmp_path / "counts").read_bytes()
    with contextlib.suppress(RuntimeError), Collector(tmp_path / "counts", METRIC) as collector:
        assert collector.ingest(paths[1]).fate is Fate.COUNTED
        raise RuntimeError
    assert (tmp_path / "counts").read_bytes() == before


batches = st.lists(st.sampled_from(REPORTS[:9] + BROKEN), max_size=12)


@settings(max_examples=30)
@given(batches, batches, batches)
def test_collections_add_up_in_any_order_and_grouping(one: list[bytes], two: list[bytes], three: list[bytes]) -> None:
    a, b, c = (
        Collection(COUNTER.count_stream([frame(*each)]), {name: name * 64})
        for name, each in zip("abc", (one, two, three), strict=True)
    )
    nothing = Collection.start(METRIC)
    assert ((a + b) + c).to_bytes() == (a + (b + c)).to_bytes() == (c + a + b).to_bytes()
    assert (a + b).to_bytes() == (b + a).to_bytes()
    assert (a + nothing).to_bytes() == a.to_bytes()
    assert read_collection((a + b).to_bytes()) == a + b
    assert (a + b + c).intake.reports == len(one) + len(two) + len(three)
    with pytest.raises(ParameterError, match="in both"):
        (a + b) + (b + c)


CRASHES = """
import os, signal, sys
from pathlib import Path
from discreet.local.client import read_metric
from discreet.local.collector import Collector, load_collection

folder, metric = Path(sys.argv[1]), read_metric(sys.argv[2])
checkpoint, paths = folder / "crashed", sorted(folder.glob("*.frames"))

def die_at(last, after):
    calls = 0
    def wrap(real):
        def call(*given, **named):
            nonlocal calls
            calls += 1
            if calls == last and not after:
                os.kill(os.getpid(), signal.SIGKILL)
            found = real(*given, **named)
            if calls == last:
                os.kill(os.getpid(), signal.SIGKILL)
            return found
        return call
    for name in ("open", "fsync", "replace"):
        setattr(os, name, wrap(getattr(os, name)))

def run(last, after):
    child = os.fork()
    if not child:
        die_at(last, after)
        with Collector(checkpoint, metric, between=0) as collector:
            for path in paths:
                collector.ingest(path)
        os._exit(0)
    return os.waitpid(child, 0)[1]

crashes = 0
for after in (False, True):
    last = 1
    checkpoint.unlink(missing_ok=True)
    while run(last, after):
        crashes, last = crashes + 1, last + 1
        if checkpoint.exists():
            load_collection(checkpoint)
        assert run(1 << 30, after) == 0
        assert checkpoint.read_bytes() == (folder / "whole").read_bytes()
        checkpoint.unlink()
print(crashes, *(each.name for each in folder.glob(".*.part")))
"""


def test_killed_at_any_moment_and_run_again_it_comes_to_the_same_bytes(tmp_path: Path) -> None:
    paths = write_batches(tmp_path)
    collect(tmp_path / "whole", paths)
    given = [sys.executable, "-c", CRASHES, str(tmp_path), METRIC.to_json()]
    said = subprocess.run(given, check=True, capture_output=True, text=True).stdout.split()
    assert int(said[0]) > 20
    assert said[1:] == []
