"""Draws by key: those of an input come from its own blocks, and none is handed out twice."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.audit.house.keyed_draws import KeyDraws

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
