"""What is spent and who may ask is known while the tables are not there."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from discreet.base.errors import PolicyError
from discreet.curator import Curator
from discreet.curator.owner.account import open_account
from support.cli import run
from support.hospital import HOSPITAL, hospital_in
from support.ledger import TENTH, question


@pytest.fixture
def gone(tmp_path: Path) -> Path:
    """A policy whose tables are gone after a question was asked and another failed."""
    path = hospital_in(tmp_path)
    Curator.init(path)
    with Curator.open(path, operator=True) as curator:
        curator.ask("SELECT COUNT(*) FROM visits", epsilon=0.25)
        with curator.ledger.charge(question(), TENTH) as claim:
            curator.ledger.suspend(claim)
    for name in HOSPITAL:
        (tmp_path / f"{name}.parquet").unlink()
    with Curator.open(path) as curator, pytest.raises(PolicyError, match="there is no file"):
        curator.ask("SELECT COUNT(*) FROM visits", epsilon=0.5)
    return path


def test_the_budget_and_who_is_suspended_need_no_table(gone: Path) -> None:
    with open_account(gone) as books:
        assert books.budget.total.filter.spent[0] == Fraction(1, 4) + Fraction(1, 10)
        assert len(books.budget.suspended) == 1
        books.resume()
        assert not books.budget.suspended


def test_the_commands_need_none_either(gone: Path) -> None:
    assert "% spent" in run("budget", "--policy", str(gone))
    assert "everybody may ask again" in run("resume", "--policy", str(gone))
