"""What the ledger keeps: released numbers come back as they were, and no other form is guessed at."""

from __future__ import annotations

import datetime as dt
import json
from fractions import Fraction
from typing import Any

import pytest

from discreet.base.errors import LedgerError
from discreet.curator.release.released import Released, ReleasedSet
from discreet.mechanisms.quantile import Drawn
from discreet.plan.expressions import Constant


def test_released_numbers_of_any_size_come_back_from_the_ledger() -> None:
    trees: dict[int, tuple[dict[tuple[int, int], int], ...]] = {1: ({(1, 0): -5, (2, 3): 2**70}, {})}
    released = Released((ReleasedSet(((2**100, -1), ()), trees), ReleasedSet(((7,), ()), {1: ({},)})))
    assert Released.from_bytes(released.to_bytes()) == released


def test_selected_keys_of_every_type_and_drawn_ranks_come_back() -> None:
    noon = dt.datetime(2026, 3, 1, 12, 30, tzinfo=dt.UTC)
    values: list[Constant] = [
        "icu",
        "",
        "it's",
        7,
        -(2**62),
        True,
        False,
        None,
        dt.date(2026, 3, 1),
        noon,
        Fraction(1, 3),
    ]
    keys = tuple((value, "x") for value in values)
    drawn = {0: tuple(Drawn(place, 9, Fraction(1, 2), 2.5, (3, -1, place)) for place in range(len(keys)))}
    released = Released((ReleasedSet(((),), drawn=drawn, keys=keys),))
    same = Released.from_bytes(released.to_bytes())
    assert same == released
    assert [type(key[0]) for key in same.sets[0].keys or ()] == [type(value) for value in values], "True is not 1"


def test_answers_in_another_form_are_not_guessed_at() -> None:
    drawn: list[Any] = [{"sums": [[]], "trees": {}, "drawn": {"0": [[5, 0, 9, 9, 0.999]]}, "keys": None}]
    forms: list[dict[str, Any]] = [{"version": version, "sums": [[3, 4]], "trees": {}} for version in (1, 2, 7)]
    for form in [*forms, {"version": 3, "sets": drawn}]:
        with pytest.raises(LedgerError, match=f"version {form['version']}, and this program reads 3 to 6"):
            Released.from_bytes(json.dumps(form).encode())


def test_answers_without_quantiles_keep_their_form() -> None:
    plain = Released((ReleasedSet(((3, 4),)),))
    assert json.loads(plain.to_bytes())["version"] == 3
    assert Released.from_bytes(plain.to_bytes()) == plain
