"""Results as plain values that can be compared: what a person sees of them, and nothing of where they lie in memory."""

from __future__ import annotations

import copyreg
import dataclasses
import enum
import functools
import hashlib
import io
import itertools
import re
import sys
import types
from collections import deque
from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.answers.receipt import Mark, Receipt

HIDDEN = ("discreet.curator", "discreet.ledger", "discreet.engines", "_thread", "threading")
"""Packages whose objects are no results: of them only the kind is compared."""

DEEPEST = 150
"""Things inside of things that are looked into."""

LONGEST = 1_000_000
"""Things of one iterator that are read: some have no end."""

COPYING = ("__reduce__", "__reduce_ex__", "__getstate__")

ENDLESS = (itertools.count, itertools.cycle, itertools.repeat)

GENERATORS = ("numpy.random.", "random.")

RECEIPT = re.compile(r"\b([1-9][0-9]{0,17}):[0-9a-f]{64}\b", re.ASCII)
"""A receipt in a text, such as a model's JSON: an entry's number, and a hash that covers the time of the day."""

RECEIPT_BYTES = re.compile(RECEIPT.pattern.encode())


PLACE = re.compile(r" at 0x[0-9a-f]+|[^\s']*/discreet-audit-[^/\s']+/", re.ASCII)
"""Where something lies in memory, as `repr` shows it, or the folder of a curator that is thrown away."""

PANDAS_CACHES = ("_cache", "_item_cache")
"""What pandas keeps of what it has looked up."""


class FormKind(str):
    """What kind of thing a form is of: the first of its parts, which is no part of the thing."""

    __slots__ = ()


@dataclasses.dataclass(frozen=True)
class Seen:
    """What was written already, by its place in memory: what comes again is told by its number."""

    reads: bool = False
    """Whether iterators are read: then nobody can read them afterwards."""

    depth: int = 0
    known: dict[int, tuple[int, Any]] = dataclasses.field(default_factory=dict)

    def add(self, value: Any) -> int | None:
        """Return the number of what was seen before; None of what is new, which is kept: it keeps its place."""
        if id(value) in self.known:
            return self.known[id(value)][0]
        self.known[id(value)] = len(self.known), value
        return None


def write_result(value: Any) -> Any:
    """Return the form of what an operation ended with, whose iterators are read."""
    return write_form(value, Seen(reads=True))


def write_form(value: Any, seen: Seen | None = None) -> Any:
    """Return a value as tuples, texts and numbers, equal for values that look alike, whatever they are made of.

    A receipt is its entry's number, its charge and who paid: the hash beside it covers the time of the day. Functions
    are what they do and hold. Of what can be looked into in no way, and of what lies deeper than `DEEPEST`, only the
    kind is compared.
    """
    seen = Seen() if seen is None else seen
    if isinstance(value, enum.Enum):
        return type(value).__name__, value.name, write_form(value.value, seen)
    if isinstance(value, str | int | float) and hasattr(value, "__dict__"):
        return FormKind(type(value).__name__), write_form(_make_plain(value)), write_form(vars(value), seen)
    if isinstance(value, str):
        return RECEIPT.sub(r"\1:", value)
    if isinstance(value, memoryview):
        return FormKind("memoryview"), value.tobytes()
    if isinstance(value, bytes):
        return RECEIPT_BYTES.sub(rb"\1:", value)
    if value is None or isinstance(value, int):
        return (FormKind("bool"), int(value)) if isinstance(value, bool) else value
    if isinstance(value, float) and not isinstance(value, np.generic):
        return FormKind("float"), repr(value)
    if isinstance(value, Mark):
        return value.entry
    if isinstance(value, Receipt):
        return value.entry, repr(value.charge), value.paid
    if isinstance(value, types.ModuleType):
        return value.__name__
    if isinstance(value, np.generic) and value.dtype != object and not isinstance(value, np.void):
        return FormKind(str(value.dtype)), repr(value.item())
    number = seen.add(value)
    if number is not None or seen.depth > DEEPEST:
        return FormKind("again"), number
    inside = dataclasses.replace(seen, depth=seen.depth + 1)
    form = _write_whole(value, inside)
    more = _list_more(value)
    return (form, FormKind("attributes"), write_form(more, inside)) if more else form


def _write_whole(value: Any, seen: Seen) -> Any:
    """Write what is made of others."""
    if isinstance(value, np.ndarray):
        return _write_array(value, seen)
    kind = FormKind(type(value).__name__)
    if isinstance(value, type):
        return _write_class(value, seen)
    if isinstance(value, BaseException):
        return kind, str(value), write_form([value.args, value.__cause__], seen)
    if isinstance(value, Mapping):
        return kind, *((write_form(key, seen), write_form(each, seen)) for key, each in value.items())
    if isinstance(value, list | tuple | deque | ValuesView | KeysView | ItemsView):
        return kind, *(write_form(each, seen) for each in value)
    if isinstance(value, set | frozenset):
        return kind, *sorted(repr(write_form(each, seen)) for each in value)
    if isinstance(value, functools.partial):
        return "partial", write_form((value.func, value.args, value.keywords), seen)
    if isinstance(value, types.MethodType | types.BuiltinMethodType):
        return value.__qualname__, write_form(value.__self__, seen)
    if isinstance(value, types.FunctionType):
        return _write_function(value, seen)
    if isinstance(value, types.CodeType):
        return kind, value.co_code, value.co_names, write_form(value.co_consts, seen)
    if isinstance(value, pa.Table | pa.RecordBatch):
        schema = value.schema.to_string(show_schema_metadata=True, truncate_metadata=False)
        return kind, write_form(schema), *(_write_column(each) for each in value.columns)
    if isinstance(value, pa.Array | pa.ChunkedArray):
        return kind, _write_column(value)
    if seen.reads and isinstance(value, Iterator) and not isinstance(value, (io.IOBase, *ENDLESS)):
        return kind, *(write_form(each, seen) for each in itertools.islice(value, LONGEST))
    return _write_object(value, seen)


def _write_class(kind: type, seen: Seen) -> Any:
    """Write a class: one that nobody can import was made on the way, and holds what it was made of."""
    known: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        known = getattr(known, name, None)
    if known is kind:
        return f"{kind.__module__}.{kind.__qualname__}"
    held = {name: each for name, each in vars(kind).items() if name not in ("__dict__", "__weakref__", "__module__")}
    return kind.__qualname__, write_form(held, seen)


def _make_plain(value: Any) -> Any:
    return next(kind(value) for kind in (str, int, float) if isinstance(value, kind))


def _write_column(value: Any) -> Any:
    """Write the values of a column, and the list that they are taken from where there is one: all of it is seen."""
    parts = value.chunks if isinstance(value, pa.ChunkedArray) else [value]
    lists = [each.dictionary.to_pylist() for each in parts if isinstance(each, pa.DictionaryArray)]
    return str(value.type), write_form(value.to_pylist()), write_form(lists)


def _write_array(value: np.ndarray[Any, Any], seen: Seen) -> Any:
    kind, plain = FormKind(type(value).__name__), np.asarray(value)
    held = write_form(vars(value), seen) if hasattr(value, "__dict__") else None  # such as a mask
    if plain.dtype.hasobject:
        return kind, held, plain.shape, tuple(write_form(each, seen) for each in plain.ravel().tolist())
    return kind, held, plain.shape, str(plain.dtype), hashlib.sha256(np.ascontiguousarray(plain).tobytes()).hexdigest()


def _write_function(value: types.FunctionType, seen: Seen) -> Any:
    """Write what a function was given when it was made: its defaults, and what it took from around it."""
    held = [_read_cell(cell) for cell in value.__closure__ or ()]
    held += [value.__code__, value.__defaults__, value.__kwdefaults__, vars(value)]
    return value.__qualname__, write_form(held, seen)


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
    if dataclasses.is_dataclass(value):
        return name, write_form({field.name: getattr(value, field.name) for field in dataclasses.fields(value)}, seen)
    held = _list_held(value)
    if held:
        own = any(getattr(kind, each, None) is not getattr(object, each, None) for each in COPYING)
        return name, write_form(held, seen), _take_apart(value, seen) if own else None
    try:
        shown = repr(value)
    except Exception:
        shown = " at 0x"
    return name, None if " at 0x" in shown else shown, _take_apart(value, seen)


def _list_more(value: Any) -> dict[str, Any]:
    """Return what a thing has under names beside what its kind has: the forms of these are made of something else."""
    plain = (BaseException, Mapping, list, tuple, set, frozenset, deque)
    if isinstance(value, plain) or (dataclasses.is_dataclass(value) and not isinstance(value, type)):
        fields = {field.name for field in dataclasses.fields(value)} if dataclasses.is_dataclass(value) else set()
        held = {name: each for name, each in _list_held(value).items() if name not in fields}
        own = {name: getattr(value, name, None) for name in ("_fields", "maxlen", "default_factory")}
        return {**held, **{name: each for name, each in own.items() if each is not None}}
    return {}


def _list_held(value: Any) -> dict[str, Any]:
    """Return what an object was given under names, whether in a dictionary or in slots."""
    names = [name for kind in type(value).__mro__ for name in _list_slots(kind)]
    slots = {name: getattr(value, name) for name in names if hasattr(value, name)}
    held = {**slots, **getattr(value, "__dict__", {})}
    return {name: each for name, each in held.items() if not _is_cached(type(value), name)}


def _is_cached(kind: type, name: str) -> bool:
    """Say whether a thing works this out when it is asked first: it follows from all else."""
    is_frame = kind.__module__.partition(".")[0] == "pandas" and name in PANDAS_CACHES
    return is_frame or isinstance(getattr(kind, name, None), functools.cached_property)


def _list_slots(kind: type) -> list[str]:
    slots = vars(kind).get("__slots__", ())
    own = [slots] if isinstance(slots, str) else list(slots)
    mangled = f"_{kind.__name__.lstrip('_')}"
    return [mangled + each if each.startswith("__") else each for each in own if not each.endswith("__")]


def _take_apart(value: Any, seen: Seen) -> Any:
    """Write what an object would be copied from; nothing of those that cannot be copied."""
    copy = copyreg.dispatch_table.get(type(value))
    try:
        return write_form(value.__reduce_ex__(4) if copy is None else copy(value), seen)
    except Exception:
        return None


def tell_trouble(trouble: BaseException | None) -> tuple[str, str] | None:
    """Return what is seen of an error, but for places in memory, which differ from run to run."""
    return None if trouble is None else (type(trouble).__qualname__, PLACE.sub("", str(trouble)))


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
            if len(one) == 1 and not isinstance(mine, tuple):  # one number, and no list of them
                break
            if _is_named(mine) and _is_named(theirs) and mine[0] == theirs[0]:
                found = find_difference(mine[1], theirs[1], f"{where}, {mine[0]}")
            else:
                found = find_difference(mine, theirs, f"{where}[{place}]")
            if found is not None:
                return found
    return f"{where} differs"


def drop_generators(form: Any) -> Any:
    """Return a form in which random generators have no state: it changes whenever they are asked."""
    if not isinstance(form, tuple):
        return form
    if form and isinstance(form[0], str) and form[0].startswith(GENERATORS):
        return form[:1]
    return tuple(map(drop_generators, form))


def _is_named(form: Any) -> bool:
    """Say whether a form is a thing under its name."""
    return isinstance(form, tuple) and len(form) == 2 and isinstance(form[0], str) and not isinstance(form[0], FormKind)
