"""Taps: where tapes listen. Every mechanism, every draw at a desk, and what a desk computes for it.

Nothing of the library knows of them: while somebody listens, methods are replaced by ones that tell the tape of their
context and then do what they always do. Without a tape they do just that. A place that is gone, because it was renamed,
is an error here and not silence.
"""

from __future__ import annotations

import functools
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from discreet.audit.graybox.recording.forms import drop_generators, write_form
from discreet.audit.graybox.recording.heard import ArgumentReader, HeardMethod, find_shape, list_heard, write_public
from discreet.audit.graybox.recording.tape import TapeEntry, find_call, find_tape, hold_still, keep_value, note_unheard
from discreet.base.wide import Ints
from discreet.curator.door import desk as desks
from discreet.curator.door import resampling, tries
from discreet.curator.door.compiled import CompiledDescent
from discreet.curator.door.recorder import Recorder
from discreet.gradients.compiled import memory_sums
from discreet.learn.compiled.compiled_training import CompiledTraining
from discreet.local.client.mechanism import Mechanism as LocalMechanism
from discreet.mechanisms.sparse_vector import SparseVectorRun

STEP, COINS = "noise of a step", "coins of tries"
"""The names of what a compiled step asks, and of what says which tries count."""

_lock = threading.RLock()
_listeners = 0
_taken: list[tuple[Any, str, Any]] = []
_quiet: warnings.catch_warnings[None] | None = None


@contextmanager
def tapped() -> Iterator[None]:
    """Let tapes listen, from here to the end; several may at once."""
    global _listeners
    with _lock:
        if _listeners == 0:
            try:
                _tap_all()
            except BaseException:
                _untap_all()
                raise
        _listeners += 1
    try:
        yield
    finally:
        with _lock:
            _listeners -= 1
            if _listeners == 0:
                _untap_all()


def _tap_all() -> None:
    global _quiet
    _quiet = warnings.catch_warnings()  # a process has one list of filters: threads must not take turns with it
    _quiet.__enter__()
    warnings.simplefilter("ignore")
    for each in list_heard():
        _replace(each.kind, each.name, functools.partial(_tap_mechanism, each))
    for kind in list_local_mechanisms():
        for name in ("randomise", "recall"):
            if name in vars(kind):
                _replace(kind, name, _tap_local)
    _replace(SparseVectorRun, "__init__", _tap_beginning)
    _replace(SparseVectorRun, "decide", _tap_decide)
    _replace(CompiledTraining, "rehearse", _tap_rehearsal)
    _replace(Recorder, "answer", _tap_answer)
    _replace(Recorder, "draw", _tap_draw)
    _replace(desks.Desk, "_hold", _tap_hold)
    _replace(desks, "release", functools.partial(_tap_exact, "measures"))
    _replace(desks, "sum_resamples", functools.partial(_tap_exact, "resamples"))
    _replace(desks, "release_statistic", functools.partial(_tap_exact, "statistic"))
    _replace(CompiledDescent, "run", functools.partial(_tap_exact, "descent"))
    _replace(memory_sums, "rounded_gaussian", _tap_step)
    _replace(tries, "toss_coins", _tap_coins)


def _untap_all() -> None:
    global _quiet
    while _taken:
        owner, name, original = _taken.pop()
        setattr(owner, name, original)
    if _quiet is not None:
        _quiet.__exit__(None, None, None)
        _quiet = None


def _replace(owner: Any, name: str, tap: Callable[[Any], Any]) -> None:
    original = vars(owner)[name]
    _taken.append((owner, name, original))
    setattr(owner, name, functools.wraps(original)(tap(original)))


def list_local_mechanisms() -> list[type[LocalMechanism]]:
    """Return every class of mechanisms of the local model."""
    import discreet.local.client  # noqa: F401

    found: list[type[LocalMechanism]] = []
    waiting: list[type[LocalMechanism]] = [LocalMechanism]  # type: ignore[type-abstract]
    while waiting:
        kind = waiting.pop()
        found.append(kind)
        waiting += kind.__subclasses__()
    return found


def _tap_mechanism(heard: HeardMethod, original: Any) -> Any:
    reader = ArgumentReader(original, heard.data)

    def answer(self: Any, *given: Any, **named: Any) -> Any:
        tape = find_tape()
        if tape is None:
            note_unheard(type(self).__name__)
            return original(self, *given, **named)
        given, named = tuple(map(hold_still, given)), {key: hold_still(each) for key, each in named.items()}
        value, public = reader.split((self, *given), named)
        public = {name: each for name, each in public.items() if each is not self}
        name = type(self).__name__
        told = repr(self).removeprefix(name) + (f".{heard.name}" if heard.name != "release" else "")
        told = ", ".join(filter(None, (_shorten(told), write_public(public))))
        entry = TapeEntry(name, told, find_shape(value) if heard.shaped else None, keep_value(value), self)
        entry.public, entry.method, entry.form = (
            public,
            heard.name,
            drop_generators(write_form((self, heard.name, public))),
        )
        return tape.hear(entry, lambda: original(self, *given, **named), hides=True)

    return answer


def _shorten(told: str) -> str:
    return told[1:-1] if told.startswith("(") and told.endswith(")") else told


def _tap_local(original: Any) -> Any:
    reader = ArgumentReader(original, ("value",))

    def answer(self: Any, *given: Any, **named: Any) -> Any:
        tape = find_tape()
        if tape is None:
            return original(self, *given, **named)
        value, public = reader.split((self, *given), named)
        entry = TapeEntry(f"local: {getattr(self, 'kind', '?')}", repr(self.describe()), None, keep_value(value), self)
        entry.method, entry.public = original.__name__, public
        return tape.hear(entry, lambda: original(self, *given, **named), hides=True)

    return answer


def _tap_beginning(original: Any) -> Any:
    def begin(self: Any, mechanism: Any) -> None:
        tape, call = find_tape(), find_call()
        if tape is not None and call is not None:
            call.exact.append(("run", tape.number_run(self)))
        with nullcontext() if tape is None else tape.beginning(self):
            original(self, mechanism)

    return begin


def _tap_rehearsal(original: Any) -> Any:
    def rehearse(self: Any) -> None:
        tape = find_tape()
        with nullcontext() if tape is None else tape.rehearsing():
            original(self)

    return rehearse


def _tap_decide(original: Any) -> Any:
    def decide(self: Any, asked: int, level: int) -> Any:
        tape = find_tape()
        if tape is None:
            return original(self, asked, level)
        before = self._left
        tape.note_calm_run(self)
        entry = TapeEntry("SparseVectorRun", f"{self._mechanism!r} {level!r}", (), asked, self._mechanism)
        entry.run = tape.number_run(self)
        told = tape.hear(entry, lambda: original(self, asked, level), hides=True)
        self._left = before - (told is not None and told is not False)  # as often as was said, and not as was drawn
        return told

    return decide


def _tap_answer(original: Any) -> Any:
    def answer(self: Any, call: Any, cost: Any, loss: Any, draw: Any) -> Any:
        if find_tape() is None:
            return original(self, call, cost, loss, draw)
        return original(self, call, cost, loss, _Admitted(next(iter(call)), cost, loss, draw))

    return answer


class _Admitted:
    """A draw that a meter admitted, and what it costs."""

    def __init__(self, name: str, cost: Any, loss: Any, draw: Callable[[], bytes]) -> None:
        self.name, self.cost, self.loss, self.draw = name, cost, loss, draw


def _tap_draw(original: Any) -> Any:
    def answer(self: Any, name: str, draw: Any) -> Any:
        tape = find_tape()
        if tape is None:
            return original(self, name, draw.draw if isinstance(draw, _Admitted) else draw)
        if isinstance(draw, _Admitted):
            entry, own = TapeEntry(f"desk: {draw.name}", name[:16], cost=draw.cost, loss=draw.loss), draw.draw
        else:
            entry, own = TapeEntry("desk: more", name[:16]), draw
        entry.desk = self
        return original(self, name, lambda: tape.hear(entry, own))

    return answer


def _tap_hold(original: Any) -> Any:
    def hold(self: Any, name: str, plan: Any) -> Any:
        held = original(self, name, plan)
        call = find_call()
        if find_tape() is not None and call is not None and not any(each[:2] == ("rows", plan) for each in call.exact):
            call.exact.append(("rows", plan, held.read()))
        return held

    return hold


def _tap_coins(original: Any) -> Any:
    """Hear the coins that say which tries count."""

    def toss(loss: Any) -> Any:
        tape = find_tape()
        if tape is None:
            return original(loss)
        return tape.hear(TapeEntry(COINS, repr(loss), ()), lambda: original(loss), hides=True)

    return toss


def _tap_step(original: Any) -> Any:
    """Hear the noise of a compiled step, which no mechanism draws."""

    def draw(sigma: float, size: int) -> Any:
        tape = find_tape()
        if tape is None:
            return original(sigma, size)
        entry = TapeEntry(STEP, f"sigma {sigma!r}", (size,))
        return tape.hear(entry, lambda: original(sigma, size), hides=True)

    return draw


def _tap_exact(what: str, original: Any) -> Any:
    """Keep what a desk hands to a function, and what it gets."""

    def compute(*given: Any) -> Any:
        call, found = find_call(), original(*given)
        if find_tape() is not None and call is not None:
            call.exact.append((what, *given, found))
        return found

    return compute


def sum_once(plan: Any, rows: Any, function: Any, clip: Any, dimension: int) -> list[int]:
    """Return the sums of a resample in which every unit counts once: how far a unit moves these is its vector."""

    def count_once(units: int) -> Ints:
        return np.ones(units, dtype=np.int64)

    (found,) = resampling.sum_resamples(plan, rows, function, clip, 1, dimension, count_once)
    return found
