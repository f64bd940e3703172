"""The owner's exact look: what a desk would be given, from whichever engine; nobody who asks is led there."""

from __future__ import annotations

import ast
from pathlib import Path

import pyarrow as pa
import pytest

import discreet
from discreet.base.errors import DiscreetError
from discreet.curator import Curator
from discreet.curator.owner.look import OwnersLook
from discreet.curator.session import Session
from discreet.policy import loads

SOURCE = Path(discreet.__file__).parent
POLICY = """\
[budget]
epsilon = 1
[tables.visits]
unit = "person"
max_rows = 2
version = "1"
[tables.visits.columns]
age = { lower = 0, upper = 9 }
"""
VISITS = pa.table({"person": [1, 1, 1, 2, None], "age": [3, 3, 3, 40, 5]})


@pytest.fixture
def look(tmp_path: Path) -> OwnersLook:
    return OwnersLook(loads(POLICY, tmp_path / "policy.toml"), {"visits": VISITS})


def test_rows_are_limited_and_clamped_as_a_desk_is_given_them(look: OwnersLook, tmp_path: Path) -> None:
    with look:
        found = look.tally("SELECT age FROM visits", {})
        assert found.points.tolist() == [[3], [9]]
        assert found.counts.tolist() == [2, 1]
        survey = look.survey("VISITS")
        assert (survey.rows, survey.lost, survey.rows_of_units) == (5, 1, ((1, 1), (3, 1)))
        assert look.find_table("visits").table.name == "visits"
    assert list(tmp_path.iterdir()) == [], "no ledger is looked for, and none is made"


def test_what_cannot_be_planned_is_refused_as_for_anybody(look: OwnersLook) -> None:
    with look, pytest.raises(DiscreetError, match="no table"):
        look.tally("SELECT age FROM other", {})


def test_only_the_owners_command_leads_to_it() -> None:
    """No session, no server and no other wing has a way to exact rows."""
    holding, inspecting, calling = set(), set(), set()
    for path in SOURCE.rglob("*.py"):
        text, name = path.read_text(), path.relative_to(SOURCE).as_posix()
        if "owner" not in text and "inspect" not in text:
            continue
        tree = ast.parse(text)
        modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        holding |= {name} if "discreet.curator.owner.look" in modules else set()
        inspecting |= {name} if "discreet.topdown.measure.inspecting" in modules else set()
        calling |= {name for node in ast.walk(tree) if isinstance(node, ast.Call) and _is_inspecting(node.func)}
    assert holding == {"topdown/measure/inspecting.py"}
    assert inspecting == {"topdown/__init__.py"}
    assert calling == {"cli/census.py"}
    for face in (Curator, Session):
        assert not [name for name in dir(face) if "look" in name.lower() or "inspect" in name.lower()]


def _is_inspecting(called: ast.expr) -> bool:
    return isinstance(called, ast.Attribute) and called.attr == "inspect" and ast.unparse(called.value) != "self"
