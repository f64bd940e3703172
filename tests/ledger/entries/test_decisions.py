"""The rules of paying: who pays what for which answer, and when a charge may be run again."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from discreet.base.errors import BudgetError, LedgerError, LostLeaseError, ParameterError, PendingError
from discreet.ledger import Ledger
from discreet.privacy.charges import Charge
from support.ledger import CAPS, TENTH, Clock, Home, again, ask, kinds, new, question, tampering


def spent(ledger: Ledger, analyst: str | None = None) -> object:
    return ledger.spent(analyst).spent[0]


def test_ten_tenths_fill_the_budget_and_an_eleventh_is_refused_with_nothing_written(home: Home) -> None:
    with new(home) as ledger:
        for number in range(10):
            ask(ledger, f"q{number}")
        head = ledger.head
        with pytest.raises(BudgetError, match=r"costs epsilon 0\.1, rho 0\.005 and .*epsilon \(0\.00% of 1\) in the b"):
            ask(ledger, "one more")
        assert ledger.head == head
        assert spent(ledger) == 1
        assert ask(ledger, "q3", b"not asked") == b"42"


@pytest.mark.parametrize("change", ["UPDATE totals SET epsilon = '0' WHERE who = ''", "DELETE FROM totals"])
def test_nothing_is_decided_by_a_total_that_somebody_changed(home: Home, change: str) -> None:
    """Whoever may ask on a server may write the totals, and not what the chain says of them."""
    with new(home) as ledger:
        ask(ledger)
        with tampering(home) as db:
            db.execute(change)
        with pytest.raises(LedgerError, match=r"totals are .*run `discreet ledger --verify`"):
            ask(ledger, "another")
        assert ask(ledger, answer=b"other") == b"42"
        assert not ledger.verify().ok


def test_a_budget_is_never_reset_by_a_new_data_version(home: Home) -> None:
    with new(home) as ledger:
        for version in range(10):
            ledger.charge(question("q", f"v{version}"), TENTH)
        with pytest.raises(BudgetError):
            ledger.charge(question("q", "v10"), TENTH)


def test_small_questions_cost_by_rho_where_the_budget_has_a_delta(home: Home) -> None:
    with new(home, delta=Fraction(1, 10**6)) as ledger:
        small = Charge(Fraction(1, 10), Fraction(1, 20000))
        for number in range(30):
            ledger.charge(question(f"{number}"), small)
        assert spent(ledger) == 3
        ledger.charge(question("gaussian"), Charge(math.inf, Fraction(1, 20000), Fraction(1, 10**8)))
        assert spent(ledger) == math.inf
        assert ledger.verify().ok


def test_deltas_are_limited_to_half_of_the_budgets(home: Home) -> None:
    with new(home, delta=Fraction(1, 10**6)) as ledger:
        half = Charge(Fraction(1, 10), Fraction(1, 20000), Fraction(1, 2 * 10**6))
        ledger.charge(question("a"), half)
        with pytest.raises(BudgetError):
            ledger.charge(question("b"), Charge(Fraction(1, 10), Fraction(1, 20000), Fraction(1, 10**30)))


def test_the_same_question_is_free_for_who_has_paid(home: Home) -> None:
    with new(home, caps=CAPS) as ledger:
        assert ask(ledger, answer=b"first", analyst="ann") == b"first"
        claim = ledger.charge(question(), TENTH, "ann")
        assert (claim.answer, claim.paid) == (b"first", "free")
        assert claim.receipt is not None
        assert ledger.verify(claim.receipt).ok
        assert kinds(ledger) == ["CREATE", "CHARGE", "RECORD"]
        assert spent(ledger) == spent(ledger, "ann") == Fraction(1, 10)


def test_anothers_answer_costs_only_the_askers_own_cap_and_only_once(home: Home) -> None:
    with new(home, caps=CAPS) as ledger:
        ask(ledger, answer=b"first", analyst="ann")
        claims = [ledger.charge(question(), TENTH, "bob") for _ in range(2)]
        assert [claim.answer for claim in claims] == [b"first"] * 2
        assert [claim.paid for claim in claims] == ["own cap only", "free"]
        assert kinds(ledger) == ["CREATE", "CHARGE", "RECORD", "SHARE"]
        assert (spent(ledger), spent(ledger, "bob")) == (Fraction(1, 10), Fraction(1, 10))
        assert claims[0].receipt is not None
        assert claims[0].receipt.entry == 4
        assert ledger.verify(claims[0].receipt).ok


def test_anothers_answer_is_refused_when_the_own_cap_is_spent(home: Home) -> None:
    with new(home, caps=CAPS) as ledger:
        ask(ledger, "anns", analyst="ann")
        for number in range(3):
            ask(ledger, f"bobs {number}", analyst="bob")
        head = ledger.head
        with pytest.raises(BudgetError, match=r"epsilon \(0\.00% of 0\.3\) in the own cap of 'bob'"):
            ask(ledger, "anns", analyst="bob")
        with pytest.raises(BudgetError, match=r"too little of epsilon \(0\.00% of 0\.3\) in the own cap of 'bob'"):
            ask(ledger, "new", analyst="bob")
        assert ledger.head == head


def test_who_has_no_cap_gets_recorded_answers_free(home: Home) -> None:
    with new(home) as ledger:
        ask(ledger, analyst="ann")
        for analyst in ("bob", None):
            claim = ledger.charge(question(), TENTH, analyst)
            assert (claim.paid, claim.answer) == ("free", b"42")
        assert kinds(ledger) == ["CREATE", "CHARGE", "RECORD"]


def test_where_there_are_caps_everybody_named_needs_one(home: Home) -> None:
    with new(home, caps=CAPS) as ledger:
        with pytest.raises(BudgetError, match=r"'eve' has no cap .* under \[analysts\]"):
            ask(ledger, analyst="eve")
        with pytest.raises(ParameterError, match="analyst"):
            ask(ledger, analyst="")


def test_fresh_pays_again_and_its_answer_is_found_later(home: Home) -> None:
    with new(home) as ledger:
        ask(ledger, answer=b"old")
        assert ask(ledger, answer=b"new", fresh=True) == b"new"
        assert ask(ledger) == b"new"
        assert spent(ledger) == Fraction(2, 10)


def test_nobody_pays_again_because_another_wanted_fresh_noise(home: Home) -> None:
    with new(home, caps=CAPS) as ledger:
        ask(ledger, answer=b"anns", analyst="ann")
        assert ask(ledger, answer=b"bobs", analyst="bob", fresh=True) == b"bobs"
        claim = ledger.charge(question(), TENTH, "ann")
        assert (claim.paid, claim.answer) == ("free", b"anns")
        assert ledger.find_answer(question(), "ann") == 2
        assert ledger.find_answer(question(), "bob") == 4
        assert ask(ledger, analyst="bob") == b"bobs"
        assert spent(ledger, "ann") == spent(ledger, "bob") == Fraction(1, 10)


def test_who_waits_for_anothers_run_pays_at_once_and_not_when_it_ends(home: Home) -> None:
    clock, seen = Clock(), []
    with new(home, clock, caps=CAPS) as ledger, again(home, clock, caps=CAPS) as other:
        running = ledger.charge(question(), TENTH, "ann")
        clock.meanwhile[2] = lambda: seen.append(spent(ledger, "bob"))
        clock.meanwhile[3] = lambda: ledger.record(running, b"42")
        claim = other.charge(question(), TENTH, "bob")
        assert seen == [Fraction(1, 10)]
        assert (claim.paid, claim.answer) == ("own cap only", b"42")
        assert kinds(ledger) == ["CREATE", "CHARGE", "SHARE", "RECORD"]
        assert claim.receipt is not None
        assert (claim.receipt.paid, claim.receipt.entry) == ("own cap only", 3)
        assert ledger.charge(question(), TENTH, "bob").paid == "free"
        assert ledger.verify(claim.receipt).ok


def test_fresh_does_not_take_what_somebody_else_is_running(home: Home) -> None:
    with new(home) as ledger:
        one, two = (ledger.charge(question(), TENTH, fresh=True) for _ in range(2))
        assert one.entry != two.entry
        ledger.record(two, b"two")
        ledger.record(one, b"one")
        assert ask(ledger) == b"one", "the newest recorded answer is the one that is found"


def test_a_charge_that_failed_is_run_again_without_paying_again(home: Home) -> None:
    with new(home, caps=CAPS) as ledger:
        ledger.charge(question(), TENTH, "ann").__exit__()
        claim = ledger.charge(question(), TENTH, "ann", timeout=0)
        assert (claim.paid, claim.found) == ("free", False)
        claim.__exit__()
        claim = ledger.charge(question(), TENTH, "bob")
        assert claim.paid == "own cap only"
        ledger.record(claim, b"at last")
        assert (spent(ledger), spent(ledger, "ann"), spent(ledger, "bob")) == (Fraction(1, 10),) * 3
        assert kinds(ledger) == ["CREATE", "CHARGE", "RETRY", "SHARE", "RETRY", "RECORD"]
        assert ask(ledger, analyst="ann") == b"at last"
        assert ledger.verify().ok


def test_a_charge_is_not_run_again_for_another_price(home: Home) -> None:
    with new(home) as ledger:
        ledger.charge(question(), TENTH).__exit__()
        dearer = ledger.charge(question(), Charge(Fraction(1, 5), Fraction(1, 50)))
        assert dearer.paid == "charged"
        assert spent(ledger) == Fraction(3, 10)


def test_a_share_costs_what_the_answer_cost_not_what_it_would_cost_today(home: Home) -> None:
    with new(home, caps=CAPS) as ledger:
        ask(ledger, analyst="ann")
        claim = ledger.charge(question(), Charge(Fraction(1, 100), Fraction(1, 20000)), "bob")
        assert claim.charge == TENTH
        assert spent(ledger, "bob") == Fraction(1, 10)


def test_a_question_that_is_being_run_is_waited_for(home: Home) -> None:
    clock = Clock()
    with new(home, clock) as ledger, again(home, clock) as other:
        claim = ledger.charge(question(), TENTH)
        clock.meanwhile[3] = lambda: ledger.record(claim, b"theirs")
        assert ask(other, answer=b"mine") == b"theirs"
        assert clock.slept == 3
        assert spent(ledger) == Fraction(1, 10)


def test_waiting_ends_with_a_word_when_it_takes_too_long(home: Home) -> None:
    clock = Clock()
    with new(home, clock) as ledger, again(home, clock) as other:
        claim = ledger.charge(question(), TENTH)
        with pytest.raises(PendingError, match="entry 2, the same question, is still being run"):
            other.charge(question(), TENTH, timeout=1)
        assert 1 <= clock.time - 1_800_000_000 < 1.1
        ledger.record(claim, b"late")


def test_a_holder_that_gives_up_is_followed_at_once(home: Home) -> None:
    clock = Clock()
    with new(home, clock) as ledger, again(home, clock) as other:
        claim = ledger.charge(question(), TENTH)
        clock.meanwhile[2] = lambda: claim.__exit__()
        assert ask(other, answer=b"mine") == b"mine"
        assert clock.slept == 2


def test_a_holder_that_hangs_is_overtaken_and_can_record_nothing(home: Home) -> None:
    clock = Clock()
    with new(home, clock) as ledger, again(home, clock) as other:
        hung = ledger.charge(question(), TENTH)
        clock.time += 3601
        taken = other.charge(question(), TENTH)
        assert taken.entry == hung.entry
        with pytest.raises(LostLeaseError, match="lease on entry 2 was lost; its charge stays"):
            ledger.record(hung, b"late")
        other.record(taken, b"in time")
        with pytest.raises(LedgerError, match="lost"):
            ledger.record(hung, b"later still")
        hung.__exit__()
        assert ask(ledger) == b"in time"
        assert kinds(ledger) == ["CREATE", "CHARGE", "DEATH", "RETRY", "RECORD"]


def test_a_late_holder_that_nobody_overtook_may_still_record(home: Home) -> None:
    clock = Clock()
    with new(home, clock) as ledger:
        claim = ledger.charge(question(), TENTH)
        clock.time += 10**6
        ledger.record(claim, b"late")
        assert ask(ledger) == b"late"


def test_an_answer_that_was_edited_is_not_shown(home: Home) -> None:
    with new(home) as ledger:
        ask(ledger, answer=b"the truth")
        with tampering(home) as db:
            db.execute("UPDATE answers SET answer = x'00'")
        with pytest.raises(LedgerError, match="damaged") as caught:
            ask(ledger)
        assert "truth" not in str(caught.value)
