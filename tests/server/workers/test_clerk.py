"""The clerk: amounts that would keep it busy are refused, and what failed is told on its tick."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

import discreet.synthetic.online  # noqa: F401  (as in worker processes)
from discreet.base.errors import QueryError
from discreet.curator.owner.account import open_account
from discreet.ledger import Request
from discreet.privacy.charges import Charge
from discreet.server.questions import Asked
from discreet.server.requests import read_asked
from discreet.server.workers.clerk import Clerk, Planned
from support.serving import make_served_clinic

COUNT = "SELECT COUNT(*) FROM visits"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_served_clinic(tmp_path_factory.mktemp("clinic"))[0]


@pytest.fixture(scope="module")
def clerk(path: Path) -> Iterator[Clerk]:
    made = Clerk(path)
    yield made
    made.close()


@pytest.mark.parametrize("amount", ["1e200000", "1E+200000", "1e-200000", "1e2_0_0_0_0_0"])
@pytest.mark.parametrize("name", ["epsilon", "rho", "key_delta"])
def test_amounts_with_long_exponents_are_refused(clerk: Clerk, name: str, amount: str) -> None:
    with pytest.raises(QueryError, match="write a number above 0"):
        clerk.describe("alice", read_asked({"sql": COUNT, "epsilon": "0.1", name: amount}))


def test_what_others_asked_decides_neither_the_way_nor_the_price(tmp_path: Path) -> None:
    online = '\n[tables.visits.online]\ncolumns = ["ward", "quantity"]\nepsilon = 3\n'
    clerk = Clerk(make_served_clinic(tmp_path, online, limits="max_rows = 3")[0])
    try:
        for ward in ("north", "south"):
            clerk.ask("alice", Asked(f"{COUNT} WHERE ward = '{ward}'", "0.1"), None, ignore)
        answer = clerk.ask("bob", Asked(f"{COUNT} WHERE ward IN ('north', 'south')", "0.02"), None, ignore)
        assert answer.receipt["epsilon"] == "1/50"
        assert not any("entries" in note for note in answer.notes)
        assert len(clerk.list_entries("bob")) == 1
    finally:
        clerk.close()


def ignore(planned: Planned) -> None:
    pass


@pytest.mark.parametrize("confidence", [0.0, 1.0, 2.0, float("inf"), float("nan")])
def test_a_wrong_confidence_is_refused_before_anything_is_charged(clerk: Clerk, confidence: float) -> None:
    """After it, the login's cap and the audit log would take a charge for a refusal."""
    before = clerk.read_budget("alice")["spent"]
    with pytest.raises(QueryError, match="confidence"):
        clerk.ask("alice", Asked(f"{COUNT} WHERE age < 7", "0.01", confidence=confidence), None, ignore)
    assert clerk.read_budget("alice")["spent"] == before


def test_amounts_with_exponents_are_exact(clerk: Clerk) -> None:
    assert "0.001-differentially private" in clerk.describe("alice", Asked(COUNT, "1e-003")).text


def test_a_suspension_is_told_when_nothing_waits_for_its_tick(path: Path, clerk: Clerk) -> None:
    with open_account(path) as account:
        little = Charge(Fraction(1, 1000), Fraction(1, 1000))
        account.ledger.suspend(account.ledger.charge(Request("0" * 64, "v", "q"), little, "bob"))
    assert clerk.read_budget("bob")["suspended"]
    assert not clerk.read_budget("bob", frozenset({"1" * 64}))["suspended"]
