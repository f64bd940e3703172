"""Tapes: what mechanisms and desks were asked on one database, what they said, and the same said again on another.

A tape is begun on a database D and keeps every call in its order: what was asked, with which parameters, the exact
numbers that went in and the noisy ones that came out. A second tape runs over a neighbour D' and is given the first:
each call is computed and drawn there too, and then answered as it was on D, where it is the same call. So the
transcript of noisy answers is the same on both, and whatever is decided by them is decided alike: all that may
differ are the numbers that go in, by what is paid for. Anything else that differs does not come from noise.

Bits: each call has a stream of its own, made of the seed and its place. A sampler that draws lazily takes more words
of its stream on one database than on the other, and moves nobody else's draws.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from discreet.mechanisms import KeySelection, KeyThreshold
from discreet.noise.bits import Words, replayed
from discreet.privacy import Loss
from discreet.privacy.charges import Charge

CallPath = tuple[int, ...]
"""A call's place among those of its caller, behind the places of its callers."""


@dataclass
class TapeEntry:
    """One call on one database. What went in is private; it is compared, and never shown."""

    name: str
    """What was asked: a mechanism's class, or a desk's call, which begins with "desk: "."""

    parameters: str
    """All that is public of it, written out: the same on neighbours."""

    shape: tuple[int, ...] | None = None
    """The shape of what went in; None where it may follow the data, as keys do."""

    value: Any = None
    """What went in."""

    asked: Any = None
    """The mechanism itself."""

    public: dict[str, Any] = field(default_factory=dict)
    """Its arguments that are no data, by name."""

    form: Any = None
    """The mechanism and these arguments in full, where `parameters` may be shortened."""

    method: str = "release"
    """What of the mechanism was called."""

    run: int | None = None
    """Of questions to one run of a sparse vector, which run."""

    cost: Charge | None = None
    """What a desk's meter admitted for it; None where nothing was, as for the later parts of one measurement."""

    loss: Loss | None = None
    """What the meter was told that it loses, beside its cost."""

    desk: Any = None
    """The recorder of the desk that was asked: one for each run, and for each try."""

    exact: list[Any] = field(default_factory=list)
    """What a desk computed for it."""

    inner: list[TapeEntry] = field(default_factory=list)
    """Calls that were made to answer it."""

    fresh: Any = None
    """What was drawn on this database."""

    told: Any = None
    """What was said: on a neighbour, what was said before."""

    failed: BaseException | None = None

    def is_like(self, other: TapeEntry) -> bool:
        """Say whether this is the same call as another, whatever went into it."""
        return self.is_made_like(other) and self.shape == other.shape

    def is_made_like(self, other: TapeEntry) -> bool:
        """Say whether this asks the same mechanism, with the same parameters."""
        mine, theirs = ((each.name, each.run, each.form or each.parameters) for each in (self, other))
        return mine == theirs

    def __str__(self) -> str:
        shape = "" if self.shape in (None, ()) else f" of {' x '.join(map(str, self.shape or ()))} numbers"
        told = self.parameters if len(self.parameters) <= 60 else f"{self.parameters[:57]}..."
        return f"{self.name}{shape}" if not told else f"{self.name}{shape}, {told}"


def keep_value(value: Any) -> Any:
    """Return a value that stays as it is, whatever is done to the one that was given, lists inside of it included."""
    for make_copy in (copy.deepcopy, copy.copy):
        try:
            return make_copy(value)
        except Exception:
            continue
    return value


def hold_still(value: Any) -> Any:
    """Return a list of what can be read only once, so that it can be kept and be handed on; else the value itself."""
    return list(value) if isinstance(value, Iterator) else value


class Tape:
    """Listens to one run of an operation, and where it is given an earlier tape, answers as was answered there."""

    def __init__(self, seed: int, before: Tape | None = None) -> None:
        self.entries: list[TapeEntry] = []
        self._seed, self._before = seed, before
        self._lock = threading.RLock()
        self._streams: dict[CallPath, np.random.Generator] = {}
        self._runs: list[Any] = []
        self.faults: list[str] = []
        """What kept a mechanism from being heard."""

    @contextmanager
    def listening(self) -> Iterator[Tape]:
        """Hear every call that is made from here on in this context, and in threads that carry it on."""
        token = _TAPE.set(self)
        inside = _CALLERS.set(())
        _LISTENING.append(self)
        try:
            with replayed(_TapeBits(self)):
                yield self
        finally:
            _LISTENING.remove(self)
            _TAPE.reset(token)
            _CALLERS.reset(inside)

    def beginning(self, run: Any) -> AbstractContextManager[None]:
        """Let a run of a sparse vector draw its threshold's noise, in a stream of its own."""
        return _drawing((_BEGINNINGS, self.number_run(run)))

    def rehearsing(self) -> AbstractContextManager[None]:
        """Let a rehearsal draw, in a stream of its own: it is given rows that are made up, and nobody is told of it."""
        return _drawing((_REHEARSALS,))

    def hear(self, entry: TapeEntry, draw: Callable[[], Any], hides: bool = False) -> Any:
        """Answer a call: draw it, and say what was said before where it was asked before.

        Calls inside one that `hides` them are its own affair: they are not kept.
        """
        path = self._place(entry)
        earlier = None if self._before is None else self._before.find(path)
        token = _CALLERS.set((*_CALLERS.get(), (path, entry, hides)))
        try:
            entry.fresh = draw()
        except BaseException as trouble:
            entry.failed = trouble
            raise
        finally:
            _CALLERS.reset(token)
        entry.told = earlier.told if earlier is not None and _can_say_again(earlier, entry) else entry.fresh
        return keep_value(entry.told)

    def find(self, path: CallPath) -> TapeEntry | None:
        """Return the call at a place, if there is one."""
        with self._lock:
            entries, found = self.entries, None
            for place in path:
                if place >= len(entries):
                    return None
                found = entries[place]
                entries = found.inner
            return found

    def note_calm_run(self, run: Any) -> None:
        """Write down a run that began without a draw: its threshold has no noise."""
        if (_BEGINNINGS, self.number_run(run)) not in self._streams:
            self.faults.append(CALM)

    def number_run(self, run: Any) -> int:
        """Return which run this is, in the order in which they began."""
        with self._lock:
            known = [each is run for each in self._runs]
            if True not in known:
                self._runs.append(run)
                return len(known)
            return known.index(True)

    def words(self, count: int) -> Words:
        """Return words of the stream of whatever call is under way."""
        callers = _CALLERS.get()
        path = callers[-1][0] if callers else ()
        if not callers:
            self.faults.append(PAST)
        with self._lock:
            if path not in self._streams:
                self._streams[path] = np.random.default_rng([self._seed, len(path), *path])
            return self._streams[path].integers(0, 2**64, count, dtype=np.uint64)

    def _place(self, entry: TapeEntry) -> CallPath:
        callers = _CALLERS.get()
        with self._lock:
            path, caller, _ = callers[-1] if callers else ((), None, False)
            siblings = self.entries if caller is None else caller.inner
            siblings.append(entry)
            return (*path, len(siblings) - 1)


def _can_say_again(earlier: TapeEntry, entry: TapeEntry) -> bool:
    """Say whether what was said before answers a call too: the same one. What is said of each key is said of as many
    keys: a desk lists those that somebody has, and of another number nobody knows which is which.
    """
    if earlier.failed is not None or not earlier.is_like(entry):
        return False
    return not isinstance(entry.asked, KeySelection | KeyThreshold) or len(earlier.told) == len(entry.fresh)


CALM = "a run of a sparse vector began without noise on its threshold"
PAST = "noise was drawn past all mechanisms that are heard: call them by their own names, inside the operation"
DEAF = "{} was asked in a thread without its caller's context: start it by contextvars.copy_context().run"

_BEGINNINGS, _REHEARSALS = 1 << 31, (1 << 31) + 1
"""The first places of runs' beginnings and of rehearsals, where no call has one."""

_LISTENING: list[Tape] = []
"""Tapes that listen anywhere in this process."""

_TAPE: ContextVar[Tape | None] = ContextVar("tape", default=None)
_CALLERS: ContextVar[tuple[tuple[CallPath, TapeEntry | None, bool], ...]] = ContextVar("callers", default=())


@contextmanager
def _drawing(path: CallPath) -> Iterator[None]:
    """Let draws have the stream of a place, without a call that is heard."""
    token = _CALLERS.set(((path, None, True),))
    try:
        yield
    finally:
        _CALLERS.reset(token)


def find_tape() -> Tape | None:
    """Return the tape that listens here, unless a call is under way that hides what it asks."""
    callers = _CALLERS.get()
    return None if callers and callers[-1][2] else _TAPE.get()


def note_unheard(name: str) -> None:
    """Tell all tapes that listen in this process of a call which is heard by none, since its thread knows of none."""
    for tape in _LISTENING if _TAPE.get() is None else ():
        tape.faults.append(DEAF.format(name))


def find_call() -> TapeEntry | None:
    """Return the call that is being answered here."""
    callers = _CALLERS.get()
    return callers[-1][1] if callers else None


class _TapeBits:
    """The source of randomness of everything that a tape hears."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    def words(self, count: int) -> Words:
        """Return words of the call that is under way."""
        return self._tape.words(count)
