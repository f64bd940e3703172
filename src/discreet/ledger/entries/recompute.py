"""What the tables of a ledger must hold, recomputed from its chain entry by entry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from discreet.base.canonical import hash_bytes
from discreet.ledger.entries import overruns, suspensions, totals
from discreet.ledger.entries.chain import (
    ALLOW,
    CHARGE,
    DEATH,
    MEASURE,
    OVERRUN,
    RECORD,
    RESUME,
    RETRY,
    SHARE,
    STATE,
    SUSPEND,
    SWEEP,
    Entry,
)
from discreet.ledger.entries.part_names import PART, PartNames
from discreet.privacy.filter import Sums

OF_AN_ANALYST = (CHARGE, SHARE, RETRY, RECORD, SUSPEND, RESUME)
"""Entries that are made for somebody, and not while they are suspended."""


@dataclass(slots=True)
class OpenCharge:
    """A charge as its entries tell it: what was asked at which price, how often its runs died, and its record."""

    question: str
    price: tuple[str, str, str]
    record: int | None = None
    deaths: int = 0

    @property
    def row(self) -> tuple[Any, ...]:
        """What the table of charges must hold of it."""
        return (self.question, *self.price, self.record, self.deaths)


@dataclass(slots=True)
class Recomputed:
    """What the tables must hold, according to the chain."""

    sums: dict[str, Sums] = field(default_factory=lambda: {totals.TOTAL: totals.NOTHING})
    charges: dict[int, OpenCharge] = field(default_factory=dict)
    payments: set[tuple[int, str]] = field(default_factory=set)
    journal: dict[tuple[int, int], tuple[str, str]] = field(default_factory=dict)
    answers: dict[int, str] = field(default_factory=dict)
    states: dict[str, tuple[int, str]] = field(default_factory=dict)
    parts: PartNames = field(default_factory=PartNames)

    def follow(self, entry: Entry) -> Iterator[str]:
        """Take one entry in, and say what in it contradicts those before."""
        body = entry.body
        if entry.kind in OF_AN_ANALYST:
            yield from self._follow_suspensions(entry.number, entry.kind, body)
        if entry.kind in (CHARGE, SHARE):
            yield from self._spend(entry.number, entry.kind, body)
        if entry.kind == CHARGE:
            price = (body["epsilon"], body["rho"], body["delta"])
            self.charges[entry.number] = OpenCharge(body["question"], price)
        elif entry.kind == STATE:
            self.states[body["name"]] = (entry.number, body["value"])
        elif entry.kind == SWEEP:
            self.states.pop(f"{PART}{body['part']}", None)
            if self.parts.holds(body["part"]):
                yield f"entry {entry.number} removed part {body['part']}, which a journal names"
        elif entry.kind in (RECORD, MEASURE, OVERRUN, DEATH, ALLOW):
            yield from self._follow_run(entry.number, entry.kind, body)

    def _follow_run(self, number: int, kind: str, body: dict[str, Any]) -> Iterator[str]:
        """Follow what happens to a charge between being made and being answered."""
        charge = self.charges.get(body["charge"])
        if charge is None or (charge.record is not None and kind != OVERRUN):
            yield f"entry {number} is about no open charge"
            return
        if kind == MEASURE:
            self.journal[body["charge"], body["position"]] = (body["call"], body["result"])
            self.parts.follow(body)
        elif kind == RECORD:
            charge.record = number
            self.answers[number] = body["answer"]
            self.journal = {key: row for key, row in self.journal.items() if key[0] != body["charge"]}
        elif kind == ALLOW:
            charge.deaths = 0
        else:
            charge.deaths += kind == DEATH
            name = overruns.name_state(body["analyst"] or totals.TOTAL)
            self.states[name] = (number, hash_bytes(overruns.write_count(body["count"])))

    def _follow_suspensions(self, number: int, kind: str, body: dict[str, Any]) -> Iterator[str]:
        """Between a suspension and its end, nothing happens for the analyst."""
        who = body.get("analyst") or totals.TOTAL
        name = suspensions.name_state(who)
        if (name in self.states) != (kind == RESUME):
            yield f"entry {number} is for somebody who was {'not suspended' if kind == RESUME else 'suspended'} then"
        if kind == SUSPEND:
            if body["charge"] not in self.charges:
                yield f"entry {number} suspends somebody for no charge"
            self.states[name] = (number, hash_bytes(suspensions.write_charge_number(body["charge"])))
        elif kind == RESUME:
            self.states.pop(name, None)
            self.states.pop(overruns.name_state(who), None)

    def _spend(self, number: int, kind: str, body: dict[str, Any]) -> Iterator[str]:
        charge = totals.read_charge(body["epsilon"], body["rho"], body["delta"])
        who = body["analyst"] or totals.TOTAL
        told = [(who, body["own"])] if who else []
        told += [(totals.TOTAL, body["total"])] if kind == CHARGE else []
        for name, sums in told:
            self.sums[name] = totals.add_charge(self.sums.get(name, totals.NOTHING), charge)
            if totals.write_sums(self.sums[name]) != sums:
                yield f"entry {number} does not add up to the totals that it states"
        self.payments.add((number if kind == CHARGE else body["charge"], who))
