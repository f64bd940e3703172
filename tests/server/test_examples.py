"""The examples in the docstrings of the wire are true."""

from __future__ import annotations

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["encoding", "lexing", "reading", "replies", "startup"])
def test_the_examples_in_the_docstrings_are_true(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"discreet.server.wire.{name}"))
    assert found.failed == 0
    assert found.attempted > 0
