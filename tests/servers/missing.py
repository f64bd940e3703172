"""What happens to a test whose engine is not on this computer: skipped and counted, or failed where that is asked."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

import pytest

REQUIRE = "DISCREET_REQUIRE_ENGINES"
"""Set to 1, a missing engine fails its tests."""

_MARK = "missing engine "


def missing(engine: str, reason: str) -> NoReturn:
    """Skip the test at hand because an engine is not here, for a reason that says how to get it."""
    if os.environ.get(REQUIRE) == "1":
        pytest.fail(f"{engine} is required ({REQUIRE}=1), and {reason}", pytrace=False)
    pytest.skip(f"{_MARK}{engine}: {reason}")


def summary(reports: Iterable[Any]) -> Iterator[str]:
    """Yield a line for each engine that tests were skipped for: how many, and why."""
    reasons = (each.longrepr[2] for each in reports if isinstance(getattr(each, "longrepr", None), tuple))
    found = Counter(reason.split(_MARK, 1)[1] for reason in reasons if _MARK in reason)
    for reason, count in sorted(found.items()):
        yield f"NOT TESTED: {count} test{'s' if count > 1 else ''} skipped, {reason}"
