"""Own numbers: an analyst's entries are counted by themselves, whoever else asks, and a receipt keeps its number."""

from __future__ import annotations

from pathlib import Path

from discreet.base.canonical import write_json
from discreet.ledger.entries.chain import SHARE, hash_entry
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
        assert (again["receipt"], again["paid"]) == (told["receipt"], "free")
        assert [(each.number, each.text) for each in own.list("bob")] == [(1, COUNT.format(3)), (2, COUNT.format(4))]
        assert [each.number for each in own.list("alice")] == [1, 2, 3]
        assert own.list("alice")[2].hash == receipt.head
        assert own.list("nobody") == []


def test_the_text_of_who_asked_first_is_not_told(tmp_path: Path) -> None:
    with open_clinic(tmp_path, analyst="alice", analysts=True) as curator:
        own = OwnEntries(curator.ledger)
        curator.session("alice").ask("SELECT COUNT(*) FROM visits -- for the merger", 0.05)
        curator.session("bob").ask("select count(*) from visits", 0.05)
        assert [each.text for each in own.list("bob")] == ["select count(*) from visits"]


def test_what_stands_between_two_receipts_cannot_be_tried_out(tmp_path: Path) -> None:
    """Who knows all of an entry but its random bits does not find its hash: so no count of others' entries either."""
    with open_clinic(tmp_path, analyst="alice", analysts=True) as curator:
        for name in ("alice", "bob"):
            for age in (1, 2):
                curator.session(name).ask(COUNT.format(age), 0.05)
        first, second = [entry for entry in curator.ledger.entries() if entry.kind == SHARE]
        assert second.number == first.number + 1
        known = write_json({name: value for name, value in second.body.items() if name != "salt"})
        assert hash_entry(first.hash, second.number, SHARE, second.at, known) != second.hash
        assert hash_entry(first.hash, second.number, SHARE, second.at, second.text) == second.hash
