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
    assert "fruit: 30,000 reports in 1 batch\n" in said
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


@pytest.mark.many
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("metric", "x", "-e", 1, "--lifetime", 0, "--choices", "a,b"), "lifetime is 0.0; write the epsilon"),
        (("metric", "x", "-e", 0, "--lifetime", 1, "--choices", "a,b"), "epsilon"),
        (("metric", "x", "-e", 1, "--lifetime", 1, "--choices", "a,a"), "listed once"),
        (("metric", "x", "-e", 1, "--lifetime", 1), "in one way: --choices"),
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
        (("metric", "x", "-e", 1, "--lifetime", 1, "--numbers", "a,b"), "--numbers must be numbers"),
        (("metric", "x", "-e", 1, "--lifetime", 1, "--numbers", "1"), "two numbers"),
        (("metric", "x", "-e", 2, "--lifetime", 1, "--numbers", "0,1"), "--lifetime must be at least 2"),
        (("metric", "x", "-e", 2, "--lifetime", 3, "--daily", 1, "--numbers", "0,1"), "--daily must be at least 2"),
        (("metric", "x", "--lifetime", 1, "--texts"), "--epsilon is what one report tells"),
        (("metric", "x", "-e", 1, "--lifetime", 1, "--texts", "--mechanism", "prefix"), "hadamard-mean, count-mean"),
        (("metric", "x", "-e", 1, "--lifetime", 1, "--texts", "--fragments", "2,3"), "is for --rappor"),
        (("metric", "x", "-e", 1, "--lifetime", 1, "--texts", "--constant", 2), "is for choices"),
        (("metric", "x", "--lifetime", 5, "--rappor", "32,2,64,.25,.75"), "six numbers"),
        (("metric", "x", "-e", 1, "--lifetime", 5, "--rappor", "32,2,64,.25,.75,.5"), "leave it out"),
        (("metric", "x", "-e", 1, "--lifetime", 5, "--words", "aa"), "each of them once"),
        (("metric", "x", "--lifetime", 5, "--attribute", "none.json"), "cannot be read"),
        (("strings", "fruit.json", "a.frames"), "use collect and decode"),
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


def collect_people(kind: tuple[object, ...], *values: object) -> None:
    """Declare a metric called thing, make its reports, and count them."""
    run("local", "metric", "thing", "--lifetime", 30, *kind, "-o", "thing.json")
    run("local", "simulate", "thing.json", *values, "-o", "thing.frames")
    run("local", "collect", "thing", "thing.frames", "--metric", "thing.json")


KINDS: list[tuple[tuple[object, ...], tuple[object, ...], str]] = [
    (("-e", 2, "--numbers", "0,90"), (), "(mean)"),
    (("-e", 2, "--numbers", "0,90", "--mechanism", "one-bit"), (), "(mean)"),
    (("-e", 4, "--texts"), ("--candidates", "text 1,text 2,no such text"), "text 1"),
    (("-e", 4, "--texts", "--mechanism", "count-mean"), ("--candidates-file", "texts.txt"), "text 1"),
    (("--rappor", "32,2,16,0.1,0.9,0.1"), ("--candidates-file", "texts.txt"), "text 1"),
    (("-e", 6, "--words", "ab", "--letters", 3), (), "a"),
    (("-e", 8, "--words", "ab", "--letters", 3, "--mechanism", "puzzle"), (), "a"),
    (("-e", 3, "--constant", 4, "--choices", "a,b"), (), "a"),
]


@pytest.mark.many
@pytest.mark.parametrize(("kind", "asked", "first"), KINDS, ids=lambda each: " ".join(map(str, each))[:50])
def test_every_kind_is_declared_simulated_collected_and_decoded(
    here: Path, kind: tuple[object, ...], asked: tuple[object, ...], first: str
) -> None:
    (here / "texts.txt").write_text("text 1\ntext 2\n")
    collect_people(kind, "--people", 20_000)
    ran = Ran("local", "decode", "thing", *asked, "--plot", "thing.png", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert rows[0]["value"] == first
    assert {"standard_error", "all_low", "all_high", "consistent"} <= set(rows[0])
    for said in ("stands out", "malicious reports can move a", "consistent"):
        assert said in ran.err
    assert (here / "thing.png").stat().st_size > 5000


def test_records_are_declared_from_metrics_and_told_as_json(here: Path) -> None:
    run("local", "metric", "age", "-e", 2, "--lifetime", 9, "--numbers", "0,100", "-o", "age.json")
    run("local", "metric", "word", "-e", 2, "--lifetime", 9, "--texts", "-o", "word.json")
    (here / "people.csv").write_text("word,age\n" + "yes,40\nno,60\nno,60\nno,60\n" * 3000 + "no,old\n")
    parts = [part for name in ("age", "fruit", "word") for part in ("--attribute", f"{name}.json")]
    assert "one report tells epsilon 2; 15 fit a lifetime" in run(
        "local", "metric", "person", "--lifetime", 30, *parts, "-o", "person.json"
    )
    assert "column must be one of word, age" in refused(
        "local", "simulate", "person.json", "--values", "people.csv", "-o", "a.frames"
    )
    run("local", "metric", "two", "--lifetime", 30, *parts[:2], *parts[4:], "-o", "two.json")
    ran = Ran("local", "simulate", "two.json", "--values", "people.csv", "-o", "a.frames")
    assert "1 values" in ran.err
    run("local", "collect", "two", "a.frames", "--metric", "two.json")
    assert "name the candidates" in refused("local", "decode", "two")
    assert "word=A,B,..." in refused("local", "decode", "two")
    assert "ATTRIBUTE=" in refused("local", "decode", "two", "--candidates", "yes,no")
    said = run("local", "decode", "two", "--candidates", "word=yes,no", "--plot", "two.png")
    assert [line.split()[:2] for line in said.splitlines()[2:5]] == [["age", "(mean)"], ["word", "no"], ["word", "yes"]]
    ran = Ran("local", "encode", "two.json", '{"age": 41, "word": "yes"}', "--client", "me")
    assert read_json_report(ran.out).mechanism == "sampled"
    assert "no JSON object" in Ran("local", "encode", "two.json", "41", "--client", "me").err
    for text in ("forty", "nan"):
        assert "no number" in Ran("local", "encode", "age.json", text, "--client", "me").err


def test_what_tells_nothing_in_a_record_is_said_to_the_person_alone(here: Path) -> None:
    run("local", "metric", "age", "-e", 2, "--lifetime", 9, "--numbers", "0,100", "-o", "age.json")
    parts = [part for name in ("age", "fruit") for part in ("--attribute", f"{name}.json")]
    run("local", "metric", "two", "--lifetime", 30, *parts, "-o", "two.json")
    for text, said in (
        ('{"age": "old", "fruit": "apple"}', "age is no number"),
        ('{"age": NaN, "fruit": "apple"}', "age is no number"),
        ('{"age": 4, "friut": "apple"}', "'friut' is no attribute of this metric and is left out: age, fruit"),
        ('{"age": 4}', "fruit is missing"),
    ):
        ran = Ran("local", "encode", "two.json", text, "--client", "me")
        assert (ran.code, said in ran.err) == (0, True)
        assert read_json_report(ran.out).mechanism == "sampled"
    for text in ('{"age": 41, "fruit": "apple"}', '{"age": 1' + "0" * 400 + ', "fruit": "apple"}'):
        ran = Ran("local", "encode", "two.json", text, "--client", "me")
        assert (ran.code, len(ran.err.splitlines())) == (0, 1)


def test_a_file_that_is_no_client_s_is_put_aside_with_a_word(here: Path) -> None:
    (here / "people.csv").write_text("fruit\napple\n")
    ran = Ran("local", "encode", "fruit.json", "apple", "--client", "people.csv")
    assert "people.csv was no sound file of a client: it is now people.csv.damaged-1" in ran.err
    assert (here / "people.csv.damaged-1").read_text() == "fruit\napple\n"
    assert "damaged" not in Ran("local", "encode", "fruit.json", "apple", "--client", "people.csv").err


def test_checkpoints_of_two_metrics_are_not_added_up(here: Path) -> None:
    run("local", "metric", "age", "-e", 2, "--lifetime", 9, "--numbers", "0,100", "-o", "age.json")
    for name in ("age", "fruit"):
        run("local", "simulate", f"{name}.json", "--people", 9, "-o", f"{name}.frames")
        said = run("local", "collect", f"{name}-counts", f"{name}.frames", "--metric", f"{name}.json")
        assert f"{name}: 9 reports in 1 batch\n" in said
    assert "age-counts has age and fruit-counts has fruit" in refused("local", "decode", "age-counts", "fruit-counts")


def test_texts_that_nobody_listed_are_found_in_reports_themselves(here: Path) -> None:
    (here / "words.csv").write_text("word\n" + "kiwi\nplum\nkiwi\n" * 2000)
    kind = ("--rappor", "16,2,16,0.1,0.9,0.125", "--fragments", "2,2")
    collect_people(kind, "--values", "words.csv", "--column", "word")
    said = run("local", "strings", "thing.json", "thing.frames", "--alphabet", "iklmpuw")
    assert [line.split()[0] for line in said.splitlines()[2:4]] == ["kiwi", "plum"]
    assert "local strings" in refused("local", "decode", "thing")
    assert "kiwi" in run("local", "decode", "thing", "--candidates", "kiwi,fig")
    assert "at most 4 bytes" in refused("local", "decode", "thing", "--candidates", "kiwis")
    (here / "empty.frames").write_bytes(b"")
    assert "no sound report" in refused("local", "strings", "thing.json", "empty.frames")
