"""Verification: everything in the ledger is recomputed from its chain, and the chain is held against a receipt."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from discreet.answers.receipt import Mark, Receipt
from discreet.base.canonical import hash_bytes
from discreet.base.errors import DiscreetError
from discreet.base.showing import ShownAsText
from discreet.ledger.database import Database, LargeResults
from discreet.ledger.entries import chain, totals
from discreet.ledger.entries.leftovers import Leftover, find_leftovers
from discreet.ledger.entries.part_names import PART
from discreet.ledger.entries.recompute import Recomputed
from discreet.ledger.places import Place, open_store

UNPROVEN = (
    "without a receipt, a chain that was cut or rewritten as a whole, with every table fitted to it, or an older copy "
    "put back, cannot be told from a true one"
)


@dataclass(frozen=True, slots=True, repr=False)
class Verification(ShownAsText):
    """What was found: the chain's end, every problem in plain words, and what this check could not have found."""

    entries: int
    head: str
    problems: tuple[str, ...]
    unproven: str | None
    proven: int | None = None
    """The entry that the receipt was given for, in the ledger's own numbers: an analyst's receipt has theirs."""
    left: tuple[Leftover, ...] = ()
    """What nothing names: nobody touched it. Runs that died left it, or that live are about to name it."""

    @property
    def ok(self) -> bool:
        """Whether no problem was found."""
        return not self.problems

    def __str__(self) -> str:
        head = f"head: {self.entries}:{self.head}"
        if not self.ok:
            return "\n".join(["this ledger was touched", *(f"  {problem}" for problem in self.problems), head])
        proven = "" if self.proven is None else f"; the receipt's entry {self.proven} is there"
        notes = [f"note: {each}" for each in (self.unproven, self.describe_left()) if each is not None]
        return "\n".join([f"{self.entries} entries, all as the chain says{proven}", head, *notes])

    def describe_left(self) -> str | None:
        """Say what nothing names, and what to do about it; None where there is nothing."""
        if not self.left:
            return None
        many = "1 part" if len(self.left) == 1 else f"{len(self.left):,} parts"
        size = sum(each.bytes for each in self.left)
        return (
            f"{many} of results, {size:,} bytes, that nothing names, such as {self.left[0].name}: left by a run that "
            "died, and told to nobody. `discreet ledger --sweep` removes them once nothing runs"
        )


def verify_place(place: Place, receipt: Receipt | Mark | None = None) -> Verification:
    """Verify the ledger at a place, without its policy and even where it is too damaged to be opened for asking."""
    with contextlib.closing(open_store(place)) as opened, opened.scanning() as db:
        mark = receipt.mark if isinstance(receipt, Receipt) else receipt
        return verify(db, opened.counted, mark, opened.results)


def verify(
    db: Database, counted: str, receipt: Mark | None = None, results: LargeResults | None = None
) -> Verification:
    """Recompute every hash, number, total and digest from the chain, and hold it against the receipt.

    `counted` is the query for how many entries the database itself has counted: a second witness for the chain's end.
    Found always: an edited, missing, doubled or reordered entry; a tail cut without fitting every table to it; totals,
    prices, payments, journals, answers, parts of results and states that are not what the chain says. Found with a
    receipt from then or later: a cut tail, a rewritten chain, an older copy, however well they are made. A receipt is
    found by its hash, which covers the entry's number: what analysts get from a server has numbers of their own.
    """
    end, head = db.execute("SELECT number, hash FROM head").fetchone() or (0, chain.GENESIS)
    proven = None if receipt is None else _find(db, receipt)
    wanted = Recomputed()
    problems = [*_links(db, counted), *_hold(end, receipt, proven), *_follow(db, wanted), *_tables(db, wanted, results)]
    left = tuple(find_leftovers(db, wanted.parts, set(wanted.answers.values()), results))
    return Verification(end, head, tuple(problems), UNPROVEN if receipt is None else None, proven, left)


def _find(db: Database, receipt: Mark) -> int | None:
    return next((entry.number for entry in chain.read(db) if entry.hash == receipt.head), None)


def _hold(end: int, receipt: Mark | None, proven: int | None) -> Iterator[str]:
    """Say what is wrong with the chain beside a receipt."""
    if receipt is None or proven is not None:
        return
    if receipt.entry > end:
        yield f"the receipt is for entry {receipt.entry}, but the chain ends at {end}: its tail was cut"
    else:
        yield "no entry is the one on the receipt: the chain was rewritten, or its tail was cut"


def _links(db: Database, counted: str) -> Iterator[str]:
    """Say what is wrong with the chain itself."""
    number, previous = 0, chain.GENESIS
    for entry in chain.read(db):
        if entry.number != number + 1:
            yield f"entries {number + 1} to {entry.number - 1} are missing"
        elif entry.hash != chain.hash_entry(previous, entry.number, entry.kind, entry.at, entry.text):
            yield f"entry {entry.number} was edited: it does not have the hash that the chain gives it"
        number, previous = entry.number, entry.hash
    told = db.execute("SELECT number, hash FROM head").fetchall()
    if told != [(number, previous)]:
        yield f"the chain ends at entry {number}, but the ledger's head says otherwise: its tail was cut or edited"
    if db.execute(counted).fetchall() != [(number,)]:
        yield f"the chain ends at entry {number}, but the database counted another number of entries: its tail was cut"


def _follow(db: Database, wanted: Recomputed) -> Iterator[str]:
    """Take the whole chain in, and say what in it contradicts itself."""
    for entry in chain.read(db):
        try:
            yield from wanted.follow(entry)
        except (DiscreetError, KeyError, TypeError, AttributeError, json.JSONDecodeError):
            yield f"entry {entry.number} cannot be read"


def _tables(db: Database, wanted: Recomputed, results: LargeResults | None) -> Iterator[str]:
    """Say where the tables, and what lies beside them, differ from what the chain says."""
    sums = {who: tuple(rest) for who, *rest in db.execute("SELECT who, epsilon, rho, delta FROM totals")}
    if sums != {who: tuple(totals.write_sums(found)) for who, found in wanted.sums.items()}:
        yield "the running totals are not the sums of the charges in the chain"
    charges = {
        row[0]: row[1:]
        for row in db.execute("SELECT entry, question, epsilon, rho, delta, record, deaths FROM charges")
    }
    yield from _differing("the charge of entry", charges, {entry: each.row for entry, each in wanted.charges.items()})
    if set(db.execute("SELECT charge, who FROM payments")) != wanted.payments:
        yield "who has paid for which answer is not what the chain says"
    named: set[str] = set()
    journal = {}
    for charge, position, call, result in db.execute("SELECT charge, position, call, result FROM journal"):
        journal[charge, position] = (call, hash_bytes(result))
        named.update(wanted.parts.find(charge, bytes(result)))
    yield from _differing("the journal of entry and position", journal, wanted.journal)
    paid = {each.record: charge for charge, each in wanted.charges.items()}
    answers = {}
    for number, answer in db.execute("SELECT record, answer FROM answers"):
        data = _read_answer(answer, wanted.answers.get(number, ""), results)
        answers[number] = "" if data is None else hash_bytes(data)
        named.update(wanted.parts.find(paid.get(number, 0), data or b""))
    yield from _differing("the answer of entry", answers, wanted.answers)
    states = {
        name: (entry, hash_bytes(value)) for name, entry, value in db.execute("SELECT name, entry, value FROM states")
    }
    yield from _differing("the state", _without_parts(states), _without_parts(wanted.states))
    yield from _check_parts(named, states, wanted, results)


def _check_parts(
    named: set[str], states: dict[str, tuple[int, str]], wanted: Recomputed, results: LargeResults | None
) -> Iterator[str]:
    """Say which parts of results are missing or were changed: each is what its name, its hash, says."""
    kept: dict[str, Any] = _take_parts(states)
    known: dict[str, Any] = {name: name for name in named} | _take_parts(wanted.states)
    if results is not None:
        beside = {name for name in results.list_names() if wanted.parts.holds(name)} - {*wanted.answers.values()}
        for name in sorted(named | beside):
            if results.find_size(name) is not None:
                kept[name] = "" if _read_beside(name, results) is None else name
            known[name] = name
    yield from _differing("the part", kept, known)


def _take_parts(states: dict[str, tuple[int, str]]) -> dict[str, tuple[int, str]]:
    """Return the states that are parts of results, by the parts' own names."""
    return {name.removeprefix(PART): value for name, value in states.items() if name.startswith(PART)}


def _without_parts(states: dict[str, tuple[int, str]]) -> dict[str, tuple[int, str]]:
    """Return states other than parts of results, which are checked by themselves."""
    return {name: value for name, value in states.items() if not name.startswith(PART)}


def _differing(what: str, found: dict[Any, Any], wanted: dict[Any, Any]) -> Iterator[str]:
    for key in sorted({*found, *wanted}):
        if key not in found:
            yield f"{what} {key} is missing"
        elif key not in wanted:
            yield f"{what} {key} is not in the chain"
        elif found[key] != wanted[key]:
            yield f"{what} {key} was edited"


def _read_answer(answer: bytes | None, name: str, results: LargeResults | None) -> bytes | None:
    """Return an answer: of the row, or of the file that the chain names; None where that is missing or was changed."""
    return bytes(answer) if answer is not None else _read_beside(name, results)


def _read_beside(name: str, results: LargeResults | None) -> bytes | None:
    """Return what lies beside the database under its hash; None where it is missing or was changed."""
    try:
        return results.read(name) if results is not None and name else None
    except (DiscreetError, OSError):
        return None
