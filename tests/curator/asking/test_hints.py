"""Constants outside of what is declared are pointed out before the charge, from the policy alone."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from discreet.curator import Curator
from discreet.curator.asking.hints import HintWarning, find_hints
from support.cli import Ran, run, write_clinic
from support.clinic import open_clinic

OUTSIDE = "this is outside of the declared bounds"


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Curator]:
    with open_clinic(tmp_path_factory.mktemp("clinic")) as curator:
        yield curator


def hints(clinic: Curator, question: str) -> tuple[str, ...]:
    return find_hints(clinic.prepare(question, 0.1).question, clinic.policy)


@pytest.mark.parametrize(
    ("where", "hint"),
    [
        (
            "ward = 'nord'",
            "ward = 'nord': this is none of the declared values ('north', 'south', 'icu'); did you mean 'north'?",
        ),
        ("ward IN ('icu', 'x')", "ward IN 'x': this is none of the declared values ('north', 'south', 'icu')"),
        ("ward <> 'x'", "ward <> 'x': this is none of the declared values ('north', 'south', 'icu')"),
        (
            "age > 110.5",
            "age > 110.5: this is outside of the declared bounds (0 to 110), and no value within them meets it",
        ),
        (
            "200 > age",
            "age < 200: this is outside of the declared bounds (0 to 110), and every value within them meets it",
        ),
        (
            "cost = -1",
            "cost = -1: this is outside of the declared bounds (0 to 5,000), and no value within them meets it",
        ),
        (
            "day >= DATE '2024-01-01'",
            "day >= 2024-01-01: this is outside of the declared bounds (2025-01-01 to 2026-12-31), and every value "
            "within them meets it",
        ),
    ],
)
def test_a_constant_outside_of_what_is_declared_is_pointed_out(clinic: Curator, where: str, hint: str) -> None:
    assert hints(clinic, f"SELECT COUNT(*) AS n FROM visits WHERE {where}") == (hint,)
    (said,) = hints(clinic, f"SELECT COUNT(*) FILTER (WHERE {where}) AS n FROM visits")
    assert said == hint
    assert f"note       {hint}" in str(clinic.explain(f"SELECT COUNT(*) AS n FROM visits WHERE {where}", 0.1))


@pytest.mark.parametrize(
    "where",
    [
        "ward = 'north' AND age >= 0 AND age <= 110 AND cost < 5000",
        "ward = doctor",
        "ward > 'z'",
        "doctor = 'nobody'",
        "age + 1 > 200",
        "ward IS NULL",
        "at > TIMESTAMP '2030-01-01 00:00:00'",
        "day > TIMESTAMP '2030-01-01 00:00:00'",
    ],
)
def test_what_is_declared_or_of_which_nothing_is_declared_is_not(clinic: Curator, where: str) -> None:
    assert hints(clinic, f"SELECT COUNT(*) AS n FROM visits WHERE {where}") == ()


def test_tables_are_told_apart_and_views_and_subqueries_looked_into(clinic: Curator) -> None:
    text = "SELECT COUNT(*) AS n FROM adults JOIN patients USING (patient_id) WHERE sex = 'w'"
    assert hints(clinic, text) == ("sex = 'w': this is none of the declared values ('f', 'm')",)
    inner = "SELECT COUNT(*) AS n FROM (SELECT patient_id FROM visits WHERE age < -1) AS old"
    assert len(hints(clinic, inner)) == 1


def test_python_warns_before_the_charge_and_not_where_it_was_answered(tmp_path: Path) -> None:
    text = "SELECT COUNT(*) AS n FROM visits WHERE ward = 'nord'"
    with open_clinic(tmp_path) as curator:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(HintWarning, match="did you mean 'north'"):
                curator.ask(text, 0.1)
        assert [entry.kind for entry in curator.ledger.entries()] == ["CREATE"], "nothing was charged yet"
        with pytest.warns(HintWarning, match="none of the declared values"):
            curator.table("visits").where("ward = 'nord'").count(epsilon=0.1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            curator.ask(text, 0.1)
            assert "did you mean" in str(curator.explain(text, 0.2))


def test_the_shell_says_so_before_the_charge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_clinic(tmp_path))
    monkeypatch.setenv("DISCREET_HISTORY", "")
    ran = Ran("shell", input="\\set epsilon 0.1\nSELECT COUNT(*) AS n FROM visits WHERE ward = 'nord';\n")
    assert ran.err.count("note: ward = 'nord'") == 1
    assert "guarantee" in ran.out


def test_the_command_line_says_so_before_the_charge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_clinic(tmp_path))
    ran = Ran("ask", "SELECT COUNT(*) AS n FROM visits WHERE ward = 'nord'", "-e", 9)
    assert ran.code == 3
    assert ran.err.index("did you mean 'north'?") < ran.err.index("does not fit")
    assert "did you mean 'north'?" in run("explain", "SELECT COUNT(*) AS n FROM visits WHERE ward = 'nord'", "-e", 0.1)


def test_keys_from_the_data_that_do_not_appear_have_a_remedy(clinic: Curator) -> None:
    question = "SELECT doctor, COUNT(*) AS n FROM visits WHERE age > 98 GROUP BY doctor"
    remedy = "a larger epsilon or key_delta shows more; declared values, or keys that you name, all appear"
    assert remedy in str(clinic.explain(question, 0.1))
    answer = clinic.ask(question, 0.1)
    assert answer.rows == ()
    assert "(no rows)" in str(answer)
    assert "(no rows)" in answer._repr_html_()
    assert remedy in " ".join(str(answer).split())
    assert "854 or more" in str(answer)
    assert len(answer.notes) == len(set(answer.notes))
