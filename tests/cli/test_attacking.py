"""`discreet attack`: every command on made-up people and on a table of one's own, pictures, JSON, and complaints."""

from __future__ import annotations

import doctest
import json
from pathlib import Path

import pytest

from discreet.cli import attacking
from support.cli import Ran, refused

ATTACKS: dict[str, tuple[tuple[object, ...], str]] = {
    "differencing": (("--targets", 4), "curator_right"),
    "reconstruction": (("--people", 8, "--answers", 16), "curator"),
    "tracing": (("--people", 10, "--attributes", 20), "exact"),
    "linkage": (("--people", 50), "unique_combinations"),
    "averaging": (("--times", 20), "fresh_answers"),
    "float-bits": (("--outputs", 1000), "ours"),
}
"""Commands, few people for each, and what is told as JSON."""


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Write sixty people into a csv file."""
    rows = [f"{1950 + each % 50},{'fm'[each % 2]},{('flu', 'none', 'none')[each % 3]}" for each in range(60)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["born,sex,diagnosis", *rows]) + "\n")
    return path


@pytest.mark.many
@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_tells_and_draws_what_made_up_people_give_away(name: str, tmp_path: Path) -> None:
    options, key = ATTACKS[name]
    picture = tmp_path / "picture.png"
    ran = Ran("attack", name, *options, "--json", "-o", picture)
    assert ran.code == 0, ran.err
    assert key in json.loads(ran.out)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "wrote" in ran.err


@pytest.mark.many
@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        (
            "differencing",
            ("--secret", "diagnosis", "--value", "flu", "--targets", 4),
            "diagnosis = flu in people.csv; 60 people",
        ),
        ("tracing", ("--columns", "sex, diagnosis", "--people", 20), "means of 4 attributes of 20 people"),
        ("linkage", ("--by", "born,sex", "--secret", "diagnosis"), "50 combinations, 40 of them of one person alone"),
        ("averaging", ("--secret", "sex", "--value", "f", "--times", 3), "(sex = f in people.csv); the truth is 30"),
        ("float-bits", ("--secret", "sex", "--value", "f", "--outputs", 1000), "is the true count 30 or 29?"),
    ],
)
def test_attacks_work_on_a_table_of_ones_own(people: Path, name: str, options: tuple[object, ...], words: str) -> None:
    ran = Ran("attack", name, "--table", people, *options)
    assert ran.code == 0, ran.err
    assert words in " ".join(ran.out.split())
    assert "for the owner's eyes only" in " ".join(ran.out.split())


def test_programs_are_told_that_a_table_of_ones_own_is_for_the_owners_eyes(people: Path) -> None:
    ran = Ran("attack", "linkage", "--table", people, "--by", "born,sex", "--secret", "diagnosis", "--json")
    assert "for the owner's eyes only" in json.loads(ran.out)["for"]


@pytest.mark.many
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("differencing", "--secret", "diagnosis"), "name it with --table"),
        (("differencing", "--table", "PEOPLE"), "say which column is the secret"),
        (
            ("differencing", "--table", "PEOPLE", "--secret", "diagnosis"),
            "--value must be given, since it says who has the secret diagnosis: flu, none",
        ),
        (
            ("differencing", "--table", "PEOPLE", "--secret", "diagnosis", "--value", "gout"),
            "--value must be a value of diagnosis",
        ),
        (("reconstruction", "--table", "PEOPLE", "--secret", "sex", "--value", "f"), "Draw fewer people"),
        (("averaging", "--table", "nowhere.csv", "--secret", "ill"), "there is no file"),
        (("averaging", "--budget", "0.01"), "budget must be at least epsilon"),
        (("tracing", "--columns", "sex"), "name it with --table"),
        (("tracing", "--table", "PEOPLE"), "with --columns: born, sex, diagnosis"),
        (("tracing", "--table", "PEOPLE", "--columns", "sex"), "300 are needed"),
        (("linkage", "--by", "sex"), "name it with --table"),
        (("linkage", "--table", "PEOPLE", "--by", "sex"), "out of born, sex, diagnosis"),
        (("linkage", "--table", "PEOPLE", "--by", "sex,height", "--secret", "diagnosis"), "--by must be one of born"),
        (("linkage", "--table", "PEOPLE", "--by", "sex", "--secret", "ill"), "--secret must be one of born"),
        (("tracing", "--table", "PEOPLE", "--columns", "ill"), "--columns must be one of born, sex, diagnosis"),
        (("tracing", "--table", "PEOPLE", "--columns", "sex,sex"), "'sex' is there twice"),
        (("differencing", "--table", "PEOPLE", "--secret", "ill"), "--secret must be one of born, sex, diagnosis"),
        (("differencing", "--table", "people.doc"), "--table must be a file that ends in .csv or .parquet"),
        (("linkage", "--delta", "1e-300"), "delta must be 0, or at least 1e-100; got 1e-300"),
        (("averaging", "--times", 10**9), "times must be a whole number >= 1 and <= 100000"),
        (("linkage", "--table", "PEOPLE", "--by", "sexx", "--secret", "diagnosis"), "did you mean 'sex'?"),
        (("float-bits", "--table", "PEOPLE", "--secret", "sex", "--value", "f", "--count", 3), "leave it out"),
        (("float-bits", "-o", "picture.doc"), "ends in .png"),
        (("float-bits", "-o", "nowhere/picture.png"), "there is no folder"),
    ],
)
def test_what_cannot_be_attacked_is_refused(people: Path, arguments: tuple[object, ...], words: str) -> None:
    given = [people if each == "PEOPLE" else each for each in arguments]
    assert words in " ".join(refused("attack", *given).split())


def test_seeds_below_zero_are_refused() -> None:
    ran = Ran("attack", "differencing", "--seed", "-3")
    assert ran.code == 2
    assert "greater than or equal to 0" in " ".join(ran.err.split())


def test_examples_in_the_source_hold() -> None:
    assert doctest.testmod(attacking).failed == 0
