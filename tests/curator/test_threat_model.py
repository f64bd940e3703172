"""Every line of the threat model names a test that exists."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "threat-model.md").read_text()
NAMED = re.findall(r"`(tests/[a-z_/]+\.py)::(\w+)`", PAGE)


def test_every_line_names_a_test() -> None:
    lines = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| an analyst may")]
    assert len(lines) > 25
    assert all(re.search(r"`tests/[a-z_/]+\.py::\w+`", line) for line in lines)


@functools.cache
def list_tests(file: str) -> frozenset[str]:
    tree = ast.parse((ROOT / file).read_text())
    return frozenset(each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef))


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_the_test_exists(file: str, name: str) -> None:
    assert name in list_tests(file)
