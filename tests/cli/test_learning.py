"""`discreet learn`: a model, its coefficients and report, and refusals before any charge."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.test_asking import charges
from discreet.cli.learning import read_setting, split_list
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
    for said in (
        "scores above 0 speak for True, below 0 for False",
        "-zCDP",
        "learned from about",
        "cost: rho",
        "charged",
        "wrote model.json",
        "wrote report.html",
    ):
        assert said in ran.err
    page = (here / "report.html").read_text()
    assert "A score above 0 speaks for True, one below 0 for False." in page
    assert "<dt>guarantee</dt>" in page
    model = load_model(here / "model.json")
    assert isinstance(model, LinearModel)
    assert model.weight_names == ["age", "half", "intercept"]
    assert "free" in Ran(*asked).err
    assert charges(here) == 1


def test_several_classes_have_a_column_each(here: Path) -> None:
    ran = Ran("learn", "visits", "--target", "ward", "--features", "age", "-e", 1, "--bins", "age=2")
    assert ran.out.splitlines()[0].split() == ["north", "south", "icu"]
    assert len(ran.out.splitlines()) == 1 + 3 + 1


@pytest.mark.many
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--model", "tree"), "model must be one of"),
        (("-o", "a.html", "--report", "a.html"), "must be different files"),
        (("--report", "a.pdf"), "ends in .html"),
        (("--bins", "age"), "NAME=COUNT"),
        (("--features", ""), "a list of columns or SQL expressions"),
        (("-o", "nowhere/model.json"), "nowhere"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_before_anything_is_charged(here: Path, options: tuple[str, ...], said: str) -> None:
    ran = Ran("learn", "visits", "--target", "cost > 500", "--features", "age", "-e", 1, *options)
    assert ran.code != 0
    assert said in ran.err
    assert charges(here) == 0


@pytest.mark.parametrize("method", ["output", "objective"])
def test_a_noisy_minimum_is_learned_for_one_charge(here: Path, method: str) -> None:
    asked = ("learn", "visits", "--target", "cost > 500", "--features", "age", "-e", 1, "--method", method)
    ran = Ran(*asked, "-o", "model.json", "--report", "report.html")
    assert ran.code == 0
    assert [line.split()[0] for line in ran.out.splitlines()] == ["age", "intercept"]
    model = load_model(here / "model.json")
    assert isinstance(model, LinearModel)
    assert model.settings["method"] == method
    assert model.receipt is not None
    assert "a ridge of" in (here / "report.html").read_text()
    assert "free" in Ran(*asked).err
    assert charges(here) == 1


def test_the_best_of_several_settings_is_learned_for_one_charge(here: Path) -> None:
    asked = ("learn", "visits", "--target", "cost > 500", "--features", "age", "--max-rows", 1, "-e", 1, "--tries", 2)
    settings = ("--choose", "bins age=4; patience 0.5", "--choose", "features ward, age / 2")
    ran = Ran(*asked, *settings, "-o", "model.json", "--report", "report.html")
    assert ran.code == 0, ran.err
    assert "chosen: setting" in ran.err
    assert "the best of up to 2 tries" in ran.err
    model = load_model(here / "model.json")
    assert isinstance(model, LinearModel)
    assert model.choice is not None
    assert model.choice.settings == ("bins age: 4; patience 0.5", "features ward, age / 2")
    assert "tries" in (here / "report.html").read_text()
    assert "free" in Ran(*asked, *settings).err
    assert charges(here) == 1


@pytest.mark.many
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--choose", "as usual"), "--choose is given twice or more"),
        (("--tries", "4"), "--tries is for a choice among settings"),
        (("--choose", "as usual", "--choose", "clip 3"), "--choose must be 'as usual', or each once of 'bins"),
        (("--choose", "as usual", "--choose", "patience 1; patience 2"), "each once of"),
        (("--choose", "as usual", "--choose", "bins"), "each once of"),
        (("--choose", "as usual", "--choose", "bins age"), "NAME=COUNT"),
        (("--choose", "as usual", "--choose", "patience long"), "patience and a number"),
        (("--choose", "as usual", "--choose", "patience 1000"), "patience must be"),
        (("--choose", "as usual", "--choose", "patience 2", "--tries", "5"), "a multiple of 2"),
        (("--choose", "as usual", "--choose", "patience 2", "--method", "output"), "--method cannot be given beside"),
        (("--choose", "as usual", "--choose", "patience 2", "--model", "linear"), "model must be one of logistic, svc"),
        (("--choose", "as usual", "--choose", "features nothing"), "nothing"),
        (("--method", "newton"), "method must be one of descent, output, objective"),
        (("--method", "output", "--model", "poisson", "--target", "age"), "descent: a minimum is bounded for"),
    ],
    ids=str,
)
def test_a_choice_or_a_method_that_cannot_be_is_refused_and_nothing_is_charged(
    here: Path, options: tuple[str, ...], said: str
) -> None:
    ran = Ran("learn", "visits", "--target", "cost > 500", "--features", "cost", "--max-rows", 1, "-e", 1, *options)
    assert ran.code == 2
    assert said in " ".join(ran.err.split())
    assert charges(here) == 0


def test_lists_are_split_outside_of_brackets_and_quotes() -> None:
    assert split_list("age, ROUND(cost, 1),ward") == ["age", "ROUND(cost, 1)", "ward"]
    assert split_list("ward = 'a,b', \"odd, name\"") == ["ward = 'a,b'", '"odd, name"']


def test_a_setting_has_the_words_that_a_choice_is_shown_with() -> None:
    assert read_setting(" as usual ") == {}
    assert read_setting("features age, ROUND(cost; 1); patience 2") == {
        "features": ["age", "ROUND(cost; 1)"],
        "patience": 2.0,
    }
    assert read_setting("bins age=8, cost=20") == {"bins": {"age": 8, "cost": 20}}
