"""Results as plain values that can be compared: what a person sees of them, and nothing of where they lie in memory."""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
import re
import types
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.answers.receipt import Mark, Receipt

HIDDEN = ("discreet.curator", "discreet.ledger", "discreet.engines", "_thread", "threading")
"""Packages whose objects are no results: of them only the kind is compared."""

DEEPEST = 40

RECEIPT = re.compile(r"\b([1-9][0-9]{0,17}):[0-9a-f]{64}\b", re.ASCII)
"""A receipt in a text, such as a model's JSON: an entry's number, and a hash that covers the time of the day."""


class FormKind(str):
    """What kind of thing a form is of: the first of its parts, which is no part of the thing."""

    __slots__ = ()


Seen = frozenset[int]
"""Objects that hold the one that is being written, by their places in memory: an object inside of itself is cut off."""


def write_form(value: Any, seen: Seen = frozenset()) -> Any:
    """Return a value as tuples, texts and numbers, equal for values that look alike, and only for those.

    A receipt is its entry's number, its charge and who paid: the hash beside it covers the time of the day. Functions
    are what they hold, beside their names. Of what can be looked into in no way, only the kind is compared.
    """
    if isinstance(value, enum.Enum):
        return type(value).__name__, value.name
    if isinstance(value, str):
        return RECEIPT.sub(r"\1:", value)
    if isinstance(value, memoryview):
        return FormKind("memoryview"), value.tobytes()
    if value is None or isinstance(value, int | bytes):
        return (FormKind("bool"), int(value)) if isinstance(value, bool) else value
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, BaseException):
        return type(value).__name__, str(value)
    if isinstance(value, Mark):
        return value.entry
    if isinstance(value, Receipt):
        return value.entry, repr(value.charge), value.paid
    if isinstance(value, type | types.ModuleType):
        return value.__name__
    if isinstance(value, np.generic) and value.dtype != object and not isinstance(value, np.void):
        return write_form(value.item(), seen)
    if id(value) in seen or len(seen) > DEEPEST:
        return "..."
    return _write_whole(value, seen | {id(value)})


def _write_whole(value: Any, seen: Seen) -> Any:
    """Write what is made of others."""
    if isinstance(value, np.ndarray):
        return _write_array(value, seen)
    kind = FormKind(type(value).__name__)
    if isinstance(value, Mapping):
        return kind, *((write_form(key, seen), write_form(each, seen)) for key, each in value.items())
    if isinstance(value, list | tuple):
        return kind, *(write_form(each, seen) for each in value)
    if isinstance(value, set | frozenset):
        return kind, *sorted(repr(write_form(each, seen)) for each in value)
    if isinstance(value, functools.partial):
        return "partial", write_form((value.func, value.args, value.keywords), seen)
    if isinstance(value, types.MethodType | types.BuiltinMethodType):
        return value.__qualname__, write_form(value.__self__, seen)
    if isinstance(value, types.FunctionType):
        return _write_function(value, seen)
    return _write_object(value, seen)


def _write_array(value: np.ndarray[Any, Any], seen: Seen) -> Any:
    kind, plain = FormKind(type(value).__name__), np.asarray(value)
    held = write_form(vars(value), seen) if hasattr(value, "__dict__") else None  # such as a mask
    if plain.dtype.hasobject:
        return kind, held, plain.shape, tuple(write_form(each, seen) for each in plain.ravel().tolist())
    return kind, held, plain.shape, str(plain.dtype), hashlib.sha256(np.ascontiguousarray(plain).tobytes()).hexdigest()


def _write_function(value: types.FunctionType, seen: Seen) -> Any:
    """Write what a function was given when it was made: its defaults, and what it took from around it."""
    held = [_read_cell(cell) for cell in value.__closure__ or ()]
    return value.__qualname__, write_form([*held, value.__defaults__, value.__kwdefaults__, vars(value)], seen)


def _read_cell(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing was put into it yet
        return None


def _write_object(value: Any, seen: Seen) -> Any:
    kind = type(value)
    name = f"{kind.__module__}.{kind.__qualname__}"
    if kind.__module__.startswith(HIDDEN) and not dataclasses.is_dataclass(value):
        return name
    table = _read_table(value)
    if table is not None:
        return name, write_form(table, seen)
    if dataclasses.is_dataclass(value):
        return name, write_form({field.name: getattr(value, field.name) for field in dataclasses.fields(value)}, seen)
    held = _list_held(value)
    if held:
        own = any(getattr(kind, name) is not getattr(object, name) for name in ("__reduce__", "__reduce_ex__"))
        return name, write_form(held, seen), _take_apart(value, seen) if own else None
    shown = repr(value)
    return name, None if " at 0x" in shown else shown, _take_apart(value, seen)


def _read_table(value: Any) -> Any:
    """Return the columns or the values of what can be read as Arrow; None of what cannot."""
    if not (hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__")):
        return None
    try:
        return pa.table(value).to_pydict()
    except (TypeError, ValueError, pa.ArrowException):
        pass
    try:
        return pa.array(value).to_pylist()
    except (TypeError, ValueError, pa.ArrowException):
        return None


def _list_held(value: Any) -> dict[str, Any]:
    """Return what an object holds under names, whether in a dictionary or in slots."""
    names = [name for kind in type(value).__mro__ for name in _list_slots(kind)]
    slots = {name: getattr(value, name) for name in names if hasattr(value, name)}
    return {**slots, **getattr(value, "__dict__", {})}


def _list_slots(kind: type) -> list[str]:
    slots = vars(kind).get("__slots__", ())
    own = [slots] if isinstance(slots, str) else list(slots)
    mangled = f"_{kind.__name__.lstrip('_')}"
    return [mangled + each if each.startswith("__") else each for each in own if not each.endswith("__")]


def _take_apart(value: Any, seen: Seen) -> Any:
    """Write what an object would be copied from; nothing of those that cannot be copied."""
    try:
        return write_form(value.__reduce_ex__(4), seen)
    except Exception:
        return None


def find_difference(one: Any, other: Any, where: str = "the result") -> str | None:
    """Return where two forms differ first, in words that quote neither; None where they are the same."""
    if one == other:
        return None
    if isinstance(one, tuple) and isinstance(other, tuple):
        kinds = [FormKind(each[0]) if each and isinstance(each[0], FormKind) else None for each in (one, other)]
        if kinds[0] != kinds[1]:
            return f"{where} is of another kind"
        if kinds[0] is not None:
            one, other = one[1:], other[1:]
        if len(one) != len(other):
            return f"{where} has {len(other)} parts, and had {len(one)}"
        for place, (mine, theirs) in enumerate(zip(one, other, strict=True)):
            if mine == theirs:
                continue
            if _is_named(mine) and _is_named(theirs) and mine[0] == theirs[0]:
                found = find_difference(mine[1], theirs[1], f"{where}, {mine[0]}")
            else:
                found = find_difference(mine, theirs, f"{where}[{place}]")
            if found is not None:
                return found
    return f"{where} differs"


def _is_named(form: Any) -> bool:
    """Say whether a form is a thing under its name."""
    return isinstance(form, tuple) and len(form) == 2 and isinstance(form[0], str) and not isinstance(form[0], FormKind)
