"""A policy answers by name, tells whom it refuses, and warns of budgets that protect nobody."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from discreet.base.errors import PolicyError
from discreet.policy import Policy
from support.policies import EXAMPLE, lines_of, read, table


def asked(policy: Policy, name: str | None) -> str:
    with pytest.raises(PolicyError) as found:
        policy.analyst(name)
    (line,) = lines_of(found.value)
    return line


def test_a_policy_cannot_be_changed_and_can_be_a_key() -> None:
    policy = read(EXAMPLE)
    with pytest.raises(FrozenInstanceError):
        policy.epsilon = 5  # type: ignore[misc, assignment]
    assert {policy: 1}[read(EXAMPLE)] == 1


def test_tables_are_found_as_sql_finds_them() -> None:
    policy = read(EXAMPLE)
    assert policy.table("VISITS") is policy.table("visits") is policy.tables[0]
    with pytest.raises(PolicyError, match=r"tables\.nobody: no such table is declared; declare it"):
        policy.table("nobody")


def test_columns_are_found_by_their_exact_name() -> None:
    visits = read(EXAMPLE).table("visits")
    assert visits.column("age") is visits.columns[0]
    assert visits.column("Age") is None


def test_where_there_are_analysts_one_of_them_must_be_named() -> None:
    policy = read(EXAMPLE)
    assert policy.analyst("alice") is policy.analysts[0]
    assert asked(policy, None) == (
        "analysts: this policy has analysts and none was named; "
        "say who asks with --analyst NAME, in Python with analyst=NAME"
    )
    for name in ("carol", "Alice", ""):
        assert asked(policy, name).endswith("is no analyst here; add them to the policy")
        assert "alice" not in asked(policy, name)


def test_where_there_are_none_nobody_need_be_named_and_nobody_can_be() -> None:
    policy = read(table(""))
    assert policy.analyst(None) is None
    assert asked(policy, "alice").startswith('analysts.alice: "alice" is no analyst here')


def test_a_table_from_python_has_no_location() -> None:
    policy = read(table(""))
    assert policy.location(policy.table("t")) is None


@pytest.mark.parametrize(("epsilon", "warned"), [("20", False), ("20.1", True), ("5000", True)])
def test_a_budget_above_20_is_allowed_with_a_warning_that_says_what_it_means(epsilon: str, warned: bool) -> None:
    warnings = read(table("", budget=f"epsilon = {epsilon}")).warnings()
    assert len(warnings) == warned
    for warning in warnings:
        assert "budget.epsilon" in warning
        assert "thought it 1% likely that a person is in the data may be 99.9999 % sure" in warning
