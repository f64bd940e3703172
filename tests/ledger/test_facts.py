"""The policy in the ledger: what may never change, and that everything else is seen to change."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.errors import LedgerError, ParameterError
from discreet.ledger.facts import LedgerFacts, check_protected, list_changes
from support.ledger import CAPS, Home, again, ask, facts, kinds, new

numbers = st.fractions(min_value=Fraction(1, 10**6), max_value=100)
trees = st.recursive(
    st.integers() | st.text(), lambda inner: st.dictionaries(st.text("ab", min_size=1), inner), max_leaves=8
)


@given(numbers, st.dictionaries(st.text(min_size=1), st.tuples(numbers, st.fractions(0, Fraction(1, 2)))), trees)
def test_facts_come_back_from_json(epsilon: Fraction, caps: dict[str, Any], other: Any) -> None:
    made = facts(epsilon=epsilon, delta=0.125, caps=caps, other={"policy": other})
    assert LedgerFacts.from_dict(json.loads(json.dumps(made.to_dict()))) == made


@given(trees, trees)
def test_changes_are_none_exactly_when_nothing_changed(old: Any, new: Any) -> None:
    assert (list(list_changes(old, new)) == []) is (old == new and isinstance(old, dict))


def test_changes_name_each_key_with_both_values() -> None:
    old = {"budget": {"epsilon": "1"}, "other": {"a": 1, "b": [1]}, "gone": 1}
    new = {"budget": {"epsilon": "2"}, "other": {"a": 1, "b": [2]}, "come": 2}
    assert list(list_changes(old, new)) == [
        {"key": "budget.epsilon", "old": "1", "new": "2"},
        {"key": "come", "old": None, "new": 2},
        {"key": "gone", "old": 1, "new": None},
        {"key": "other.b", "old": [1], "new": [2]},
    ]


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({"neighbours": "replace"}, 'neighbours was "add-remove" and is "replace"'),
        ({"tables": {"visits": {"unit": "household"}}}, 'tables.visits.unit was "person" and is "household"'),
        ({"tables": {"visits": {"unit": "person", "identifies": "x"}}}, 'tables.visits.identifies was null and is "x"'),
    ],
)
def test_what_is_protected_cannot_change_under_a_ledger(home: Home, changed: dict[str, Any], key: str) -> None:
    new(home).close()
    with pytest.raises(LedgerError, match="create a new ledger with `discreet init`") as caught:
        again(home, **changed)
    assert key in str(caught.value)
    with again(home) as ledger:
        assert kinds(ledger) == ["CREATE"]


def test_a_new_table_may_come_and_is_written_down(home: Home) -> None:
    new(home).close()
    more = {"visits": {"unit": "person"}, "sales": {"unit": "row"}}
    with again(home, tables=more) as ledger:
        (entry,) = ledger.entries(first=2)
    assert entry.body["changes"] == [{"key": "tables.sales", "old": None, "new": {"unit": "row"}}]


def test_a_table_that_left_the_policy_cannot_come_back_with_another_unit(home: Home) -> None:
    new(home).close()
    again(home, tables={}).close()
    with pytest.raises(LedgerError, match=r"tables\.visits\.unit"):
        again(home, tables={"visits": {"unit": "row"}})
    with again(home) as ledger:
        assert kinds(ledger) == ["CREATE", "POLICY", "POLICY"]


def test_loosening_anything_else_is_allowed_and_visible(home: Home) -> None:
    with new(home) as ledger:
        ask(ledger)
    with again(home, epsilon=2, caps=CAPS, other={"bounds": {"age": [0, 200]}}) as ledger:
        entry = list(ledger.entries())[-1]
        assert ledger.spent().remaining() == pytest.approx(0.95)
        assert ledger.verify().ok
    assert entry.kind == "POLICY"
    assert entry.body["changes"] == [
        {"key": "analysts.ann", "old": None, "new": {"delta": "0", "epsilon": "1/2"}},
        {"key": "analysts.bob", "old": None, "new": {"delta": "0", "epsilon": "3/10"}},
        {"key": "budget.epsilon", "old": "1", "new": "2"},
        {"key": "other.bounds.age", "old": [0, 100], "new": [0, 200]},
    ]


def test_opening_with_the_same_policy_writes_nothing(home: Home) -> None:
    new(home).close()
    for _ in range(3):
        again(home, epsilon=1.0).close()
    with again(home) as ledger:
        assert kinds(ledger) == ["CREATE"]


def test_protected_adds_tables_and_forgets_none() -> None:
    known = check_protected(facts().to_dict(), facts(tables={"sales": 1, "visits": {"unit": "person"}}).to_dict())
    assert check_protected(known, facts(tables={}).to_dict()) == known
    assert known["tables"].keys() == {"sales", "visits"}


@pytest.mark.parametrize(
    "wrong", [{"epsilon": 0}, {"delta": 1}, {"epsilon": float("inf")}, {"caps": {"": (1, 0)}}, {"caps": {"a": (0, 0)}}]
)
def test_a_budget_that_is_none_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        facts(**wrong)
