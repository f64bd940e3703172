"""`discreet ask`, `explain`, `bounds`: answers alone on standard output, refusals before any charge, clean stops."""

from __future__ import annotations

import json
import sqlite3
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from discreet.cli.options import typed
from discreet.curator import Curator
from discreet.curator.door.performance import Performance
from discreet.curator.session import Session
from discreet.engines.duck.engine import DuckRun
from discreet.noise.bits import replayed
from support.cli import BY_WARD, COUNT, POLICY, Ran, refused, run, write_clinic
from support.clinic import ANALYSTS
from support.sampling import GeneratorBits


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(write_clinic(tmp_path))
    return tmp_path


def charges(folder: Path) -> int:
    with sqlite3.connect(folder / ".discreet" / "ledger.db") as db:
        (count,) = db.execute("SELECT count(*) FROM entries WHERE kind = 'CHARGE'").fetchone()
    return int(count)


def test_an_answer_is_a_table_with_intervals_guarantee_cost_and_receipt(here: Path) -> None:
    ran = Ran("ask", BY_WARD, "--epsilon", 1)
    assert ran.code == 0
    assert ran.err == ""
    lines = ran.out.splitlines()
    assert lines[0].split() == ["ward", "n"]
    assert lines[2].startswith("north")
    assert "±" in lines[2]
    assert "●" in lines[2]
    assert "guarantee: 1-differentially private" in ran.out
    assert "charged" in ran.out
    assert "free" in run("ask", BY_WARD, "--epsilon", 1)
    assert "charged" in run("ask", BY_WARD, "-e", 1, "--fresh")
    assert charges(here) == 2


def test_a_choice_is_a_key_with_its_accuracy(here: Path) -> None:
    mode = "SELECT MODE(ward) AS most FROM visits"
    explained = run("explain", mode, "--epsilon", 1)
    assert "by permute-and-flip: a unit moves two of them apart by 4 at most; none of them is released" in explained
    assert "accuracy   with probability 95 %" in explained
    answer = run("ask", mode, "--epsilon", 1)
    assert answer.splitlines()[0].strip() == "most"
    assert (
        "accuracy: with probability 95 %, the number of rows of what was chosen is within 16 of the best"
        in " ".join(answer.split())
    )
    assert "free" in run("ask", "SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1", "-e", 1)
    told = json.loads(run("ask", mode, "-e", 1, "--format", "json"))
    assert told["accuracy"] == {"confidence": 0.95, "score": "number of rows", "within": 16.0}
    assert told["rows"][0][0] in ("north", "south", "icu")
    assert run("ask", mode, "-e", 1, "--format", "csv").splitlines() == ["most", told["rows"][0][0]]
    assert "is within 12 of the best" in " ".join(run("ask", mode, "--within", "most=12").split())
    assert charges(here) == 2


def test_the_question_comes_as_text_from_a_file_or_from_standard_input(here: Path) -> None:
    (here / "question.sql").write_text(f"\ufeff{COUNT}", encoding="utf-8")
    answers = {
        run("ask", COUNT, "-e", 0.5, "--format", "csv"),
        run("ask", "-f", "question.sql", "-e", 0.5, "--format", "csv"),
        run("ask", "-", "-e", 0.5, "--format", "csv", input=COUNT),
        run("ask", "-e", 0.5, "--format", "csv", input=COUNT),
    }
    assert len(answers) == 1
    assert charges(here) == 1
    assert "given twice" in refused("ask", COUNT, "-f", "question.sql", "-e", 1)
    assert "cannot be read" in refused("ask", "-f", "missing.sql", "-e", 1)
    (here / "bytes.sql").write_bytes(b"\xff\xfe")
    assert "UTF-8" in refused("ask", "-f", "bytes.sql", "-e", 1)
    assert "empty" in refused("ask", "-e", 1, input="")


def test_formats_and_files_hold_the_same_answer(here: Path) -> None:
    how = ("ask", BY_WARD, "-e", 1)
    csv = run(*how, "--format", "csv")
    assert csv.splitlines()[0] == "ward,n,n_low,n_high"
    document = json.loads(run(*how, "--format", "json"))
    assert [[row[0], str(row[1])] for row in document["rows"]] == [line.split(",")[:2] for line in csv.split()[1:]]
    for name in ("a.csv", "a.json", "a.parquet", "a.txt"):
        ran = Ran(*how, "-o", name)
        assert (ran.code, ran.out) == (0, "")
        assert ran.err.endswith(f"wrote {name}\n")
        assert ("receipt: " in ran.err) == (name in ("a.csv", "a.parquet")), "other forms hold it"
    assert (here / "a.csv").read_text() == csv
    assert json.loads((here / "a.json").read_text())["rows"] == document["rows"]
    assert pyarrow.parquet.read_table(here / "a.parquet").column("n").to_pylist() == [r[1] for r in document["rows"]]
    assert "guarantee" in (here / "a.txt").read_text()
    run(*how, "--format", "csv", "-o", "b.data")
    assert (here / "b.data").read_text() == csv
    assert charges(here) == 1


def test_confidence_and_simultaneous_widen_intervals(here: Path) -> None:
    def width(*how: object) -> int:
        row = run("ask", BY_WARD, "-e", 1, "--format", "csv", *how).split()[1].split(",")
        return int(row[3]) - int(row[2])

    assert width() < width("--confidence", 0.999)
    assert width() < width("--simultaneous")


def test_a_plot_is_drawn(here: Path) -> None:
    ran = Ran("ask", BY_WARD, "-e", 1, "--plot", "out.png", "--format", "csv")
    assert ran.out.startswith("ward,n")
    assert "wrote out.png" in ran.err
    assert (here / "out.png").read_bytes().startswith(b"\x89PNG")


def test_a_picture_of_no_noisy_number_is_refused_before_the_charge(here: Path) -> None:
    assert "this answer will have none" in refused("ask", "SELECT MODE(ward) FROM visits", "-e", 1, "--plot", "a.png")
    assert charges(here) == 0


def test_an_answer_without_rows_is_written_without_a_picture(here: Path) -> None:
    none = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING COUNT(*) > 1000000"
    ran = Ran("ask", none, "-e", 1, "--plot", "out.png")
    assert (ran.code, ran.err) == (0, "there is no row to draw\n")
    assert not (here / "out.png").exists()


@pytest.mark.many
@pytest.mark.parametrize(
    ("how", "complaint"),
    [
        (["--format", "parquet"], "add -o FILE"),
        (["-o", "answer.xls"], "--format beside it"),
        (["-o", "nowhere/answer.csv"], "there is no folder nowhere"),
        (["-o", "."], "is a folder"),
        (["--plot", "out.doc"], "a file that ends in .png"),
        (["--confidence", "1"], "confidence must be"),
        (["--param", "age"], "a name, an equals sign and a value"),
        (["--within", "n"], "a name, an equals sign and a value"),
        (["--within", "n=close"], "a column and a number"),
        (["--within", "n=5"], "one of epsilon, rho and within"),
        (["--rho", "0.1"], "one of epsilon, rho and within"),
        (["--max-rows", "0"], "max_rows"),
        (["--analyst", "eve"], "eve"),
        (["--policy", "elsewhere.toml"], "there is no such file"),
    ],
)
def test_what_could_only_fail_later_is_refused_before_the_charge(here: Path, how: list[str], complaint: str) -> None:
    assert complaint in refused("ask", COUNT, "-e", 1, *how)
    assert charges(here) == 0


@pytest.mark.parametrize(
    ("question", "complaint"),
    [
        ("SELECT * FROM visits", "rows are not released"),
        ("SELECT COUNT(*) FROM nothing", "there is no table 'nothing'"),
        ("SELECT COUNT(*) FROM visits WHERE age > $age", "--param age=..."),
        ("DROP TABLE visits", "is not a SELECT"),
        ("SELECT", "SELECT"),
    ],
)
def test_questions_that_cannot_be_answered_are_refused(here: Path, question: str, complaint: str) -> None:
    assert complaint in refused("ask", question, "-e", 1)
    assert charges(here) == 0


def test_without_a_price_three_choices_are_shown(here: Path) -> None:
    complaint = refused("ask", COUNT)
    assert [line.split(":")[0] for line in complaint.splitlines()[1:]] == [
        "  --epsilon 0.05",
        "  --epsilon 0.2",
        "  --epsilon 1.0",
    ]
    assert complaint.count("+-") == 3
    assert "--epsilon 0.05" in refused("explain", COUNT)
    assert charges(here) == 0


def test_within_finds_the_price(here: Path) -> None:
    row = run("ask", COUNT, "--within", "n=60", "--format", "csv").split()[1].split(",")
    assert 40 < (int(row[2]) - int(row[1])) / 2 <= 60


def test_keys_come_from_a_file(here: Path) -> None:
    (here / "keys.csv").write_text("ward\nnowhere\nicu\n")
    told = run("ask", BY_WARD, "-e", 1, "--keys", "keys.csv", "--format", "csv")
    assert [line.split(",")[0] for line in told.split()[1:]] == ["icu", "nowhere"]
    assert "ward (2): 2 rows" in run("explain", BY_WARD, "-e", 1, "--keys", here / "keys.csv")
    before = charges(here)
    (here / "keys.csv").write_text("ward\nicu\nicu\n")
    assert "keys has 'icu' twice" in refused("ask", BY_WARD, "-e", 1, "--keys", "keys.csv")
    assert "cannot be read" in refused("ask", BY_WARD, "-e", 1, "--keys", "no.csv")
    assert charges(here) == before


def test_parameters_limits_and_clamping_reach_the_curator(here: Path) -> None:
    question = "SELECT SUM(cost) AS total FROM visits WHERE ward = $ward AND age >= $age"
    told = json.loads(
        run("ask", question, "-e", 1, "--param", "ward=north", "--param", "age=30", "--clamping", "--format", "json")
    )
    assert [column["name"] for column in told["columns"]] == ["total", "clamped_cost"]
    assert "a unit keeps 4 rows" in run("explain", COUNT, "-e", 1)
    assert "a unit keeps 2 rows" in run("explain", COUNT, "-e", 1, "--max-rows", 2)
    assert "a unit keeps one row at most" in run(
        "explain", BY_WARD, "-e", 1, "--max-groups", 1, "--max-rows-per-group", 1
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("65", 65),
        ("-3", -3),
        ("0.5", Decimal("0.5")),
        ("1e3", Decimal("1e3")),
        ("TRUE", True),
        ("false", False),
        ("null", None),
        ("2026-03-01", date(2026, 3, 1)),
        ("2026-03-01T12:00", datetime(2026, 3, 1, 12)),
        ("2026-13-01", "2026-13-01"),
        ("north", "north"),
        ("'65'", "65"),
        ("", ""),
    ],
)
def test_values_on_the_command_line_have_types(text: str, value: object) -> None:
    found = typed(text)
    assert found == value
    assert type(found) is type(value)


def test_explain_costs_nothing_and_says_what_fits(here: Path) -> None:
    told = run("explain", BY_WARD, "--epsilon", 0.2)
    for words in ("unit: patient_id", "ward (3): 3 rows", "0.2-differentially private", "15 more questions"):
        assert words in told
    assert charges(here) == 0


def test_a_spent_budget_has_its_own_exit_code(here: Path) -> None:
    run("ask", COUNT, "-e", 2.5)
    assert "does not fit into what is left" in refused("ask", BY_WARD, "-e", 1, code=3)
    assert "free" in run("ask", COUNT, "-e", 2.5)


def test_analysts_are_named_and_have_caps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_clinic(tmp_path, POLICY + ANALYSTS))
    assert "none was named" in refused("ask", COUNT, "-e", 0.4)
    assert "charged (alice)" in run("ask", COUNT, "-e", 0.4, "--analyst", "alice")
    assert "own cap only (bob)" in run("ask", COUNT, "-e", 0.4, "--analyst", "bob")
    assert "own cap of 'bob'" in refused("ask", BY_WARD, "-e", 0.4, "--analyst", "bob", code=3)


def test_bounds_are_found_and_paid(here: Path) -> None:
    ran = Ran("bounds", "visits.cost", "--epsilon", 2)
    assert ran.code == 0
    assert ran.out.startswith("cost = { lower = ")
    assert "; charged" in ran.err
    assert charges(here) == 1
    assert "visits.cost" in refused("bounds", "visits.ward", "-e", 1)
    with replayed(GeneratorBits(1)):  # once in two hundred times an empty bin would stand out
        assert "nothing stands out" in run("bounds", "visits.age", "-e", 0.001)


def test_a_policy_is_found_in_a_folder_above(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    below = here / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert "free" not in run("ask", COUNT, "-e", 0.1)
    assert "free" in run("ask", COUNT, "-e", 0.1, "--policy", here)


def test_without_a_policy_the_program_says_how_to_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for command in (["ask", COUNT, "-e", "1"], ["check"], ["tables"], ["budget"], ["ledger"], ["data"], ["init"]):
        assert "discreet init DATA..." in refused(*command)


def test_ctrl_c_while_a_question_runs_keeps_the_charge_and_says_so(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cancelled, cancel = [], Performance.cancel

    def noted(run: Performance[Any]) -> None:
        cancelled.append(run)
        cancel(run)

    with monkeypatch.context() as patched:
        patched.setattr(Performance, "wait", _interrupted)
        patched.setattr(Performance, "cancel", noted)
        assert "The charge stays" in refused("ask", COUNT, "-e", 1, code=130)
        assert len(cancelled) == 1
        assert "The charge stays" in refused("bounds", "visits.cost", "-e", 0.5, code=130)
    assert charges(here) == 2
    run("ask", COUNT, "-e", 1)
    assert charges(here) == 2


def test_ctrl_c_at_any_other_moment_ends_cleanly(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Performance, "result", _interrupted)
        assert "stopped" in refused("ask", COUNT, "-e", 1, code=130)
    with monkeypatch.context() as patched:
        patched.setattr(Session, "prepare", _interrupted)
        assert "stopped" in refused("ask", BY_WARD, "-e", 1, code=130)
    assert charges(here) == 1


def test_a_cancelled_run_has_ended_when_cancel_returns(here: Path) -> None:
    with Curator.open() as curator:
        run = curator._engines.run(curator.prepare(BY_WARD, 1).operation.plan)
        run.cancel()
        assert run.wait(0)
        assert isinstance(run, DuckRun)
        assert not run._thread.is_alive()


def test_a_failure_after_the_charge_is_one_generic_message(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise ValueError("patient 7 has cancer")

    monkeypatch.setattr(DuckRun, "result", broken)
    complaint = refused("ask", COUNT, "-e", 1, code=1)
    assert "the charge stays" in complaint
    assert "cancer" not in complaint


def test_a_file_that_cannot_be_written_after_all_leaves_the_answer_free(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("discreet.answers.answer.save_text", full)
        assert "asking again is free" in refused("ask", COUNT, "-e", 1, "-o", "a.csv", code=1)
    run("ask", COUNT, "-e", 1, "-o", "a.csv")
    assert charges(here) == 1


def _interrupted(*_: Any, **__: Any) -> Any:
    raise KeyboardInterrupt


def test_explain_and_ask_say_which_way_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    online = '[tables.visits.online]\ncolumns = ["ward"]\nepsilon = 1.0\n'
    monkeypatch.chdir(write_clinic(tmp_path, POLICY + online))
    text = "SELECT COUNT(*) AS n FROM visits WHERE ward = 'icu'"
    assert "asking would" not in run("explain", text, "-e", 0.1)
    run("ask", BY_WARD, "-e", 0.2)
    assert "asking would infer it from earlier answers" in " ".join(run("explain", text, "-e", 0.1).split())
    before = charges(tmp_path)
    assert "answered by inference" in " ".join(run("ask", text, "-e", 0.1).split())
    assert charges(tmp_path) == before
    assert "answered before" in run("explain", BY_WARD, "-e", 0.2)


def test_who_asks_may_stand_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_clinic(tmp_path, POLICY + ANALYSTS))
    monkeypatch.setenv("DISCREET_ANALYST", "bob")
    assert "charged (bob)" in run("ask", COUNT, "-e", 0.25)
    assert "charged (alice)" not in run("ask", COUNT, "-e", 0.25, "--analyst", "alice")
    charges = [entry["body"] for entry in json.loads(run("ledger", "--format", "json")) if entry["kind"] == "CHARGE"]
    assert [each["analyst"] for each in charges] == ["bob"]
    assert "for alice" in run("budget", "-e", 0.1), "what owners do is done in nobody's name"
    assert "suspended" not in run("check")
    monkeypatch.setenv("DISCREET_ANALYST", "eve")
    assert "no analyst here" in refused("ask", COUNT, "-e", 0.25)


def test_a_policy_without_analysts_asks_nobodys_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_clinic(tmp_path))
    monkeypatch.setenv("DISCREET_ANALYST", "bob")
    assert "charged" in run("ask", COUNT, "-e", 0.25)


def test_what_is_told_to_people_is_told_to_programs_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_clinic(tmp_path))
    explained = json.loads(run("explain", COUNT, "-e", 0.25, "--format", "json"))
    assert explained["cost"]["epsilon"] == 0.25
    assert explained["errors"][0]["what"] == "count rows"
    found = json.loads(run("bounds", "visits.cost", "-e", 0.5, "--format", "json"))
    assert (found["column"], found["lower"] < found["upper"]) == ("cost", True)
    assert set(found["receipt"]) >= {"receipt"}
    budget = json.loads(run("budget", "-e", 0.5, "--format", "json"))
    assert (round(budget["total"]["spent"], 4), budget["questions"][0]["fit"]) == (0.1667, 5)
    assert [each["name"] for each in json.loads(run("tables", "--format", "json"))][:2] == ["visits", "patients"]
    assert json.loads(run("data", "--format", "json"))[0]["table"] == "visits"
