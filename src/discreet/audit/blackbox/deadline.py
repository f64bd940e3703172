"""A time limit for code that nobody knows: what takes longer is stopped, and the audit goes on."""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TimedOutError(BaseException):
    """The time is up. No `Exception`, so that code which catches every error does not catch it."""


@contextmanager
def limit_time(seconds: float) -> Iterator[None]:
    """Raise TimedOutError in what runs inside once so many seconds have passed, in the thread that runs it.

    In the main thread an alarm of the system does it, which wakes sleepers, too; in other threads, and where the system
    has no alarms, another thread asks the interpreter to. Either waits until a call into compiled code returns.
    """
    if threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):
        with _set_alarm(seconds):
            yield
    else:
        with _watch_from_outside(seconds):
            yield


@contextmanager
def _set_alarm(seconds: float) -> Iterator[None]:
    def ring(_number: int, _frame: FrameType | None) -> None:
        raise TimedOutError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _watch_from_outside(seconds: float) -> Iterator[None]:
    own, ended = threading.get_ident(), threading.Lock()

    def ring() -> None:
        if ended.acquire(blocking=False):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(own), ctypes.py_object(TimedOutError))

    timer = threading.Timer(seconds, ring)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        ended.acquire(blocking=False)
