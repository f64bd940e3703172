"""Draws by key: those of an input come from its own blocks, and none is handed out twice."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from discreet.answers.fields import Field
from discreet.answers.table import AnswerTable
from discreet.audit.house.keyed_draws import KeyDraws, ask_shown, ask_sql
from discreet.base.types import Type

NOBODY, SOMEBODY, TWO = (), ((1.0,),), ((1.0,), (2.0,))


class CountedTables:
    """Stands for curators: what is said of a key is its number, and how often was asked before."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.tables: list[Any] = []

    def find(self, blocks: Any, *_: Any) -> None:
        self.tables.append(blocks)

    def ask(self, _: Any, keys: int) -> Any:
        self.asked.append(keys)
        return np.arange(keys, dtype=np.float64)[:, None] + 1000 * len(self.asked)


class ToldCurator:
    """Stands for a curator that says this, on a machine without pandas."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *rows: tuple[object, ...], **kinds: Type) -> None:
        def miss(_: object) -> Any:
            raise AssertionError("pandas is no part of the product")

        monkeypatch.setattr(AnswerTable, "to_pandas", miss)
        self.told = AnswerTable(tuple(Field(name, kind, noisy=True) for name, kind in kinds.items()), rows)

    def ask(self, question: str, **_: Any) -> AnswerTable:
        return self.told


def test_answers_are_read_by_the_order_of_their_keys_without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = ((1, 0, 30, Decimal("0.5")), (0, 1, 20, None), (0, 0, 2**70, Decimal(4)), (1, 1, 0, Decimal(0)))
    kinds = {"high": Type.INTEGER, "low": Type.INTEGER, "n": Type.INTEGER, "x": Type.DECIMAL}
    curator: Any = ToldCurator(monkeypatch, *rows, **kinds)
    drawn = ask_sql("a question", ("high", "low"))(curator, 3)
    assert drawn.dtype == np.float64
    assert drawn.tolist() == [[2.0**70, 4.0], [20.0, -1e6], [30.0, 0.5]]


def test_keys_that_are_shown_are_told_from_others_without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: Any = ToldCurator(monkeypatch, ("3",), ("0",), k=Type.TEXT)
    nothing: Any = ToldCurator(monkeypatch, k=Type.TEXT)
    assert ask_shown("a question")(shown, 4).tolist() == [[1.0], [0.0], [0.0], [1.0]]
    assert ask_shown("a question")(nothing, 2).tolist() == [[0.0], [0.0]]


def make_draws() -> tuple[KeyDraws, CountedTables]:
    tables = CountedTables()
    return KeyDraws(tables.ask, tables, (NOBODY, SOMEBODY, NOBODY, TWO), 10), tables  # type: ignore[arg-type]


def test_an_input_has_all_of_its_blocks_and_no_others() -> None:
    draws, tables = make_draws()
    assert draws(NOBODY, 20).ravel().tolist() == [*range(1000, 1020)]
    assert draws(SOMEBODY, 5).ravel().tolist() == [*range(2000, 2005)]
    assert draws(TWO, 5).ravel().tolist() == [*range(2010, 2015)]
    assert tables.asked == [20, 20]


def test_neighbours_never_lie_in_one_table() -> None:
    draws, tables = make_draws()
    for given in (NOBODY, SOMEBODY, TWO):
        draws(given, 5)
    assert tables.tables == [(NOBODY, NOBODY), (SOMEBODY, TWO)]


def test_no_draw_is_handed_out_twice_and_what_is_missing_is_asked_for_again() -> None:
    draws, tables = make_draws()
    seen = [each for given in (TWO, SOMEBODY, TWO, SOMEBODY) for each in draws(given, 7).ravel().tolist()]
    assert len(set(seen)) == len(seen) == 28
    assert len(tables.asked) == 2


def test_an_input_that_is_in_no_block_is_asked_about_alone() -> None:
    draws, tables = make_draws()
    assert len(draws(((5.0,),), 10)) == 10
    assert tables.asked == [10]
