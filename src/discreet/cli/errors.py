"""Errors as a person reads them: one message on standard error, and an exit code that scripts can tell apart."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

from discreet.base.errors import (
    BudgetError,
    DiscreetError,
    FailedError,
    PendingError,
    StoppedError,
    SuspendedError,
)

TO_DO, REFUSED, SPENT, SUSPENDED, PENDING, STOPPED = 1, 2, 3, 4, 5, 130
"""Exit codes: a check or run failed; input refused; beyond the budget; suspended; still running; Ctrl-C."""


@contextmanager
def show_errors() -> Iterator[None]:
    """Run a command: no error of ours shows a traceback, and Ctrl-C ends it cleanly."""
    try:
        yield
        sys.stdout.flush()
    except DiscreetError as trouble:
        fail(str(trouble), code_of(trouble))
    except KeyboardInterrupt:
        fail("stopped. Nothing was charged, or if it was, the charge stays and asking again runs it for free", STOPPED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(TO_DO) from None


def fail(message: str, code: int) -> NoReturn:
    """Say what is wrong, and end with that exit code."""
    typer.echo(f"discreet: {message}", err=True)
    raise typer.Exit(code) from None


def code_of(trouble: DiscreetError) -> int:
    """Return the exit code of an error."""
    if isinstance(trouble, StoppedError):
        return STOPPED
    if isinstance(trouble, BudgetError):
        return SPENT
    if isinstance(trouble, SuspendedError):
        return SUSPENDED
    if isinstance(trouble, PendingError):
        return PENDING
    return TO_DO if isinstance(trouble, FailedError) else REFUSED
