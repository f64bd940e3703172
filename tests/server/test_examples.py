"""The examples in the docstrings of the wire and of the console are true."""

from __future__ import annotations

import doctest
import importlib

import pytest


@pytest.mark.parametrize(
    "name",
    [
        *(f"wire.{each}" for each in ("encoding", "lexing", "reading", "replies", "startup")),
        *(f"console.{each}" for each in ("analyst_pages", "asking_pages", "completing", "layout")),
    ],
)
def test_the_examples_in_the_docstrings_are_true(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"discreet.server.{name}"))
    assert found.failed == 0
    assert found.attempted > 0
