"""Results as plain values that can be compared: what a person sees of them, and nothing of where they lie in memory."""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from discreet.answers.receipt import Mark, Receipt

HIDDEN = ("discreet.curator", "discreet.ledger", "discreet.engines", "_thread", "threading")
"""Packages whose objects are no results: of them only the kind is compared."""

DEEPEST = 40

RECEIPT = re.compile(r"\b([1-9][0-9]{0,17}):[0-9a-f]{64}\b", re.ASCII)
"""A receipt in a text, such as a model's JSON: an entry's number, and a hash that covers the time of the day."""


def write_form(value: Any, depth: int = 0) -> Any:
    """Return a value as tuples, texts and numbers, equal for values that look alike, and only for those.

    A receipt is its entry's number, its charge and who paid: the hash beside it covers the time of the day.
    """
    if depth > DEEPEST:
        return "..."
    if isinstance(value, str):
        return RECEIPT.sub(r"\1:", value)
    if value is None or isinstance(value, bool | int | bytes):
        return value
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, enum.Enum):
        return type(value).__name__, value.name
    if isinstance(value, BaseException):
        return type(value).__name__, str(value)
    if isinstance(value, Mark):
        return value.entry
    if isinstance(value, Receipt):
        return value.entry, repr(value.charge), value.paid
    if isinstance(value, np.ndarray):
        return _write_array(value, depth)
    if isinstance(value, np.generic):
        return write_form(value.item(), depth + 1)
    if isinstance(value, Mapping):
        return tuple((write_form(key, depth + 1), write_form(each, depth + 1)) for key, each in value.items())
    if isinstance(value, list | tuple):
        return tuple(write_form(each, depth + 1) for each in value)
    if isinstance(value, set | frozenset):
        return tuple(sorted(repr(write_form(each, depth + 1)) for each in value))
    return _write_object(value, depth)


def _write_array(value: np.ndarray[Any, Any], depth: int) -> Any:
    if value.dtype == object:
        return value.shape, tuple(write_form(each, depth + 1) for each in value.ravel().tolist())
    return value.shape, str(value.dtype), hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()


def _write_object(value: Any, depth: int) -> Any:
    kind = type(value)
    name = f"{kind.__module__}.{kind.__qualname__}"
    if kind.__module__.startswith(HIDDEN) and not dataclasses.is_dataclass(value):
        return name
    if callable(value):
        return name if not hasattr(value, "__qualname__") else value.__qualname__
    if hasattr(value, "to_pydict"):
        return name, write_form(value.to_pydict(), depth + 1)
    if dataclasses.is_dataclass(value):
        found = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return name, write_form(found, depth + 1)
    if hasattr(value, "__dict__"):
        return name, write_form(vars(value), depth + 1)
    shown = repr(value)
    return name if " at 0x" in shown else (name, shown)


def find_difference(one: Any, other: Any, where: str = "the result") -> str | None:
    """Return where two forms differ first, in words that quote neither; None where they are the same."""
    if one == other:
        return None
    if isinstance(one, tuple) and isinstance(other, tuple):
        if len(one) != len(other):
            return f"{where} has {len(other)} parts, and had {len(one)}"
        for place, (mine, theirs) in enumerate(zip(one, other, strict=True)):
            named = isinstance(mine, tuple) and isinstance(theirs, tuple) and len(mine) == len(theirs) == 2
            word = f"{where}, {mine[0]}" if named and isinstance(mine[0], str) and mine[0] == theirs[0] else where
            found = find_difference(mine, theirs, word if word != where else f"{where}[{place}]")
            if found is not None:
                return found
    return f"{where} differs"
