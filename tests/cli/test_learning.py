"""`discreet learn`: a model, its coefficients and report, and refusals before any charge."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.test_asking import charges
from discreet.cli.learning import split_list
from discreet.learn import LinearModel, load_model
from support.cli import Ran, write_clinic
from support.clinic import write_policy


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(write_clinic(tmp_path, write_policy(files=True)))
    return tmp_path


def test_a_model_and_a_report_are_written_for_one_charge(here: Path) -> None:
    asked = ("learn", "visits", "--target", "cost > 500", "--features", "age, ROUND(cost / 2, 1) AS half", "-e", 1)
    ran = Ran(*asked, "-o", "model.json", "--report", "report.html")
    assert ran.code == 0
    assert [line.split()[0] for line in ran.out.splitlines()] == ["age", "half", "intercept"]
    for said in ("learned from about", "cost: rho", "charged", "wrote model.json", "wrote report.html"):
        assert said in ran.err
    model = load_model(here / "model.json")
    assert isinstance(model, LinearModel)
    assert model.weight_names == ["age", "half", "intercept"]
    assert "free" in Ran(*asked).err
    assert charges(here) == 1


def test_several_classes_have_a_column_each(here: Path) -> None:
    ran = Ran("learn", "visits", "--target", "ward", "--features", "age", "-e", 1, "--bins", "age=2")
    assert ran.out.splitlines()[0].split() == ["north", "south", "icu"]
    assert len(ran.out.splitlines()) == 1 + 3 + 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--model", "tree"), "model must be one of"),
        (("-o", "a.html", "--report", "a.html"), "must be different files"),
        (("--report", "a.pdf"), "ends in .html"),
        (("--bins", "age"), "NAME=COUNT"),
        (("-o", "nowhere/model.json"), "nowhere"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_before_anything_is_charged(here: Path, options: tuple[str, ...], said: str) -> None:
    ran = Ran("learn", "visits", "--target", "cost > 500", "--features", "age", "-e", 1, *options)
    assert ran.code != 0
    assert said in ran.err
    assert charges(here) == 0


def test_lists_are_split_outside_of_brackets_and_quotes() -> None:
    assert split_list("age, ROUND(cost, 1),ward") == ["age", "ROUND(cost, 1)", "ward"]
    assert split_list("ward = 'a,b', \"odd, name\"") == ["ward = 'a,b'", '"odd, name"']
