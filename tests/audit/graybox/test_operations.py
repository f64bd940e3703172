"""Every operation of the door is replayed on neighbours: one that is registered without a case fails here."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from typing import Any

import pytest

import discreet
from audit.graybox.cases import OPERATIONS, ReplayCase, find_world
from discreet.audit.graybox import replay
from discreet.audit.graybox.comparing.desk_rules import RULES
from discreet.curator.door.desk import Desk
from servers.accelerated import require_jax

WINGS = ("curator", "synthetic", "local", "learn", "topdown", "robust")


def list_operations() -> dict[str, type]:
    """Return every class of the library that is an operation, by its kind."""
    found: dict[str, type] = {}
    for room in WINGS:
        package = importlib.import_module(f"discreet.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"discreet.{room}."):
            for name, kind in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
                has_all = all(callable(getattr(kind, each, None)) for each in ("plans", "run", "finish", "parameters"))
                if has_all and isinstance(vars(kind).get("kind"), str) and kind.__module__ == module.name:
                    assert name == kind.__name__
                    found[vars(kind)["kind"]] = kind
    return found


def test_every_operation_has_a_replay_case() -> None:
    found = list_operations()
    assert "sql" in found
    assert len(found) >= 13
    assert found.keys() - OPERATIONS.keys() == set(), "write a case into tests/audit/graybox/cases.py"
    assert OPERATIONS.keys() - found.keys() == set(), "this case is of no operation"
    for kind, cases in OPERATIONS.items():
        assert any(case.quick for case in cases), f"{kind} has no case in the quick form"


def test_a_new_operation_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wing that somebody adds has a kind of its own; the list above is made of classes, not of names."""
    from discreet.robust import releasing

    class Another(releasing.RobustOperation):
        kind = "another"

    Another.__module__ = releasing.__name__
    monkeypatch.setattr(releasing, "Another", Another, raising=False)
    assert "another" in list_operations().keys() - OPERATIONS.keys()


def test_every_call_of_a_desk_has_a_rule() -> None:
    """What a desk is asked is the first word of its call; a watch's questions, and later parts, have no price.

    A new call without a rule would be a finding in every replay, but only once somebody replays it.
    """
    asked = set(re.findall(r'call: [^=]*= \{\s*"([^"]+)"', inspect.getsource(Desk)))
    assert len(asked) >= 15
    assert (asked - {"exceeds"}) | {"more"} == RULES.keys()


def list_cases(quick: bool) -> list[Any]:
    every = [(kind, case) for kind, cases in OPERATIONS.items() for case in cases]
    wanted = [(kind, case) for kind, case in every if case.quick or not quick]
    return [
        pytest.param(case, id=f"{kind}: {case.name}", marks=[pytest.mark.slow] * (case.dear and quick))
        for kind, case in wanted
    ]


def perform(case: ReplayCase, relation: str, *names: str) -> None:
    if case.needs == "jax":
        require_jax()
    world = find_world(case.world, relation)
    report = replay(case.perform, world.only(*names) if names else world, clock=False).raise_if_any()
    assert report.moved, "nothing was drawn"
    assert any(each.observed > 0 for each in report.moved), "no neighbour moves anything"


@pytest.mark.parametrize("case", list_cases(quick=True))
def test_every_operation_is_replayed(case: ReplayCase) -> None:
    perform(case, "add-remove", *case.neighbours)


@pytest.mark.long
@pytest.mark.parametrize("case", list_cases(quick=False))
def test_every_way_to_perform_an_operation_is_replayed_on_all_neighbours(case: ReplayCase) -> None:
    perform(case, "add-remove")


@pytest.mark.long
@pytest.mark.parametrize("case", list_cases(quick=False))
def test_every_way_to_perform_an_operation_is_replayed_where_neighbours_replace(case: ReplayCase) -> None:
    if case.replaces:
        perform(case, "replace")


def test_the_door_is_where_all_operations_are() -> None:
    """Nothing else reads private rows: what a desk is made of is made in three places alone."""
    root = Path(discreet.__file__).parent
    made = [path.relative_to(root).as_posix() for path in root.rglob("*.py") if " Desk(" in path.read_text()]
    assert sorted(made) == ["curator/door/desk.py", "curator/door/performance.py"]
