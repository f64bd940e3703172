"""Outputs of a mechanism: how they are drawn, and what may go wrong while they are."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.audit.blackbox.deadline import TimedOutError, limit_time
from discreet.audit.blackbox.output_rows import read_rows
from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats

BatchMechanism = Callable[[Any, int], Any]
"""Takes an input and a number, and returns so many independent outputs: an array with a row for each."""

BATCH = 50_000
"""Outputs that are drawn at once, at the most."""

LONGEST, MOST_SECONDS = 60.0, 1e6
"""Seconds that so many outputs may take, unless the caller says otherwise, who may allow the second at the most: what
takes longer hangs."""

EXPECTED = (
    "a function `mechanism(given, count)` that returns an array of `count` outputs, a row for each; "
    "`repeat(mechanism)` makes one of a function `mechanism(given)` that returns a single output"
)
"""What every audit by outputs is given."""

FARTHEST = 1e100
"""What stands for infinite numbers, so that sums of them are numbers."""


class FaultError(Exception):
    """Something else than an output came: `fault` says what, and on which input."""

    def __init__(self, fault: MechanismFault) -> None:
        super().__init__(str(fault))
        self.fault = fault


@dataclass(frozen=True, slots=True)
class MechanismFault:
    """A mechanism that raises, hangs, gives no number or too few outputs: a finding, with the input that did it.

    Somebody who sees it learns about the input, whatever the noise is.
    """

    what: str
    given: Any

    def __str__(self) -> str:
        return f"{self.what} on the input {self.given!r}"


def check_takes(called: Callable[..., Any], *given: Any, expected: str, name: str = "mechanism") -> None:
    """Refuse what cannot be called like this, before it is called: a wrong call says nothing of a mechanism.

    Where compiled code does not say what it takes, this does not know; `OutputReader` finds out by the first call.
    """
    if not callable(called):
        raise ParameterError(name, type(called).__name__, expected)
    try:
        signature = inspect.signature(called)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*given)
    except TypeError as trouble:
        raise ParameterError(name, f"one that takes {signature}", expected) from trouble


def repeat(mechanism: Callable[[Any], Any]) -> BatchMechanism:
    """Return a mechanism that gives many outputs, from one that gives one at a time."""
    check_takes(mechanism, None, expected="a function `mechanism(given)` that returns one output")

    def draw(given: Any, count: int) -> list[Any]:
        return [mechanism(given) for _ in range(count)]

    return draw


@dataclass(slots=True)
class OutputReader:
    """Draws outputs and writes each as a row of floats (`output_rows`).

    Numbers of one place lie side by side: they are looked at together, and so in half the time.
    """

    mechanism: BatchMechanism
    longest: float = LONGEST
    """Seconds for one call of it."""
    drawn: int = 0
    _width: int | None = None
    """Numbers of every row: those of most outputs of the first batch, which only teaches."""

    def __post_init__(self) -> None:
        check.real("longest", self.longest, above=0, most=MOST_SECONDS)
        check_takes(self.mechanism, None, 1, expected=EXPECTED)

    def draw(self, given: Any, count: int) -> Floats:
        """Return so many outputs on an input, a row for each; an array of another width than before is a fault."""
        return np.concatenate([self._draw(given, min(BATCH, count - start)) for start in range(0, count, BATCH)])

    def _draw(self, given: Any, count: int) -> Floats:
        try:
            with limit_time(self.longest):
                raw = self.mechanism(given, count)
        except TimedOutError as trouble:
            raise FaultError(MechanismFault(f"it hung for {self.longest:g} seconds", given)) from trouble
        except (Exception, SystemExit) as trouble:
            if not self.drawn and isinstance(trouble, TypeError) and _is_of_the_call(trouble):
                raise ParameterError("mechanism", f"one that raises {trouble}", EXPECTED) from trouble
            raise FaultError(MechanismFault(f"it raised {type(trouble).__name__} ({trouble})", given)) from trouble
        self.drawn += count
        try:
            rows = read_rows(raw, self._width)
        except Exception as trouble:
            raise FaultError(MechanismFault(f"it gave what cannot be read ({trouble})", given)) from trouble
        if rows is None:
            raise ParameterError("mechanism", f"one that returns a single {type(raw).__name__}", EXPECTED)
        if len(rows) != count:
            raise FaultError(MechanismFault(f"it gave {len(rows)} outputs where {count} were asked for", given))
        self._width = self._width or rows.shape[1]
        if rows.shape[1] != self._width:
            what = f"it gave {rows.shape[1]} numbers where others had {self._width}"
            raise FaultError(MechanismFault(what, given))
        if np.isnan(rows).any():
            raise FaultError(MechanismFault("it gave NaN", given))
        return np.asfortranarray(np.clip(rows, -FARTHEST, FARTHEST))


def _is_of_the_call(trouble: TypeError) -> bool:
    """Say whether an error comes of the call itself: no line of Python was run inside."""
    return trouble.__traceback__ is None or trouble.__traceback__.tb_next is None
