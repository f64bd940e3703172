"""What holds for all tests: patient generated examples, and how long each folder took (the limit is ten minutes)."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

from servers.missing import summary

pytest_plugins = ["servers.fixtures"]

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")  # on a busy computer a deadline would be a flaky test

MOST_EXAMPLES = 25
"""So many generated examples are tried by `make test` at the most; the long form and `make mutants` try all."""

settings.register_profile("alike", settings.get_profile("patient"), derandomize=True, max_examples=MOST_EXAMPLES)


MEMORY, ROOM = Path("/dev/shm"), 4 << 30
"""Where files lie in memory, and how many bytes must be free there: tests make ten thousands of small ledgers, and wait
for the disk a third of their time. What a disk may lose is played, not awaited."""

if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
    os.environ["TMPDIR"], tempfile.tempdir = str(MEMORY), str(MEMORY)


os.register_at_fork(after_in_child=gc.freeze)
"""A forked child must not collect what its parent left over: a DuckDB connection that is closed there, without the
threads it had, ends the child by SIGSEGV."""

gc.set_threshold(20_000, 20, 20)
"""What tests are made of is never garbage: looking through it as often as programs do takes a twentieth of the time."""


def pytest_collection_finish() -> None:
    """Have the collector leave alone what was made for all tests."""
    gc.freeze()


def pytest_unconfigure() -> None:
    """Let everything go in the end."""
    gc.unfreeze()


ONE_IN = 10
"""Of tests that are marked `many`, one case in so many is run by `make test`: the first, the eleventh, and so on."""


def pytest_configure(config: Any) -> None:
    """Generate the same examples in every `make test`; the long form and `make mutants` look for new ones."""
    if is_quick(config):
        settings.load_profile("alike")


def is_quick(config: Any) -> bool:
    """Say whether this is `make test`: not the long form, and not `make mutants`, which names a profile."""
    return config.getoption("markexpr") == "not long" and not config.getoption("--hypothesis-profile")


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Leave to `make test-all` what is marked `slow`, and of what is marked `many` all but one case in ten."""
    if not is_quick(config):
        return
    for item in items:
        limit_examples(getattr(item, "obj", None))
    seen: dict[str, int] = defaultdict(int)
    left: list[Any] = []
    for item in items:
        if item.get_closest_marker("slow") is not None:
            left.append(item)
        elif item.get_closest_marker("many") is not None:
            name = item.nodeid.partition("[")[0]
            seen[name] += 1
            if seen[name] % ONE_IN != 1:
                left.append(item)
    if left:
        config.hook.pytest_deselected(items=left)
        chosen = {id(item) for item in left}
        items[:] = [item for item in items if id(item) not in chosen]


def limit_examples(test: Any) -> None:
    """Have a test that generates its examples try no more of them than `make test` has time for."""
    own = getattr(test, "_hypothesis_internal_use_settings", None)
    if own is not None and own.max_examples > MOST_EXAMPLES:
        test._hypothesis_internal_use_settings = settings(own, max_examples=MOST_EXAMPLES)


ON_SPARK = ("tests/engines/spark/", "tests/conformance/", "tests/local/test_engine_counts.py")
"""Where tests need Spark, which takes long to start: one worker does them all, and begins with them."""


ONE_SCENE = ("tests/ledger/test_crash.py", "tests/cli/test_demo.py", "tests/local/test_every_kind.py")
"""Where all tests look at what one long scene left: one worker plays each scene."""

ON_A_CENSUS = ("tests/topdown/release/", "tests/topdown/test_making.py", "tests/topdown/test_forecasting.py")
"""Where tests look at releases that are made once in each worker: one worker does them all."""

ONE_FILE = (
    "tests/base/test_house.py",
    "tests/server/",
    "tests/cli/shell/",
    "tests/cli/test_census.py",
    "tests/hostile/test_clock.py",
    "tests/synthetic/online/",
)
"""Where the tests of a file share what takes long to start: one worker does a whole file."""


class OneForEach(LoadScopeScheduling):  # type: ignore[misc]
    """Gives every test to whichever worker is free, but all that need Spark, a scene or a server to one."""

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith(ON_SPARK):
            return "spark"
        if nodeid.startswith(ON_A_CENSUS):
            return "census"
        if nodeid.startswith(ONE_SCENE):
            path, _, name = nodeid.partition("::")
            return f"{path}[{name.partition('[')[2]}"
        if nodeid.startswith(ONE_FILE):
            return nodeid.partition("::")[0]
        return nodeid

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        """Forget what a worker has done: counting ten thousand finished tests after each test takes long."""
        super().mark_test_complete(node, item_index, duration)
        work = self.assigned_work[node]
        scope = self._split_scope(self.registered_collections[node][item_index])
        if all(work[scope].values()):
            del work[scope]


def pytest_xdist_make_scheduler(config: Any, log: Any) -> OneForEach:
    """Tell how tests are divided between workers."""
    return OneForEach(config, log)


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
    if is_quick(terminalreporter.config):
        left = f"tests marked slow, of many cases all but one in {ONE_IN}, of examples all after {MOST_EXAMPLES}"
        terminalreporter.write_line(f"left to `make test-all` and `make mutants`: {left}")
    total = {word: len(terminalreporter.stats.get(word, [])) for word in ("passed", "failed", "skipped")}
    terminalreporter.write_line(", ".join(f"{number} {word}" for word, number in total.items()))
