"""Questions as they travel: JSON that is read into values, or refused with what to write instead."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from discreet.base.errors import ParameterError, QueryError
from discreet.query.left_out import LeftOutCount, read_left_out
from discreet.server.questions import AnyAsked, Asked, AskedBounds, AskedChoice

AMOUNTS = ("epsilon", "rho", "key_delta")
LIMITS = ("max_rows", "max_groups", "max_rows_per_group")
LONGEST_NUMBER = 400
"""Letters of a number that is sent as text."""


def read_asked(values: Mapping[str, Any]) -> Asked:
    """Return the question in a JSON object, or raise with what to write instead."""
    _check_known(values, Asked)
    if not isinstance(values.get("sql"), str):
        raise QueryError('sql is missing; write {"sql": "SELECT ...", "epsilon": "0.1"}')
    given = _read_common(values)
    _check(given, "clamping", bool, "true or false")
    _check(given, "within", dict, 'errors by column, such as {"n": 10}')
    _check(given, "keys", list, "a list of keys")
    if given.get("left_out") is not None:
        given["left_out"] = _read_left_out(given["left_out"])
    if given.get("within") is not None:
        given["within"] = {name: _read_float(each) for name, each in given["within"].items()}
    if given.get("keys") is not None:
        given["keys"] = tuple(map(_read_key, given["keys"]))
    return Asked(**_leave_out_none(given))


def read_choice(values: Mapping[str, Any]) -> AskedChoice:
    """Return the choice in a JSON object: `candidates` is a list, or {"lower": 0, "upper": 100, "step": 1}."""
    _check_known(values, AskedChoice, but="span")
    if not isinstance(values.get("score"), str):
        raise QueryError('score is missing; write {"score": "SELECT COUNT(*) FILTER (WHERE age >= $candidate) ..."}')
    given = _read_common(values)
    _check(given, "table", str, "the name of a table")
    _check(given, "largest", bool, "true or false")
    _check(given, "count", int, "a whole number of at least 1")
    if given.get("within") is not None:
        given["within"] = _read_float(given["within"])
    among = given.pop("candidates", None)
    if isinstance(among, list):
        given["candidates"] = tuple(map(_read_plain, among))
    elif isinstance(among, dict) and {"lower", "upper"} <= set(among) <= {"lower", "upper", "step"}:
        given["span"] = tuple(_read_plain(among.get(name, 1)) for name in ("lower", "upper", "step"))
    else:
        raise QueryError('candidates are missing; write a list of values, or {"lower": 0, "upper": 100, "step": 1}')
    return AskedChoice(**_leave_out_none(given))


def read_bounds(values: Mapping[str, Any]) -> AskedBounds:
    """Return the bounds that are asked for in a JSON object."""
    _check_known(values, AskedBounds)
    if not isinstance(values.get("column"), str):
        raise QueryError('column is missing; write {"column": "visits.cost", "epsilon": "0.1"}')
    return AskedBounds(**_leave_out_none(_read_common(values)))


def write_value(value: object) -> Any:
    """Return a value of a parameter, a key or a candidate so that it is read as the same: `_read_plain` does."""
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        value = value.item()
    if isinstance(value, datetime):
        return {"timestamp": value.isoformat()}
    if isinstance(value, date):
        return {"date": value.isoformat()}
    if isinstance(value, Decimal | Fraction):
        return {"number": str(value)}
    return [write_value(each) for each in value] if isinstance(value, list | tuple) else value


def _check_known(values: Mapping[str, Any], kind: type[AnyAsked], but: str = "") -> None:
    known = {each.name for each in fields(kind)} - {but}
    for name in values:
        if name not in known:
            raise QueryError(f"{name!r} is not known; write of these: {', '.join(sorted(known))}")


def _read_common(values: Mapping[str, Any]) -> dict[str, Any]:
    given: dict[str, Any] = dict(values)
    for name in AMOUNTS:
        if isinstance(given.get(name), int | float | Decimal) and not isinstance(given[name], bool):
            given[name] = str(given[name])
        _check(given, name, str, 'a number, such as "0.1"')
    for name in LIMITS:
        _check(given, name, int, "a whole number of at least 1")
    for name in ("fresh", "simultaneous"):
        _check(given, name, bool, "true or false")
    _check(given, "key", str, "a text of your own that is new for each question")
    if isinstance(given.get("confidence"), int | Decimal):
        given["confidence"] = float(given["confidence"])
    _check(given, "confidence", float, "a number such as 0.95")
    _check(given, "params", dict, 'values by name, such as {"age": 65}')
    if given.get("params") is not None:
        given["params"] = {name: _read_plain(each) for name, each in given["params"].items()}
    return given


def _check(given: dict[str, Any], name: str, kind: type, what: str) -> None:
    value = given.get(name)
    if value is not None and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
        raise QueryError(f"{name} is {json.dumps(value, default=str)[:40]}; write {what}")


def _leave_out_none(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in given.items() if each is not None}


def _read_left_out(value: Any) -> LeftOutCount:
    try:
        return read_left_out(value)
    except ParameterError as wrong:
        raise QueryError(str(wrong)) from None


def _read_key(value: Any) -> Any:
    return tuple(map(_read_plain, value)) if isinstance(value, list) else _read_plain(value)


def _read_float(value: Any) -> Any:
    plain = _read_plain(value)
    return float(plain) if isinstance(plain, Decimal) else plain


def _read_number(text: str) -> Decimal | Fraction:
    if len(text) > LONGEST_NUMBER or "e" in text.lower().partition("/")[2]:
        raise ValueError
    return Fraction(text) if "/" in text else Decimal(text)


READERS: dict[str, Callable[[str], object]] = {
    "date": date.fromisoformat,
    "timestamp": datetime.fromisoformat,
    "number": _read_number,
}
"""What JSON has no word for: {"date": "2026-03-01"}, {"timestamp": "2026-03-01T12:00:00"}, {"number": "0.10"}."""


def _read_plain(value: Any) -> Any:
    if not isinstance(value, list | dict):
        return value
    if isinstance(value, dict) and len(value) == 1:
        ((name, text),) = value.items()
        try:
            if name in READERS and isinstance(text, str):
                return READERS[name](text)
        except (ValueError, ZeroDivisionError, InvalidOperation):
            pass
    raise QueryError('params and keys take texts, numbers, true, false, null, and dates as {"date": "2026-03-01"}')
