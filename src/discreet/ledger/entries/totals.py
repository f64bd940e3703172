"""Running totals: what all questions cost together, and what each analyst's did, as exact sums."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from discreet.base.errors import LedgerError, ParameterError
from discreet.base.exact import read_exact, to_exact, write_exact
from discreet.ledger.database import Database
from discreet.privacy.budget import BudgetFilter
from discreet.privacy.charges import Charge, add_up, round_charge
from discreet.privacy.filter import Sums

TOTAL = ""
"""The name under which the total stands; analysts have names that are not empty."""

NOTHING: Sums = (Fraction(0), Fraction(0), Fraction(0))


def to_exact_charge(charge: Charge) -> Charge:
    """Return a charge in Fractions (or infinite), rounded up to multiples of 1e-30: sums of it are exact, and short."""
    delta = to_exact("delta", charge.delta)
    if delta > 1:
        raise ParameterError("delta", charge.delta, "a number from 0 to 1")
    return round_charge(Charge(to_exact("epsilon", charge.epsilon), to_exact("rho", charge.rho), delta))


def write_charge(charge: Charge) -> dict[str, str]:
    """Return the exact text of a charge's numbers, by name."""
    return {name: write_exact(getattr(charge, name)) for name in ("epsilon", "rho", "delta")}


def read_charge(epsilon: str, rho: str, delta: str) -> Charge:
    """Return the charge with these texts."""
    return Charge(read_exact(epsilon), read_exact(rho), read_exact(delta))


def write_sums(sums: Sums) -> list[str]:
    """Return the exact texts of sums, in their order."""
    return [write_exact(value) for value in sums]


def add_charge(sums: Sums, charge: Charge) -> Sums:
    """Return the sums with one more charge."""
    return tuple(add_up(a, b) for a, b in zip(sums, (charge.epsilon, charge.rho, charge.delta), strict=True))


def read(db: Database, who: str) -> Sums:
    """Return the sums of the total, which is never missing, or of an analyst."""
    row = db.execute("SELECT epsilon, rho, delta FROM totals WHERE who = ?", (who,)).fetchone()
    if row is None and who != TOTAL:
        return NOTHING
    try:
        if row is not None:
            return tuple(read_exact(text) for text in row)
    except ParameterError:
        pass
    raise LedgerError("the running totals are damaged: run `discreet ledger --verify`")


def write(db: Database, who: str, sums: Sums) -> list[str]:
    """Put new sums in place of the old ones, and return their texts."""
    found = write_sums(sums)
    statement = (
        "INSERT INTO totals VALUES (?, ?, ?, ?) ON CONFLICT (who) "
        "DO UPDATE SET epsilon = excluded.epsilon, rho = excluded.rho, delta = excluded.delta"
    )
    db.execute(statement, (who, *found))
    return found


def admit_charge(db: Database, who: str, cap: BudgetFilter | None, charge: Charge) -> Sums | None:
    """Return the sums with this charge if the cap's filter admits it; without a cap every charge is admitted."""
    sums = read(db, who)
    if cap is None:
        return add_charge(sums, charge)
    try:
        taken = replace(cap, spent=sums).take(charge)
    except OverflowError:  # sums beyond the floats fit into no budget
        return None
    return None if taken is None else taken.spent
