"""`discreet local`: from a metric to estimates, and refusals that say what to do."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from discreet.local.client import OTHER, read_json_report, read_metric, read_report
from discreet.local.collector import load_collection
from support.cli import Ran, refused, run


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a metric."""
    monkeypatch.chdir(tmp_path)
    run("local", "metric", "fruit", "-e", 2, "--lifetime", 5, "--choices", "apple, banana,cherry", "-o", "fruit.json")
    return tmp_path


def test_a_metric_is_advised_with_reasons_and_written(here: Path) -> None:
    made = read_metric((here / "fruit.json").read_text())
    assert (made.name, made.lifetime, made.daily, made.version) == ("fruit", 5, None, 1)
    (here / "many.txt").write_text("\n".join(f"word {place}" for place in range(2000)))
    ran = Ran("local", "metric", "word", "-e", 1, "--lifetime", 9, "--daily", 1, "--choices-file", "many.txt")
    assert ran.code == 0
    for said in ("projective", "hadamard", "advised: projective: it errs", "9 fit a lifetime", "% more"):
        assert said in ran.out, said
    said = run("local", "metric", "word", "-e", 1, "--lifetime", 9, "--choices", "a,b", "--mechanism", "hadamard")
    assert "taken, as you say: hadamard" in said


def test_reports_of_made_up_people_are_collected_and_decoded(here: Path) -> None:
    ran = Ran("local", "simulate", "fruit.json", "--people", 30000, "-o", "monday.frames")
    assert "wrote 30,000 reports" in ran.err
    said = run("local", "collect", "counts", "monday.frames", "--metric", "fruit.json")
    assert "counted" in said
    assert "fruit: 30,000 reports in 1 batches" in said
    assert "skipped" in run("local", "collect", "counts", "monday.frames")
    ran = Ran("local", "decode", "counts", "--plot", "fruit.svg", "--malicious", 300)
    assert [line.split()[0] for line in ran.out.splitlines()[2:6]] == ["apple", "banana", "cherry", OTHER]
    for words in ("95 % intervals", "300 malicious reports", "consistent", "stands out of the noise", "lifetime"):
        assert words in " ".join(ran.out.split()), words
    assert (here / "fruit.svg").exists()


def test_estimates_are_written_as_csv_json_and_parquet(here: Path) -> None:
    run("local", "simulate", "fruit.json", "--people", 10000, "-o", "a.jsonl")
    run("local", "collect", "counts", "a.jsonl", "--metric", "fruit.json")
    ran = Ran("local", "decode", "counts", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert {row["value"] for row in rows} == {"apple", "banana", "cherry", OTHER}
    assert "malicious" in ran.err
    form = json.loads(run("local", "decode", "counts", "--format", "json", "--top", 2))
    assert [row[0] for row in form["rows"]] == [row["value"] for row in rows[:2]]
    for name in ("out.parquet", "out.csv", "out.txt", "out.json"):
        assert f"wrote {name}" in Ran("local", "decode", "counts", "-o", name).err
        assert (here / name).stat().st_size > 100


def test_values_come_from_a_column_of_a_file(here: Path) -> None:
    (here / "people.csv").write_text("who,what\n1,apple\n2,pear\n3,apple\n")
    ran = Ran("local", "simulate", "fruit.json", "--values", "people.csv", "--column", "what", "-o", "out.frames")
    assert "wrote 3 reports to out.frames" in ran.err


def test_one_person_s_reports_are_counted_and_go_on_beyond_the_cap(here: Path) -> None:
    for count in range(1, 5):
        ran = Ran("local", "encode", "fruit.json", "apple", "--client", "me", "--day", "2026-03-01")
        assert read_json_report(ran.out).metric == "fruit"
        assert f"epsilon {min(2 * count, 4)} of 5 in lifetime 1" in ran.err
    report = read_report(bytes.fromhex(run("local", "encode", "fruit.json", "pear", "--client", "me", "--hex").strip()))
    assert report.metric == "fruit"


def test_batches_that_are_refused_are_said_and_the_others_counted(here: Path) -> None:
    run("local", "simulate", "fruit.json", "--people", 100, "-o", "a.frames")
    (here / "bad.parquet").write_bytes(b"nonsense")
    ran = Ran("local", "collect", "counts", "bad.parquet", "a.frames", "--metric", "fruit.json")
    assert ran.code == 1
    assert "refused" in ran.out
    assert load_collection(here / "counts").intake.tally.reports == 100


def test_broken_reports_are_counted_by_reason(here: Path) -> None:
    (here / "odd.jsonl").write_text("nonsense\n" + '{"version": 9}\n' * 2)
    said = run("local", "collect", "counts", "odd.jsonl", "--metric", "fruit.json")
    assert "put aside, unreadable: 1" in said
    assert "put aside, unknown version: 2" in said
    assert "no sound report" in refused("local", "decode", "counts")


def test_duckdb_counts_the_same_and_checkpoints_add_up(here: Path) -> None:
    run("local", "simulate", "fruit.json", "--people", 500, "-o", "a.parquet")
    run("local", "collect", "one", "a.parquet", "--metric", "fruit.json")
    run("local", "collect", "two", "a.parquet", "--metric", "fruit.json", "--engine", "duckdb")
    assert (here / "one").read_bytes() == (here / "two").read_bytes()
    assert "in both" in refused("local", "decode", "one", "two")
    run("local", "collect", "three", "a.parquet", "--batch", "again", "--metric", "fruit.json")
    assert "1,000 reports" in run("local", "decode", "one", "three")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("metric", "x", "-e", 1, "--lifetime", 0, "--choices", "a,b"), "lifetime is 0.0; write the epsilon"),
        (("metric", "x", "-e", 0, "--lifetime", 1, "--choices", "a,b"), "epsilon"),
        (("metric", "x", "-e", 1, "--lifetime", 1, "--choices", "a,a"), "listed once"),
        (("metric", "x", "-e", 1, "--lifetime", 1), "--choices A,B"),
        (("metric", "x", "-e", 1, "--lifetime", 1, "--choices-file", "none.txt"), "cannot be read"),
        (("metric", "x", "-e", 1, "--lifetime", 1, "--choices", "a,b", "--mechanism", "magic"), "one of"),
        (("metric", "x", "-e", 1, "--lifetime", 1, "--choices", "a", "-o", "no/x.json"), "no folder"),
        (("simulate", "none.json", "--people", 5, "-o", "a.frames"), "none.json cannot be read"),
        (("simulate", "odd.json", "--people", 5, "-o", "a.frames"), "odd.json: this is no JSON"),
        (("simulate", "fruit.json", "--people", 5, "-o", "a.txt"), ".frames, .jsonl, .parquet"),
        (("simulate", "fruit.json", "-o", "a.frames"), "--people COUNT"),
        (("simulate", "fruit.json", "-o", "a.frames", "--people", 5, "--values", "a.csv"), "--people COUNT"),
        (("encode", "fruit.json", "apple", "--client", "me", "--day", "soon"), "a date such as"),
        (("encode", "fruit.json", "apple", "--client", "no/me"), "cannot be opened"),
        (("collect", "counts", "a.frames"), "say which metric"),
        (("collect", "counts", "a.frames", "b.frames", "--batch", "x"), "one file"),
        (("decode", "none"), "none cannot be read"),
        (("decode", "fruit.json"), "damaged"),
        (("decode", "fruit.json", "--plot", "a.txt"), ".png, .pdf, .svg"),
    ],
    ids=lambda each: " ".join(map(str, each))[:60] if isinstance(each, tuple) else "refused",
)
def test_what_is_wrong_is_refused_in_words(here: Path, given: tuple[object, ...], said: str) -> None:
    (here / "odd.json").write_text("{")
    assert said in refused("local", *given)


def test_a_lifetime_is_told_for_published_deployments_and_for_a_metric(here: Path) -> None:
    said = run("local", "lifetime")
    assert "Tang" in said
    assert "5,840" in said
    own = run("local", "lifetime", "fruit.json", "--daily", 2, "--days", "1,10")
    assert "10 days" in own
    assert "its cap is" in own


def test_days_that_are_no_numbers_are_refused(here: Path) -> None:
    assert "whole numbers with commas" in Ran("local", "lifetime", "--days", "x").err
