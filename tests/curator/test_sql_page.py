"""Every question on the page about SQL is answered, and every refused one is refused, for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from discreet.base.errors import QueryError
from discreet.curator import Curator
from discreet.query.price import FREE
from support.clinic import open_clinic

PAGE = (Path(__file__).parents[2] / "docs" / "sql.md").read_text()
QUESTIONS, REFUSED = PAGE.split("## Functions")[0].split("### Refused")


def lines(part: str) -> list[list[str]]:
    """Return the cells of every line of the tables in a part of the page."""
    found = [line for line in part.splitlines() if line.startswith("| ") and not line.startswith(("| | ", "| refused"))]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in found]


EXAMPLES = [cells[1].strip("`") for cells in lines(QUESTIONS)]
REFUSALS = [(cells[0].strip("`"), cells[2].strip("` |")) for cells in lines(REFUSED)]


@pytest.fixture(scope="module")
def curator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Curator]:
    with open_clinic(tmp_path_factory.mktemp("page"), epsilon=10_000.0) as found:
        yield found


def test_the_page_has_its_examples() -> None:
    assert len(EXAMPLES) > 35
    assert all(example.startswith(("SELECT ", "WITH ")) for example in EXAMPLES)
    assert len(REFUSALS) > 15


@pytest.mark.many
@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_is_answered(curator: Curator, example: str) -> None:
    params = {"age": 65} if "$age" in example else None
    assert "guarantee" in str(curator.explain(example, 1.0, params=params))
    answer = curator.ask(example, 1.0, params=params)
    assert answer.rows
    keys_alone = answer.guarantee == FREE or any("keys come from the data" in note for note in answer.notes)
    assert any(field.noisy for field in answer.fields) or answer.accuracy is not None or keys_alone


@pytest.mark.parametrize(("refused", "instead"), REFUSALS)
def test_every_refusal_costs_nothing_and_its_rewrite_is_answered(curator: Curator, refused: str, instead: str) -> None:
    before = curator.ledger.head
    with pytest.raises(QueryError):
        curator.ask(refused, 1.0)
    assert curator.ledger.head == before
    assert curator.ask(instead, 1.0).rows
