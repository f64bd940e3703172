"""Own numbers: an analyst's entries are counted by themselves, whoever else asks, and a receipt keeps its number."""

from __future__ import annotations

from pathlib import Path

from discreet.server.workers.own_entries import OwnEntries
from support.clinic import open_clinic

COUNT = "SELECT COUNT(*) FROM visits WHERE age > {}"


def test_entries_are_numbered_by_analyst_and_receipts_name_them(tmp_path: Path) -> None:
    with open_clinic(tmp_path, analyst="alice", analysts=True) as curator:
        alice, bob, own = curator.session("alice"), curator.session("bob"), OwnEntries(curator.ledger)
        for age in (1, 2, 3):
            receipt = alice.ask(COUNT.format(age), 0.05).receipt
            assert own.write_receipt(receipt, "alice")["receipt"] == f"{age}:{receipt.head}"
        shared = bob.ask(COUNT.format(3), 0.05).receipt
        told = own.write_receipt(shared, "bob")
        assert (told["receipt"], told["paid"]) == (f"1:{shared.head}", "charged")
        bob.ask(COUNT.format(4), 0.05)
        again = own.write_receipt(bob.ask(COUNT.format(3), 0.05).receipt, "bob")
        assert (again["receipt"].partition(":")[0], again["paid"]) == ("1", "free")
        assert [(each.number, each.text) for each in own.list("bob")] == [(1, COUNT.format(3)), (2, COUNT.format(4))]
        assert [each.number for each in own.list("alice")] == [1, 2, 3]
        assert own.list("alice")[2].hash == receipt.head
        assert own.list("nobody") == []
