"""Tasks for workers in tests: functions of a module, as all tasks are."""

from __future__ import annotations

import os
import signal

from discreet.base.errors import ParameterError

CALLS: list[int] = []


def make_job(basis: int | None, more: int) -> int:
    CALLS.append(more)
    return (basis or -1) + more


def add(job: int, number: int) -> int:
    return job + number


def count_calls(job: int) -> int:
    return len(CALLS)


def refuse(job: int) -> None:
    raise ParameterError("number", job, "odd")


def die(job: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def tell_process(job: int) -> tuple[int, str]:
    return os.getpid(), os.environ["OPENBLAS_NUM_THREADS"]
