"""Parts of results are verified with the chain: each that was named is there and true, or told by its name."""

from __future__ import annotations

import json

import pytest

from discreet.base.canonical import hash_bytes
from discreet.ledger import Claim, JournalRow, Ledger, Server, verify_place
from discreet.ledger.entries import chain
from support.ledger import TENTH, Home, ask, new, place, question, tampering

ONE, TWO, LOST = b"one", b"two", b"lost"


def keep(ledger: Ledger, claim: Claim, *parts: bytes) -> list[str]:
    """Keep parts as a run does: each before the journal's row that names it."""
    names = []
    for position, data in enumerate(parts):
        names.append(ledger.parts.write(data))
        ledger.runs.write_journal(claim, position, (JournalRow(f"call {position}", names[-1].encode()),))
    return names


def measure(ledger: Ledger, name: str = "q", recorded: bool = True) -> list[str]:
    """Run a measurement of two parts; one that is not recorded was given up."""
    with ledger.charge(question(name), TENTH) as claim:
        names = keep(ledger, claim, ONE, TWO)
        if recorded:
            ledger.record(claim, json.dumps({"parts": [[[each, 3] for each in names]]}).encode())
    return names


def change(home: Home, name: str, data: bytes | None) -> None:
    """Put other bytes under a part's name behind the ledger's back; None: take it away."""
    if isinstance(home, Server):
        with tampering(home) as db:
            if data is None:
                db.execute("DELETE FROM states WHERE name = ?", (f"part {name}",))
            else:
                db.execute("UPDATE states SET value = ? WHERE name = ?", (data, f"part {name}"))
    elif data is None:
        (home / "results" / name).unlink()
    else:
        (home / "results" / name).write_bytes(data)


def problems(home: Home) -> tuple[str, ...]:
    return verify_place(place(home)).problems


@pytest.mark.parametrize("recorded", [True, False], ids=["recorded", "journaled"])
def test_a_true_ledger_with_parts_verifies_and_nothing_is_left(home: Home, recorded: bool) -> None:
    with new(home) as ledger:
        measure(ledger, recorded=recorded)
        ask(ledger, "other")
        found = ledger.verify()
        assert found.ok, found.problems
        assert found.left == ()
        assert ledger.parts.sweep() == ()


@pytest.mark.parametrize("recorded", [True, False], ids=["recorded", "journaled"])
def test_a_part_that_was_changed_or_is_missing_is_named(home: Home, recorded: bool) -> None:
    with new(home) as ledger:
        names = measure(ledger, recorded=recorded)
    change(home, names[1], b"other")
    assert problems(home) == (f"the part {names[1]} was edited",)
    change(home, names[1], None)
    assert problems(home) == (f"the part {names[1]} is missing",)


def test_a_part_whose_record_does_not_name_it_is_still_held_against_its_hash(home: Home) -> None:
    with new(home) as ledger, ledger.charge(question(), TENTH) as claim:
        (name,) = keep(ledger, claim, ONE)
        ledger.record(claim, b"in other words")
        assert ledger.parts.sweep() == ()
    change(home, name, b"other")
    assert problems(home) == (f"the part {name} was edited",)


def test_results_that_only_look_like_names_are_no_parts(home: Home) -> None:
    with new(home) as ledger, ledger.charge(question(), TENTH) as claim:
        ledger.runs.write_journal(claim, 0, (JournalRow("call", b"x" * 64),))
        ledger.record(claim, f'["{hash_bytes(ONE)}"]'.encode())
        assert ledger.verify().ok


def test_who_removes_a_named_part_under_the_name_of_a_sweep_is_found(home: Home) -> None:
    with new(home) as ledger:
        names = measure(ledger)
        with ledger._store.writing() as db:
            chain.append(db, chain.SWEEP, "now", {"part": names[0], "bytes": 3})
    change(home, names[0], None)
    found = problems(home)
    assert f"removed part {names[0]}, which a journal names" in found[0]
    assert f"the part {names[0]} is missing" in found
