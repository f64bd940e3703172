"""The clerk: amounts that would keep it busy are refused, and what failed is told on its tick."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.base.errors import QueryError
from discreet.curator.owner.account import open_account
from discreet.ledger import Request
from discreet.privacy.charges import Charge
from discreet.server.questions import Asked
from discreet.server.requests import read_asked
from discreet.server.workers.clerk import Clerk
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


def test_amounts_with_exponents_are_exact(clerk: Clerk) -> None:
    assert "0.001-differentially private" in clerk.describe("alice", Asked(COUNT, "1e-003")).text


def test_a_suspension_is_told_when_nothing_waits_for_its_tick(path: Path, clerk: Clerk) -> None:
    with open_account(path) as account:
        little = Charge(Fraction(1, 1000), Fraction(1, 1000))
        account.ledger.suspend(account.ledger.charge(Request("0" * 64, "v", "q"), little, "bob"))
    assert clerk.read_budget("bob")["suspended"]
    assert not clerk.read_budget("bob", frozenset({"1" * 64}))["suspended"]
