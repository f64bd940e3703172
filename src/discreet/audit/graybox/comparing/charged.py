"""Whether a ledger was charged what the calls of desks cost: added up once more, by no meter of the house."""

from __future__ import annotations

import functools
import json
import math
import operator
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from discreet.audit.graybox.recording.tape import TapeEntry
from discreet.curator.door.meter import ScheduleMeter
from discreet.ledger.entries.chain import CHARGE
from discreet.ledger.entries.totals import read_charge
from discreet.privacy import ApproximateLoss
from discreet.privacy.charges import Charge, charge_of
from discreet.query.cost import NOTHING, add_charges

SLACK = 1 + Fraction(1, 10**9)
"""Sums of floats, and conversions of losses, are rounded."""


def add_charged(entries: Iterable[Any]) -> Charge:
    """Return what a ledger was charged, from its entries."""
    total = NOTHING
    for entry in entries:
        if entry.kind == CHARGE:
            told = json.loads(entry.text)
            total = add_charges(total, read_charge(told["epsilon"], told["rho"], told["delta"]))
    return total


def find_uncharged(calls: Iterable[TapeEntry], charged: Charge) -> list[str]:
    """Return what calls of desks cost that nobody was charged for, and calls whose loss and cost contradict."""
    desks: dict[int, list[TapeEntry]] = {}
    for each in calls:
        if each.name.startswith("desk: ") and each.cost is not None:
            desks.setdefault(id(each.desk), []).append(each)
    found = [words for each in desks.values() for words in map(_find_contradiction, each) if words is not None]
    needed = functools.reduce(add_charges, map(_add_desk, desks.values()), NOTHING)
    if not _covers(charged, needed):
        found.append(f"calls of desks cost {needed}, and the ledger was charged {charged}")
    return found


def add_tries(calls: Iterable[TapeEntry]) -> list[Charge]:
    """Return what each try at a desk of its own cost."""
    desks: dict[int, Charge] = {}
    for each in calls:
        if each.cost is not None:
            desks[id(each.desk)] = add_charges(desks.get(id(each.desk), NOTHING), each.cost)
    return list(desks.values())


def _add_desk(calls: list[TapeEntry]) -> Charge:
    """Return what calls of one desk cost: their sums, or what a schedule certifies at its delta."""
    meter = calls[0].desk._meter
    if isinstance(meter, ScheduleMeter):
        delta = meter._schedule.delta
        total = functools.reduce(operator.add, [each.loss for each in calls if each.loss is not None])
        return charge_of(ApproximateLoss(Fraction(total.epsilon(delta).high), delta))
    return functools.reduce(add_charges, [each.cost or NOTHING for each in calls], NOTHING)


def _find_contradiction(call: TapeEntry) -> str | None:
    """A call is metered by its cost, or by its loss where a schedule is: the loss must not be the smaller one."""
    assert call.cost is not None
    assert call.loss is not None
    lost = charge_of(call.loss)
    if not _covers(lost, call.cost):
        return f"{call.name} costs {call.cost}, and its loss says {lost}"
    return None


def _covers(charge: Charge, needed: Charge) -> bool:
    names = ("epsilon", "rho", "delta")
    return all(_is_within(getattr(needed, name), getattr(charge, name)) for name in names)


def _is_within(needed: Any, charged: Any) -> bool:
    if not (math.isfinite(needed) and math.isfinite(charged)):
        return bool(charged == math.inf)
    return Fraction(needed) <= Fraction(charged) * SLACK
