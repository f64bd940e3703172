"""What the ledger knows of earlier counts: which cells a charge paid for, with which noise, and whether it is recorded.

What a question counts is written beside its identity, as a small durable value, before the question is charged. So a
charge that has none was no such question, and any process reads the same book from the ledger.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from discreet.base.canonical import write_json
from discreet.base.exact import read_exact
from discreet.ledger import Ledger
from discreet.mechanisms import Gaussian, Laplace
from discreet.privacy.charges import Charge
from discreet.synthetic.online.book import Book
from discreet.synthetic.online.counts import CellCounts, Release
from discreet.synthetic.online.tails import CountNoise

VERSION = 1


class Shelf:
    """The books of all frames, read from a ledger as far as it was written."""

    def __init__(self) -> None:
        self._read = 0
        self._known: dict[str, dict[str, Any] | None] = {}
        self._releases: dict[int, tuple[str, str, Release]] = {}
        self._books: dict[tuple[str, float], Book] = {}

    def update(self, ledger: Ledger) -> None:
        """Read what was written into the ledger since the last time."""
        for entry in ledger.entries(self._read + 1):
            if entry.kind == "CHARGE":
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

    def list_bought(self, table: str) -> Iterable[Charge]:
        """Return the charges of all histograms of a table, of whatever version and frame."""
        return [release.charge for _, name, release in self._releases.values() if name == table and release.bought]

    def _add(self, ledger: Ledger, number: int, body: dict[str, Any]) -> None:
        note = read_note(ledger, body["question"]) if body.get("kind") == "sql" else None
        if note is None:
            return
        charge = Charge(*(read_exact(body[name]) for name in ("epsilon", "rho", "delta")))
        shape = tuple(note["shape"])
        counts = CellCounts(shape, _unpack(note["labels"]), note["groups"])
        release = Release(counts, _read_noise(note["noise"]), charge, number, note["bought"], recorded=False)
        self._releases[number] = (note["frame"], note["table"], release)
        for (frame, _), book in self._books.items():
            if frame == note["frame"]:
                book.releases.append(release)

    def _replace(self, number: int, found: tuple[str, str, Release]) -> None:
        self._releases[number] = found
        for (frame, _), book in self._books.items():
            if frame == found[0]:
                book.releases[:] = [found[2] if each.entry == number else each for each in book.releases]


def write_note(
    ledger: Ledger, identity: str, frame: str, table: str, counts: CellCounts, noise: CountNoise, bought: bool
) -> None:
    """Write beside a question's identity what it counts, before it is charged; once is enough."""
    if ledger.get_state(_name(identity)) is not None:
        return
    kind, scale = ("laplace", noise.scale) if isinstance(noise, Laplace) else ("gaussian", noise.sigma)
    note = {
        "version": VERSION,
        "frame": frame,
        "table": table,
        "shape": list(counts.shape),
        "labels": base64.b64encode(zlib.compress(counts.labels.astype("<i4").tobytes(), 6)).decode(),
        "groups": counts.groups,
        "noise": [kind, repr(float(scale))],
        "bought": bought,
    }
    ledger.set_state(_name(identity), write_json(note).encode())


def read_note(ledger: Ledger, identity: str) -> dict[str, Any] | None:
    """Return what was written beside an identity; None where nothing was, or by another version of this program."""
    written = ledger.get_state(_name(identity))
    note: dict[str, Any] | None = None if written is None else json.loads(written)
    return note if note is not None and note.get("version") == VERSION else None


def _name(identity: str) -> str:
    return f"online {identity}"


def _unpack(text: str) -> np.ndarray[Any, np.dtype[np.int32]]:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype="<i4").astype(np.int32)


def _read_noise(written: list[str]) -> CountNoise:
    kind, scale = written
    return Laplace(float(scale)) if kind == "laplace" else Gaussian(float(scale))
