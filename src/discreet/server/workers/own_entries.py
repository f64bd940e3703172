"""What each analyst has paid for, in numbers of their own: those of the ledger would tell how much others ask."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import Any

from discreet.answers.receipt import FREE, Receipt
from discreet.base.exact import write_exact
from discreet.ledger import Entry, Ledger
from discreet.ledger.entries.chain import CHARGE, RECORD, SHARE

CURRENCIES = ("epsilon", "rho", "delta")

FIRST = 1
"""The number of the entry with which a ledger begins."""


@dataclass(frozen=True, slots=True)
class OwnEntry:
    """One answer that an analyst paid for, with the ledger's or with another's noise: that is not told."""

    number: int
    at: str
    text: str
    price: dict[str, str]
    """Exact amounts of each currency."""

    hash: str
    """The chain's hash where they paid, or where the answer was recorded: as on its receipt."""

    identity: str
    """What was asked, as the ledger knows it; not told."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {"number": self.number, "at": self.at, "question": self.text, **self.price, "hash": self.hash}


class OwnEntries:
    """Reads the ledger's chain on and on, and keeps what each analyst has paid for. Threads may share it."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger, self._lock, self._next = ledger, threading.Lock(), 1
        self._entries: dict[str, list[OwnEntry]] = {}
        self._numbers: dict[tuple[str, int], int] = {}
        self._charges: dict[int, int] = {}
        self._identities: dict[int, str] = {}

    def list(self, analyst: str) -> list[OwnEntry]:
        """Return what an analyst has paid for, the first first."""
        with self._lock:
            self._read_on()
            return list(self._entries.get(analyst, ()))

    def write_receipt(self, receipt: Receipt, analyst: str) -> dict[str, Any]:
        """Return the receipt of an answer as its analyst sees it: one word whether they or others paid the total.

        It has the hash of their own entry, whenever they ask: that of another's record would tell that there is one.
        What is free for everybody has the mark of the ledger's first entry, which is there before anybody asks.
        """
        with self._lock:
            self._read_on()
            charge = self._charges.get(receipt.entry, receipt.entry)
            number = self._numbers.get((analyst, charge))
            if number is None:
                assert receipt.entry == FIRST, "an answer that this analyst has not paid for"
                number, head = FIRST, receipt.head
            else:
                head = self._entries[analyst][number - 1].hash
        price = {name: write_exact(getattr(receipt.charge, name)) for name in CURRENCIES}
        paid = "free" if receipt.paid == FREE else "charged"
        return {"receipt": f"{number}:{head}", "analyst": analyst, "paid": paid, **price}

    def _read_on(self) -> None:
        for entry in self._ledger.entries(self._next):
            self._next = entry.number + 1
            body = entry.body
            if entry.kind == CHARGE:
                self._identities[entry.number] = body["question"]
                self._add(entry, body, entry.number)
            elif entry.kind in (SHARE, RECORD):
                self._charges[entry.number] = body["charge"]
                if entry.kind == SHARE:
                    self._add(entry, body, body["charge"])
                else:
                    self._stamp(entry, body)

    def _stamp(self, entry: Entry, body: dict[str, Any]) -> None:
        """Give an entry the hash of its record, as its receipt has it."""
        who = body["analyst"] or ""
        number = self._numbers.get((who, body["charge"]))
        if number is not None:
            self._entries[who][number - 1] = replace(self._entries[who][number - 1], hash=entry.hash)

    def _add(self, entry: Entry, body: dict[str, Any], charge: int) -> None:
        who = body["analyst"] or ""
        mine = self._entries.setdefault(who, [])
        price = {name: body[name] for name in CURRENCIES}
        told = (f"{entry.at[:19]}Z", body.get("text", ""), price, entry.hash)
        mine.append(OwnEntry(len(mine) + 1, *told, self._identities[charge]))
        self._numbers[who, charge] = len(mine)
