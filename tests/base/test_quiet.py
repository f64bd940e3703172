"""A library that is called quietly says nothing, and only in the thread that called it."""

from __future__ import annotations

import logging
import threading

import pytest

from discreet.base.quiet import silence

LOGGER = logging.getLogger("some library")


def test_remarks_are_dropped_in_this_thread_only_and_only_inside(caplog: pytest.LogCaptureFixture) -> None:
    with silence(LOGGER):
        LOGGER.error("inside")
        other = threading.Thread(target=LOGGER.error, args=("beside",))
        other.start()
        other.join()
    LOGGER.error("after")
    assert caplog.messages == ["beside", "after"]


def test_a_failure_passes_and_the_logger_speaks_again(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ZeroDivisionError), silence(LOGGER):
        _ = 1 / 0
    LOGGER.error("after")
    assert caplog.messages == ["after"]
