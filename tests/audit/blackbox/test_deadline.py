"""A time limit for code that nobody knows."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from discreet.audit.blackbox.deadline import TimedOutError, limit_time


def loop_for_ever() -> None:
    while True:
        try:
            sum(range(100))
        except Exception:
            continue


def test_what_takes_too_long_is_stopped() -> None:
    for hang in (loop_for_ever, lambda: time.sleep(60)):
        with pytest.raises(TimedOutError), limit_time(0.05):
            hang()


def test_what_is_quick_is_left_alone_and_the_alarm_is_put_back() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with limit_time(0.05):
        pass
    time.sleep(0.1)
    assert signal.getsignal(signal.SIGALRM) is before


def test_other_threads_have_a_limit_too() -> None:
    found: list[str] = []

    def run() -> None:
        with limit_time(60):
            found.append("quick")
        try:
            with limit_time(0.05):
                loop_for_ever()
        except TimedOutError:
            found.append("stopped")

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(30)
    assert found == ["quick", "stopped"]
