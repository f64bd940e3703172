"""What holds for all tests: patient generated examples, and how long each folder took (the limit is ten minutes)."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from servers.missing import summary

pytest_plugins = ["servers.fixtures"]

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")  # on a busy computer a deadline would be a flaky test


def pytest_itemcollected(item: Any) -> None:
    """Let one worker do all that needs Spark, which takes long to start."""
    if "spark_cluster" in getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.xdist_group("spark"))


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Begin with what needs Spark: it takes longest."""
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Add up the seconds of all tests of a folder, over all workers."""
    seconds: dict[str, float] = defaultdict(float)
    count: dict[str, int] = defaultdict(int)
    reports = [report for each in terminalreporter.stats.values() for report in each]
    for report in reports:
        if hasattr(report, "duration"):
            folder = "/".join(report.nodeid.split("/")[:2])
            seconds[folder] += report.duration
            count[folder] += report.when == "call"
    for folder in sorted(seconds):
        terminalreporter.write_line(f"{folder:18} {count[folder]:5} tests {seconds[folder]:7.1f} s")
    found = [
        value
        for report in reports
        if getattr(report, "when", "") == "call"
        for name, value in getattr(report, "user_properties", ())
        if name == "hostile"
    ]
    if found:
        from hostile.campaign import Tally

        tally = Tally()
        for each in found:
            tally.merge(each)
        for line in tally.lines():
            terminalreporter.write_line(line)
    for line in summary(terminalreporter.stats.get("skipped", [])):
        terminalreporter.write_line(line)
    total = {word: len(terminalreporter.stats.get(word, [])) for word in ("passed", "failed", "skipped")}
    terminalreporter.write_line(", ".join(f"{number} {word}" for word, number in total.items()))
