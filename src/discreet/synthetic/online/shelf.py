"""What the ledger knows of earlier counts: which cells a charge paid for, with which noise, and whether it is recorded.

What a question counts is kept beside its identity, as a small durable value that is written with its first charge and
stands before it in the chain. So a charge that has none was no such question, any process reads the same book from the
ledger, and a question that is refused writes nothing.
"""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.base.canonical import write_json
from discreet.base.exact import read_exact
from discreet.ledger import Keepsake, Ledger
from discreet.mechanisms import Gaussian, Laplace
from discreet.privacy.charges import Charge
from discreet.synthetic.online.book import Book
from discreet.synthetic.online.counts import CellCounts, Release
from discreet.synthetic.online.tails import CountNoise

VERSION = 1
COUNTS, PURCHASE = "online counts ", "online histogram "


@dataclass(frozen=True)
class Bought:
    """How a histogram was bought: its question's identity, and the amount that was asked for, in which currency."""

    identity: str
    currency: str
    amount: Fraction


class Shelf:
    """The books of all frames, read from a ledger as far as it was written."""

    def __init__(self) -> None:
        self._read = 0
        self._noted: set[str] = set()
        self._releases: dict[int, tuple[str, str, Release]] = {}
        self._books: dict[tuple[str, float], Book] = {}
        self._purchases: dict[int, Bought] = {}

    def update(self, ledger: Ledger) -> None:
        """Read what was written into the ledger since the last time."""
        for entry in ledger.entries(self._read + 1):
            if entry.kind == "STATE" and entry.body["name"].startswith(COUNTS):
                self._noted.add(entry.body["name"].removeprefix(COUNTS))
            elif entry.kind == "CHARGE" and entry.body["question"] in self._noted:
                self._add(ledger, entry.number, entry.body)
            elif entry.kind == "RECORD" and entry.body["charge"] in self._releases:
                frame, table, release = self._releases[entry.body["charge"]]
                self._replace(entry.body["charge"], (frame, table, replace(release, recorded=True)))
            self._read = entry.number

    def find_book(self, frame: str, miss: float) -> Book:
        """Return the releases of one frame, in the order of their charges."""
        if (frame, miss) not in self._books:
            book = Book(miss)
            book.releases.extend(release for name, _, release in self._releases.values() if name == frame)
            self._books[frame, miss] = book
        return self._books[frame, miss]

    def find_purchase(self, entry: int) -> Bought:
        """Return how the histogram of this charge was bought."""
        return self._purchases[entry]

    def list_bought(self, table: str) -> list[Charge]:
        """Return the charges of all histograms of a table, of whatever version and frame."""
        return [release.charge for _, name, release in self._releases.values() if name == table and release.bought]

    def _add(self, ledger: Ledger, number: int, body: dict[str, Any]) -> None:
        note = _read_note(ledger, body["question"])
        if note is None:
            return
        charge = Charge(*(read_exact(body[name]) for name in ("epsilon", "rho", "delta")))
        shape = tuple(note["shape"])
        counts = CellCounts(shape, _unpack(note["labels"]), note["groups"])
        amount = None if note["bought"] is None else (note["bought"][0], Fraction(note["bought"][1]))
        noise, identity = _read_noise(note["noise"]), body["question"]
        release = Release(counts, noise, charge, number, amount is not None, recorded=False)
        if amount is not None:
            self._purchases[number] = Bought(identity, *amount)
        self._releases[number] = (note["frame"], note["table"], release)
        for (frame, _), book in self._books.items():
            if frame == note["frame"]:
                book.releases.append(release)

    def _replace(self, number: int, found: tuple[str, str, Release]) -> None:
        self._releases[number] = found
        for (frame, _), book in self._books.items():
            if frame == found[0]:
                book.releases[:] = [found[2] if each.entry == number else each for each in book.releases]


def note_counts(
    identity: str, frame: str, table: str, counts: CellCounts, noise: CountNoise, bought: tuple[str, Fraction] | None
) -> Keepsake:
    """Return what is kept beside a question's identity: what it counts, and at which amount a histogram is bought."""
    kind, scale = ("laplace", noise.scale) if isinstance(noise, Laplace) else ("gaussian", noise.sigma)
    note = {
        "version": VERSION,
        "frame": frame,
        "table": table,
        "shape": list(counts.shape),
        "labels": base64.b64encode(zlib.compress(counts.labels.astype("<i4").tobytes(), 6)).decode(),
        "groups": counts.groups,
        "noise": [kind, repr(float(scale))],
        "bought": None if bought is None else [bought[0], str(bought[1])],
    }
    return Keepsake(f"{COUNTS}{identity}", write_json(note).encode())


def note_purchase(table: str, number: int, identity: str) -> Keepsake:
    """Return what makes a purchase the only one of its number: one charge at most ever has it, whoever pays."""
    return Keepsake(f"{PURCHASE}{number} of {table}", identity.encode(), once=True)


def _read_note(ledger: Ledger, identity: str) -> dict[str, Any] | None:
    """Return what is kept beside an identity; None where another version of this program wrote it."""
    written = ledger.get_state(f"{COUNTS}{identity}")
    note: dict[str, Any] | None = None if written is None else json.loads(written)
    return note if note is not None and note.get("version") == VERSION else None


def _unpack(text: str) -> np.ndarray[Any, np.dtype[np.int32]]:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype="<i4").astype(np.int32)


def _read_noise(written: list[str]) -> CountNoise:
    kind, scale = written
    return Laplace(float(scale)) if kind == "laplace" else Gaussian(float(scale))
