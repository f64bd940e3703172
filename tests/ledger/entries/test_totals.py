"""Running totals: exact sums, and a filter that decides on them."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.errors import LedgerError, ParameterError
from discreet.ledger.entries import totals
from discreet.ledger.files.schema import SCHEMA
from discreet.privacy.budget import BudgetFilter
from discreet.privacy.charges import Charge
from support.ledger import TENTH

finite = st.fractions(min_value=0) | st.floats(min_value=0, max_value=1e100)
charges = st.builds(Charge, finite | st.just(math.inf), finite, st.floats(0, 1) | st.fractions(0, 1))


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    totals.write(connection, totals.TOTAL, totals.NOTHING)
    yield connection
    connection.close()


@given(charges)
def test_a_charge_comes_back_from_its_texts_unchanged(charge: Charge) -> None:
    exact = totals.to_exact_charge(charge)
    assert totals.read_charge(**totals.write_charge(exact)) == exact


@given(charges)
def test_charges_are_rounded_up_to_short_numbers_and_tenths_stay_exact(charge: Charge) -> None:
    exact = totals.to_exact_charge(charge)
    for name in ("epsilon", "rho", "delta"):
        before, after = getattr(charge, name), getattr(exact, name)
        assert before <= after
        if after != math.inf:
            assert after - Fraction(before) < Fraction(1, 10**30)
            assert (after * 10**30).denominator == 1
    assert totals.to_exact_charge(TENTH) == TENTH


def test_totals_of_coprime_charges_stay_short() -> None:
    """Sums of exact fractions with 22 coprime denominators had thousands of digits, and then nobody could ask."""
    sums = totals.NOTHING
    for prime in (10**200 + 357, 10**200 + 627, *(10**210 + 3 * each + 1 for each in range(40))):
        sums = totals.add_charge(sums, totals.to_exact_charge(Charge(Fraction(1, prime), Fraction(3, prime))))
    assert max(len(text) for text in totals.write_sums(sums)) < 40


@given(st.lists(charges, max_size=8), st.randoms())
def test_sums_are_exact_whatever_the_order(given: list[Charge], random: st.DataObject) -> None:
    def added(some: list[Charge]) -> tuple[object, ...]:
        sums = totals.NOTHING
        for charge in some:
            sums = totals.add_charge(sums, totals.to_exact_charge(charge))
        return tuple(totals.write_sums(sums))

    other = list(given)
    random.shuffle(other)  # type: ignore[attr-defined]
    assert added(given) == added(other)


def test_totals_are_read_as_they_were_written(db: sqlite3.Connection) -> None:
    assert totals.read(db, "ann") == totals.NOTHING
    sums = (math.inf, Fraction(1, 3), Fraction(1, 10**9))
    assert totals.write(db, "ann", sums) == ["inf", "1/3", "1/1000000000"]
    assert totals.read(db, "ann") == sums
    assert totals.read(db, totals.TOTAL) == totals.NOTHING


def test_a_total_that_is_missing_is_no_total_of_nothing(db: sqlite3.Connection) -> None:
    db.execute("DELETE FROM totals")
    assert totals.read(db, "ann") == totals.NOTHING
    with pytest.raises(LedgerError, match="damaged"):
        totals.read(db, totals.TOTAL)


def test_thirty_tenths_fill_three_exactly(db: sqlite3.Connection) -> None:
    cap, tenth = BudgetFilter(3), Charge(Fraction(1, 10), Fraction(1, 200))
    for _ in range(30):
        sums = totals.admit_charge(db, totals.TOTAL, cap, tenth)
        assert sums is not None
        totals.write(db, totals.TOTAL, sums)
    assert totals.read(db, totals.TOTAL)[0] == 3
    assert totals.admit_charge(db, totals.TOTAL, cap, tenth) is None
    assert totals.admit_charge(db, totals.TOTAL, cap, Charge(Fraction(1, 10**30), Fraction(1, 10**60))) is None


def test_without_a_cap_every_charge_is_added(db: sqlite3.Connection) -> None:
    assert totals.admit_charge(db, "ann", None, Charge(math.inf, Fraction(5))) == (math.inf, 5, 0)


def test_sums_beyond_the_floats_fit_into_no_budget(db: sqlite3.Connection) -> None:
    huge = totals.to_exact_charge(Charge(1.7e308, 1.7e308))
    totals.write(db, totals.TOTAL, totals.add_charge(totals.NOTHING, huge))
    assert totals.admit_charge(db, totals.TOTAL, BudgetFilter(1e308, 1e-6), huge) is None


@pytest.mark.parametrize(
    ("charge", "name"),
    [
        (Charge(-1, 1), "epsilon"),
        (Charge(1, math.nan), "rho"),
        (Charge(1, 1, math.inf), "delta"),
        (Charge(1, 1, -0.1), "delta"),
        (Charge(1, 1, 1.5), "delta"),
    ],
)
def test_what_is_no_charge_is_refused(charge: Charge, name: str) -> None:
    with pytest.raises(ParameterError, match=name):
        totals.to_exact_charge(charge)


def test_damaged_totals_are_never_guessed(db: sqlite3.Connection) -> None:
    db.execute("UPDATE totals SET epsilon = '1.5'")
    with pytest.raises(LedgerError, match="damaged: run `discreet ledger --verify`"):
        totals.read(db, totals.TOTAL)
