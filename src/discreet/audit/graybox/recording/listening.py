"""Mechanisms of somebody else's, named so that replays hear them as their own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from discreet.audit.graybox.recording.forms import drop_generators, write_form
from discreet.audit.graybox.recording.heard import ArgumentReader, find_shape, write_public
from discreet.audit.graybox.recording.tape import TapeEntry, find_tape, hold_still, keep_value, note_unheard
from discreet.base.errors import ParameterError


def listen_to(mechanism: Callable[..., Any], name: str | None = None) -> Callable[..., Any]:
    """Return a mechanism of somebody else's, a function whose first argument is data, that replays hear as their own.

    All other arguments are its parameters. Without a replay it does what it always does.
    """

    if not callable(mechanism):
        raise ParameterError("mechanism", mechanism, "a function whose first argument is data")
    reader, made = ArgumentReader(mechanism), drop_generators(write_form(mechanism))

    @functools.wraps(mechanism)
    def answer(*given: Any, **named: Any) -> Any:
        tape = find_tape()
        own = str(name or getattr(mechanism, "__name__", type(mechanism).__name__))
        if tape is None:
            note_unheard(own)
            return mechanism(*given, **named)
        given, named = tuple(map(hold_still, given)), {key: hold_still(each) for key, each in named.items()}
        value, public = reader.split(given, named)
        entry = TapeEntry(own.replace(":", ""), write_public(public), find_shape(value), keep_value(value))
        entry.public, entry.form = public, (made, drop_generators(write_form(public)))
        return tape.hear(entry, lambda: mechanism(*given, **named), hides=True)

    return answer
