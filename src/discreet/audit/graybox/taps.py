"""Taps: where tapes listen. Every mechanism, every draw at a desk, and what a desk computes for it.

Nothing of the library knows of them: while somebody listens, methods are replaced by ones that tell the tape of their
context and then do what they always do. Without a tape they do just that. A place that is gone, because it was renamed,
is an error here and not silence.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from discreet import mechanisms
from discreet.audit.graybox.tape import TapeEntry, find_call, find_shape, find_tape, keep_value
from discreet.base.wide import Ints
from discreet.curator.door import desk as desks
from discreet.curator.door import resampling
from discreet.curator.door.recorder import Recorder
from discreet.local.client.mechanism import Mechanism as LocalMechanism
from discreet.mechanisms.additive import Additive
from discreet.mechanisms.robust.inverse_sensitivity import InverseSensitivity, MostFrequent
from discreet.mechanisms.robust.propose_test_release import ProposeTestRelease
from discreet.mechanisms.robust.sample_threshold import SampleThreshold
from discreet.mechanisms.robust.smooth_noises import SmoothNoise
from discreet.mechanisms.robust.stable_histogram import StableHistogram
from discreet.mechanisms.robust.stable_value import StableValue
from discreet.mechanisms.robust.unbounded import InterquartileRange, UnboundedMean
from discreet.mechanisms.robust.universal import UniversalMean, UniversalQuartiles, UniversalVariance
from discreet.mechanisms.sparse_vector import SparseVectorRun

FIRST = ("release",)
"""Methods whose one argument is data."""

MECHANISMS: dict[type, tuple[str, ...]] = {
    Additive: FIRST,
    mechanisms.TruncatedLaplace: FIRST,
    mechanisms.CountingQueries: FIRST,
    mechanisms.Exponential: ("release", "release_several", "release_from"),
    mechanisms.NoisyMax: ("release", "release_with_gap"),
    mechanisms.PermuteAndFlip: FIRST,
    mechanisms.KeySelection: FIRST,
    mechanisms.KeyThreshold: FIRST,
    mechanisms.Quantile: FIRST,
    mechanisms.RandomizedResponse: ("release", "release_signs"),
    mechanisms.SparseVector: FIRST,
    InverseSensitivity: ("release", "release_from"),
    MostFrequent: FIRST,
    ProposeTestRelease: ("release", "decide"),
    SampleThreshold: FIRST,
    SmoothNoise: FIRST,
    StableHistogram: FIRST,
    StableValue: ("decide", "release_mode"),
    UnboundedMean: FIRST,
    InterquartileRange: FIRST,
    UniversalMean: FIRST,
    UniversalVariance: FIRST,
    UniversalQuartiles: FIRST,
}
"""Every mechanism, and its methods that take data."""

BEHIND = {("SmoothNoise", "release"), ("ProposeTestRelease", "release")}
"""Methods whose data are behind a public argument."""

ALL = {("Exponential", "release_from"), ("InverseSensitivity", "release_from")}
ALL |= {("StableValue", "decide"), ("ProposeTestRelease", "decide")}
"""Methods all of whose arguments are data."""

SHAPELESS = {"KeySelection", "KeyThreshold", "Quantile", "SampleThreshold", "StableHistogram", "StableValue"}
SHAPELESS |= {"SmoothNoise", "ProposeTestRelease", "UnboundedMean", "InterquartileRange", "RandomizedResponse"}
SHAPELESS |= {"UniversalMean", "UniversalVariance", "UniversalQuartiles"}
"""Mechanisms whose data may have any shape: values, keys of the data, or people."""

_lock = threading.RLock()
_listeners = 0
_taken: list[tuple[Any, str, Any]] = []


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
    for kind, names in MECHANISMS.items():
        for name in names:
            _replace(kind, name, functools.partial(_tap_mechanism, kind.__name__, name))
    for kind in list_local_mechanisms():
        for name in ("randomise", "recall"):
            if name in vars(kind):
                _replace(kind, name, _tap_local)
    _replace(SparseVectorRun, "decide", _tap_decide)
    _replace(Recorder, "answer", _tap_answer)
    _replace(Recorder, "draw", _tap_draw)
    _replace(desks.Desk, "_hold", _tap_hold)
    _replace(desks, "release", functools.partial(_tap_exact, "measures"))
    _replace(desks, "sum_resamples", functools.partial(_tap_exact, "resamples"))


def _untap_all() -> None:
    while _taken:
        owner, name, original = _taken.pop()
        setattr(owner, name, original)


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


def _tap_mechanism(kind: str, method: str, original: Any) -> Any:
    def answer(self: Any, *given: Any, **named: Any) -> Any:
        tape = find_tape()
        if tape is None:
            return original(self, *given, **named)
        every = (*given, *named.values())
        value, public = every[:1], every[1:]
        if (kind, method) in ALL:
            value, public = every, ()
        elif (kind, method) in BEHIND:
            value, public = every[1:], every[:1]
        value = keep_value(value[0] if len(value) == 1 else value)
        shape = None if kind in SHAPELESS or (kind, method) in ALL else find_shape(value)
        told = repr(self) if method == "release" else f"{self!r}.{method}"
        told += "".join(f" {each!r}" for each in public)
        name = type(self).__name__
        entry = TapeEntry(name, _shorten(told.removeprefix(name)), shape, value, self)
        return tape.hear(entry, lambda: original(self, *given, **named), hides=True)

    return answer


def _shorten(told: str) -> str:
    return told[1:-1] if told.startswith("(") and told.endswith(")") else told


def _tap_local(original: Any) -> Any:
    def answer(self: Any, value: Any, *given: Any) -> Any:
        tape = find_tape()
        if tape is None:
            return original(self, value, *given)
        entry = TapeEntry(f"local: {getattr(self, 'kind', '?')}", repr(self.describe()), None, value, self)
        return tape.hear(entry, lambda: original(self, value, *given), hides=True)

    return answer


def _tap_decide(original: Any) -> Any:
    def decide(self: Any, asked: int, level: int) -> Any:
        tape = find_tape()
        if tape is None:
            return original(self, asked, level)
        before = self._left
        entry = TapeEntry("SparseVectorRun", f"{self._mechanism!r} {level!r}", (), asked, self._mechanism)
        told = tape.hear(entry, lambda: original(self, asked, level), hides=True)
        self._left = before - (told is not None and told is not False)  # as often as was said, and not as was drawn
        return told

    return decide


def _tap_answer(original: Any) -> Any:
    def answer(self: Any, call: Any, cost: Any, loss: Any, draw: Any) -> Any:
        if find_tape() is None:
            return original(self, call, cost, loss, draw)
        return original(self, call, cost, loss, _Admitted(next(iter(call)), cost, draw))

    return answer


class _Admitted:
    """A draw that a meter admitted, and what it costs."""

    def __init__(self, name: str, cost: Any, draw: Callable[[], bytes]) -> None:
        self.name, self.cost, self.draw = name, cost, draw


def _tap_draw(original: Any) -> Any:
    def answer(self: Any, name: str, draw: Any) -> Any:
        tape = find_tape()
        if tape is None:
            return original(self, name, draw.draw if isinstance(draw, _Admitted) else draw)
        if isinstance(draw, _Admitted):
            entry, own = TapeEntry(f"desk: {draw.name}", name[:16], cost=draw.cost), draw.draw
        else:
            entry, own = TapeEntry("desk: more", name[:16]), draw
        return original(self, name, lambda: tape.hear(entry, own))

    return answer


def _tap_hold(original: Any) -> Any:
    def hold(self: Any, name: str, plan: Any) -> Any:
        held = original(self, name, plan)
        call = find_call()
        if find_tape() is not None and call is not None and not any(each[0] == "rows" for each in call.exact):
            call.exact.append(("rows", plan, held.read()))
        return held

    return hold


def _tap_exact(what: str, original: Any) -> Any:
    """Keep what a desk hands to a function."""

    def compute(*given: Any) -> Any:
        call = find_call()
        if find_tape() is not None and call is not None:
            call.exact.append((what, *given))
        return original(*given)

    return compute


def sum_once(plan: Any, rows: Any, function: Any, clip: Any, dimension: int) -> list[int]:
    """Return the sums of a resample in which every unit counts once: how far a unit moves these is its vector."""

    def count_once(units: int) -> Ints:
        return np.ones(units, dtype=np.int64)

    (found,) = resampling.sum_resamples(plan, rows, function, clip, 1, dimension, count_once)
    return found
