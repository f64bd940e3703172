"""A price is said in one way; none at all is refused with what some would buy, before anything is charged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from discreet.base.errors import QueryError
from discreet.curator import Curator
from support.clinic import write_policy, write_tables

COUNT = "SELECT COUNT(*) AS n FROM visits"
SCORE = "COUNT(*) FILTER (WHERE age > $candidate)"


@pytest.fixture
def curator(tmp_path: Path) -> Iterator[Curator]:
    write_tables(tmp_path)
    path = tmp_path / "policy.toml"
    path.write_text(write_policy(files=True))
    Curator.init(path)
    with Curator.open(path) as opened:
        yield opened
        assert [entry.kind for entry in opened.ledger.entries()] == ["CREATE"]


def test_without_a_price_the_errors_of_three_are_shown(curator: Curator) -> None:
    asks: list[Callable[[], object]] = [
        lambda: curator.ask(COUNT),
        lambda: curator.choose([10, 20], SCORE, table="visits"),
    ]
    for ask in asks:
        with pytest.raises(QueryError, match="say how much privacy to spend") as refused:
            ask()
        assert all(f"epsilon={each}" in str(refused.value) for each in ("0.05", "0.2", "1.0"))


def test_two_prices_for_one_question_are_refused(curator: Curator) -> None:
    asks: list[Callable[[], object]] = [
        lambda: curator.prepare(COUNT, 0.1, rho=0.1),
        lambda: curator.prepare(COUNT, 0.1, within={"n": 10}),
        lambda: curator.prepare_choice([10, 20], SCORE, 0.1, within=5, table="visits"),
    ]
    for ask in asks:
        with pytest.raises(QueryError, match="give one of epsilon, rho and within"):
            ask()


def test_an_error_wanted_finds_its_price(curator: Curator) -> None:
    fine, coarse = (curator.prepare(COUNT, within={"n": error}).priced.charge.epsilon for error in (10, 100))
    assert fine > coarse > 0
    fine, coarse = (
        curator.prepare_choice([10, 20], SCORE, within=error, table="visits").priced.charge.epsilon
        for error in (10, 100)
    )
    assert fine > coarse > 0
