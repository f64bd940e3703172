"""Through a server an analyst is told of their own cap and their own answers, and of nobody else's."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.base.errors import BudgetError
from discreet.curator import Curator
from discreet.curator.telling import UNSHOWN
from support.clinic import write_policy, write_tables

ANALYSTS = """
[analysts.alice]
epsilon = 1.0

[analysts.bob]
epsilon = 3.0
"""
COUNT = "SELECT COUNT(*) AS n FROM visits"


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    write_tables(tmp_path)
    path = tmp_path / "policy.toml"
    path.write_text(write_policy(files=True) + ANALYSTS)
    Curator.init(path)
    return path


@pytest.mark.parametrize("served", [True, False])
def test_what_others_asked_is_told_to_colleagues_and_not_through_a_server(clinic: Path, served: bool) -> None:
    with Curator.open(clinic, "alice", served=served) as curator:
        alice, bob = curator.session("alice"), curator.session("bob")
        bob.ask(COUNT, 0.5)
        assert ("answered before" in str(alice.explain(COUNT, 0.5))) is not served
        assert "answered before" in str(bob.explain(COUNT, 0.5))
        assert (bob.has_paid(bob.prepare(COUNT, 0.5).request), alice.has_paid(alice.prepare(COUNT, 0.5).request)) == (
            True,
            False,
        )


@pytest.mark.parametrize("served", [True, False])
def test_the_whole_budget_is_told_to_colleagues_and_not_through_a_server(clinic: Path, served: bool) -> None:
    with Curator.open(clinic, "alice", served=served) as curator:
        before = str(curator.session("alice").budget)
        curator.session("bob").ask(COUNT, 0.5)
        assert (str(curator.session("alice").budget) == before) is served


def test_a_refusal_through_a_server_names_the_own_cap_alone(clinic: Path) -> None:
    with Curator.open(clinic, "alice", served=True) as curator:
        alice, bob = curator.session("alice"), curator.session("bob")
        with pytest.raises(BudgetError, match=r"what is left: .* left of epsilon 1") as refused:
            alice.ask(COUNT, 2)
        assert "total" not in str(refused.value)
        bob.ask(COUNT, 2.5)
        with pytest.raises(BudgetError) as refused:
            alice.ask(f"{COUNT} WHERE age > 30", 0.9)
        assert str(refused.value) == UNSHOWN


def test_a_refusal_names_the_currency_that_ran_out(clinic: Path) -> None:
    keys = "SELECT doctor, COUNT(*) AS n FROM visits GROUP BY doctor"
    with Curator.open(clinic, "alice", served=True) as curator:
        alice = curator.session("alice")
        with pytest.raises(BudgetError, match=r"too little of epsilon \(100.00% left\) and rho \(100.00% left\)"):
            alice.ask(COUNT, 2)
        with pytest.raises(BudgetError, match=r"100.00% left of epsilon 1, .*; there is too little of delta \("):
            alice.prepare(keys, 0.1, key_delta=1e-9).ask()
