"""Verification: every way to tamper is found, and what cannot be found without a receipt is said."""

from __future__ import annotations

import pytest

from discreet.answers.receipt import Mark, Receipt
from discreet.ledger import Ledger, verify_place
from support.ledger import CAPS, TENTH, Home, again, ask, beside, new, place, question, relink, tampering


@pytest.fixture
def receipt(home: Home) -> Receipt:
    """A ledger with every kind of entry, and the receipt of its last record.

    1 CREATE, 2 CHARGE, 3 RECORD, 4 SHARE, 5 CHARGE, 6 RETRY, 7 STATE, 8 DATA, 9 CHARGE, 10 RECORD.
    """
    with new(home, caps=CAPS) as ledger:
        ask(ledger, "a", b"a secret", analyst="ann")
        ask(ledger, "a", analyst="bob")
        for _ in range(2):
            ledger.charge(question("b"), TENTH, "bob").__exit__()
        ledger.set_state("s", b"state")
        ledger.note("DATA", {"version": 2})
        receipt = ledger.record(ledger.charge(question("c"), TENTH), b"c secret")
        assert receipt.entry == 10
    return receipt


def problems(home: Home, receipt: Receipt | Mark | None = None) -> str:
    return "\n".join(verify_place(place(home), receipt).problems)


def test_a_true_ledger_verifies_with_and_without_a_receipt(home: Home, receipt: Receipt) -> None:
    with_receipt = verify_place(place(home), receipt)
    assert with_receipt.ok
    assert (with_receipt.entries, with_receipt.head) == (10, receipt.head)
    assert with_receipt.unproven is None
    without = verify_place(place(home))
    assert without.ok
    assert "without a receipt, a chain that was cut or rewritten" in str(without.unproven)


def test_a_receipt_with_an_analysts_own_number_is_found_by_its_hash(home: Home, receipt: Receipt) -> None:
    found = verify_place(place(home), Mark(1, receipt.head))
    assert found.ok
    assert found.proven == 10


def test_a_receipt_stays_good_as_the_ledger_grows(home: Home, receipt: Receipt) -> None:
    with again(home, caps=CAPS) as ledger:
        ask(ledger, "d")
        assert ledger.verify(receipt).ok
        assert ledger.verify(Mark.parse(str(receipt))).ok


@pytest.mark.many
@pytest.mark.parametrize(
    ("tamper", "found"),
    [
        ("UPDATE entries SET body = replace(body, 'SELECT a', 'SELECT x') WHERE number = 2", "entry 2 was edited"),
        ("UPDATE entries SET at = '1999' WHERE number = 8", "entry 8 was edited"),
        ("UPDATE entries SET kind = 'NOTE' WHERE number = 4", "entry 4 was edited"),
        ("UPDATE entries SET hash = upper(hash) WHERE number = 5", "entry 5 was edited"),
        ("UPDATE entries SET body = 'nonsense' WHERE number = 9", "entry 9 cannot be read"),
        ("DELETE FROM entries WHERE number = 6", "entries 6 to 6 are missing"),
        ("DELETE FROM entries WHERE number = 1", "entries 1 to 1 are missing"),
        ("DELETE FROM entries WHERE number > 6", "the chain ends at entry 6, but the ledger's head says otherwise"),
        ("DELETE FROM entries WHERE number > 6", "the database counted another number of entries"),
        ("DELETE FROM entries", "the chain ends at entry 0"),
        ("UPDATE head SET number = 9", "the ledger's head says otherwise"),
        ("DELETE FROM head", "the ledger's head says otherwise"),
        ("UPDATE totals SET epsilon = '0' WHERE who = ''", "the running totals are not the sums"),
        ("UPDATE totals SET rho = '0' WHERE who = 'bob'", "the running totals are not the sums"),
        ("DELETE FROM totals WHERE who = 'ann'", "the running totals are not the sums"),
        ("UPDATE answers SET answer = x'00' WHERE record = 3", "the answer of entry 3 was edited"),
        ("DELETE FROM answers WHERE record = 10", "the answer of entry 10 is missing"),
        ("INSERT INTO answers VALUES (6, x'00')", "the answer of entry 6 is not in the chain"),
        ("UPDATE charges SET epsilon = '1/100' WHERE entry = 5", "the charge of entry 5 was edited"),
        ("UPDATE charges SET record = 3 WHERE entry = 5", "the charge of entry 5 was edited"),
        ("UPDATE charges SET question = 'x' WHERE entry = 2", "the charge of entry 2 was edited"),
        ("DELETE FROM charges WHERE entry = 2", "the charge of entry 2 is missing"),
        ("INSERT INTO payments VALUES (5, 'ann')", "who has paid for which answer"),
        ("DELETE FROM payments WHERE who = 'bob'", "who has paid for which answer"),
        ("UPDATE states SET value = x'00'", "the state s was edited"),
        ("DELETE FROM states", "the state s is missing"),
    ],
)
def test_every_tampering_is_found_and_named(home: Home, receipt: Receipt, tamper: str, found: str) -> None:
    with tampering(home) as db:
        assert db.execute(tamper).rowcount > 0
    said = problems(home)
    assert found in said
    assert "secret" not in said


def test_a_chain_rewritten_as_a_whole_is_found_by_a_receipt_only(home: Home, receipt: Receipt) -> None:
    with tampering(home) as db:
        db.execute("UPDATE entries SET body = replace(body, 'SELECT a', 'SELECT x') WHERE number = 2")
        relink(db)
    assert problems(home) == ""
    assert problems(home, receipt) == "no entry is the one on the receipt: the chain was rewritten, or its tail was cut"


def test_a_tail_cut_with_every_table_fitted_to_it_is_found_by_a_receipt_only(home: Home, receipt: Receipt) -> None:
    with tampering(home) as db:
        db.execute("DELETE FROM entries WHERE number > 8")
        db.execute("DELETE FROM charges WHERE entry > 8")
        db.execute("DELETE FROM payments WHERE charge > 8")
        db.execute("DELETE FROM answers WHERE record > 8")
        db.execute("UPDATE totals SET epsilon = '1/5', rho = '1/100' WHERE who = ''")
        relink(db)
    assert problems(home) == ""
    assert problems(home, receipt) == "the receipt is for entry 10, but the chain ends at 8: its tail was cut"


def test_a_relinked_chain_must_still_add_up(home: Home, receipt: Receipt) -> None:
    with tampering(home) as db:
        db.execute("UPDATE entries SET body = replace(body, '1/10', '1/1000') WHERE number = 5")
        db.execute('UPDATE entries SET kind = \'RECORD\', body = \'{"charge":2,"answer":""}\' WHERE number = 8')
        relink(db)
    said = problems(home)
    assert "entry 5 does not add up to the totals that it states" in said
    assert "entry 8 is about no open charge" in said


def test_the_receipt_of_another_ledger_does_not_verify(home: Home, receipt: Receipt) -> None:
    with new(beside(home)) as other:
        mark = other.head
        assert other.verify().ok
    assert problems(home, mark) == "no entry is the one on the receipt: the chain was rewritten, or its tail was cut"


def test_verifying_changes_nothing_and_may_happen_while_others_write(home: Home, receipt: Receipt) -> None:
    ledger: Ledger
    with again(home, caps=CAPS) as ledger, ledger._store.writing() as db:
        db.execute("UPDATE head SET number = 0")
        assert verify_place(place(home), receipt).ok
        db.execute("UPDATE head SET number = 10")
