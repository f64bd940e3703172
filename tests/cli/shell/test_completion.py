"""Completion knows tables, columns, declared values, functions and commands: public facts, free."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from discreet.cli.shell.completion import AGGREGATES, FUNCTION_NAMES, complete
from discreet.curator.curator import Curator
from discreet.curator.owner.tables import Tables
from support.clinic import open_clinic


@pytest.fixture(scope="module")
def curator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Curator]:
    with open_clinic(tmp_path_factory.mktemp("clinic")) as opened:
        yield opened


@pytest.fixture(scope="module")
def tables(curator: Curator) -> Tables:
    return curator.tables


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT COUNT(*) FROM vi", ["visits"]),
        ("SELECT COUNT(*) FROM ad", ["adults"]),
        ("SELECT visits.w", ["visits.ward"]),
        ("SELECT * FROM visits WHERE be", ["between"]),
        ("SELECT * FROM wards WHERE be", ["beds", "between"]),
        ("SELECT * FROM visits WHERE co", ["concat(", "contains(", "corr(", "cos(", "cost", "count(", "coalesce("]),
        ("SELECT COU", ["COUNT("]),
        ("SELECT * FROM adults WHERE do", ["doctor"]),
        ("WHERE ward = 'no", ["north'"]),
        ("WHERE ward IN ('north', 's", ["south'"]),
        ("WHERE ward = 'north' AND a", None),
        ("WHERE doctor = 'A", []),
        ("\\d p", ["patients", "prices"]),
        ("\\bu", ["\\budget"]),
        ("\\set eps", ["epsilon"]),
        ("\\set format j", ["json"]),
        ("\\set epsilon 0", []),
        ("\\bounds visits.co", ["visits.cost"]),
        ("\\price SELECT COUNT(*) FROM vi", ["visits"]),
    ],
)
def test_words_become_what_the_policy_knows(tables: Tables, text: str, found: list[str] | None) -> None:
    completed = complete(text, tables)
    if found is None:
        assert {"age", "at", "and"} <= set(completed)
    else:
        assert {each for each in completed if not each.startswith(("cot", "cov"))} == set(found) or completed == found


def test_hidden_things_are_not_offered(tmp_path: Path) -> None:
    with open_clinic(tmp_path, limits="max_rows = 3\nhidden = ['doctor']") as clinic:
        assert "doctor" not in complete("SELECT * FROM visits WHERE do", clinic.tables)


ARGUMENTS = ("age", "cost, 2", "'a'", "ward", "ward, 'a'", "ward, 'a', 'b'", "ward, 2", "ward, 2, 'x'", "age, cost")
MORE = (
    "'month', day",
    "'day', day, day",
    "day",
    "cost, 0, 10, 5",
    "ward, ward",
    "cost, 0.5",
    "year FROM day",
    "ward, 1, 2",
    "ward, 'a', 1",
)


@pytest.mark.many
@pytest.mark.parametrize("name", [*AGGREGATES, *FUNCTION_NAMES])
def test_every_function_that_is_offered_can_be_asked(curator: Curator, name: str) -> None:
    answered = []
    for given in (*ARGUMENTS, *MORE):
        texts = [f"SELECT {name}({given}) FROM visits", f"SELECT COUNT(*) FROM visits WHERE {name}({given}) IS NULL"]
        for text in texts:
            try:
                curator.explain(text, 0.1)
                answered.append(text)
            except Exception:
                continue
        if answered:
            return
    raise AssertionError(f"{name} is offered, and never answered")
