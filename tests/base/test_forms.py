"""Forms that outlive the code: names of classes and attributes do not matter, and defaults are left out."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import pytest

from discreet.base.canonical import write_json
from discreet.base.errors import OperationError
from discreet.base.forms import Forms, describe_constant, same_names


class Color(Enum):
    RED = 1
    BLUE = 2


@dataclass(frozen=True)
class Point:
    x: int
    color: Color = Color.RED
    near: tuple[Point, ...] = ()


@dataclass(frozen=True)
class Renamed:
    abscissa: int
    hue: Color = Color.RED
    around: tuple[Renamed, ...] = ()
    added_later: bool = False


CODES: dict[type[Enum], dict[str, str]] = {Color: {"RED": "red", "BLUE": "blue"}}
OLD = Forms({Point: ("point", same_names("x color near"))}, CODES)
NEW = Forms(
    {Renamed: ("point", {"x": "abscissa", "color": "hue", "near": "around", "added later": "added_later"})}, CODES
)


def test_a_form_has_its_tag_and_what_is_not_at_its_default() -> None:
    assert OLD.describe(Point(3)) == {"point": {"x": 3}}
    assert OLD.describe(Point(3, Color.BLUE, (Point(4),))) == {
        "point": {"x": 3, "color": "blue", "near": [{"point": {"x": 4}}]}
    }


def test_renaming_everything_and_adding_a_field_with_a_default_changes_nothing() -> None:
    old = OLD.describe(Point(3, Color.BLUE, (Point(4),)))
    assert NEW.describe(Renamed(3, Color.BLUE, (Renamed(4),))) == old
    assert NEW.describe(Renamed(3, Color.BLUE, (Renamed(4, added_later=True),))) != old


def test_what_a_form_forgets_is_found() -> None:
    assert OLD.list_missing() == []
    assert Forms({Point: ("point", same_names("x near"))}, CODES).list_missing() == ["Point.color"]
    assert Forms({Point: ("point", same_names("x color near z"))}, CODES).list_missing() == ["Point.z"]
    assert Forms({}, {Color: {"RED": "red"}}).list_missing() == ["Color.BLUE"]
    assert Forms({}, {Color: {"RED": "red", "BLUE": "red"}}).list_missing() == ["Color: two members have one code"]


class ShyNumber(int):
    """Written like any other number, and 0 where it is used."""

    def __mul__(self, other: int) -> int:
        return 0


class MoodyTuple(tuple[Point, ...]):
    """Shows other points each time."""


class LongDay(dt.date):
    """A day that might be any other."""


@pytest.mark.parametrize(
    "value",
    [ShyNumber(3), Point(ShyNumber(3)), Point(3, near=MoodyTuple((Point(4),))), MoodyTuple(), LongDay(2026, 1, 1)],
    ids=lambda each: type(each).__name__,
)
def test_subclasses_have_no_form_as_they_may_compute_something_else(value: object) -> None:
    with pytest.raises(OperationError, match="has no form that outlives the code"):
        OLD.describe(value)


def test_constants_of_different_types_have_different_forms() -> None:
    noon = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
    constants: list[object] = [
        None,
        True,
        False,
        1,
        0,
        "1",
        "",
        "2026-03-01",
        dt.date(2026, 3, 1),
        noon,
        noon.isoformat(),
    ]
    constants += [Fraction(1), Fraction(1, 3), "1/3", 1.0, 0.1, "0.1"]
    texts = [write_json(describe_constant(each)) for each in constants]
    assert len(set(texts)) == len(texts)


def test_what_has_no_form_is_refused() -> None:
    with pytest.raises(OperationError, match="set has no form"):
        OLD.describe({1})
