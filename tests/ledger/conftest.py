"""The two homes of a ledger: every test that asks for a home runs in both."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from support.ledger import HOMES, Home, home_of

NUMBERS = itertools.count(1)


@pytest.fixture(params=HOMES)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    """A place where there is no ledger yet: a folder, or a schema that nobody has made."""
    return home_of(request, request.param, tmp_path, f"ledger_{next(NUMBERS)}")
