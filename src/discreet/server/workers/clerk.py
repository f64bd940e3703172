"""The clerk: what a worker process does for the doors. It speaks for one analyst at a time, and holds the curator."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.answers import Answer, Field
from discreet.answers.numbers import format_price
from discreet.base.errors import BudgetError, QueryError
from discreet.base.exact import write_exact
from discreet.base.rounding import float_up
from discreet.base.types import Type
from discreet.curator import Curator
from discreet.curator.asking.prepared import Prepared
from discreet.curator.bounds import FoundBounds, PreparedBounds
from discreet.curator.owner.tables import Tables
from discreet.curator.session import Session
from discreet.query.candidates import CandidateRange
from discreet.server.questions import AnyAsked, Asked, AskedBounds, AskedChoice, Delivered, Described, Preview
from discreet.server.workers.own_entries import OwnEntries, OwnEntry
from discreet.server.workers.owner_clerk import OwnerClerk
from discreet.server.workers.previews import PRICES, preview_question

LONGEST_QUESTION = 100_000
"""Letters of a question that are read."""

LONGEST_EXPONENT = 4
"""Letters of an amount's exponent: 1e-999 is read at once, and 1e999999999 would keep the process busy for hours."""


Identities = frozenset[str]
NONE: Identities = frozenset()


@dataclass(frozen=True, slots=True)
class Planned:
    """What is known of a question before it is charged: what it is for the ledger, and its public time in seconds."""

    identity: str
    seconds: float
    amount: float
    """What it takes of a login's cap: its epsilon, or the epsilon whose zCDP is its rho."""


class Clerk:
    """Answers for the doors. Threads may share it; nothing it returns or raises tells of other analysts."""

    def __init__(self, path: str | Path) -> None:
        self._curator = Curator.open(path, operator=True, served=True)
        try:
            self._curator.open_engines()
        except BaseException:
            self._curator.close()
            raise
        self._own = OwnEntries(self._curator.ledger)
        self.owner = OwnerClerk(self._curator)
        """What is done for owners alone."""

    def close(self) -> None:
        """Wait for what still runs, then let go of the tables."""
        self._curator.close()

    def describe(self, analyst: str, asked: AnyAsked, held: Identities = NONE) -> Described:
        """Say what a question would give and cost: free. What is `held` back until its tick counts as unanswered."""
        prepared = self._prepare(self._curator.session(analyst, held), asked)
        if isinstance(prepared, PreparedBounds):
            raise QueryError("bounds are found or not, whatever is asked; there is nothing to explain")
        return Described(prepared.fields, str(prepared.explain()))

    def preview(self, analyst: str, asked: Asked, held: Identities = NONE) -> Preview:
        """Return the price list of a question, and what it would give at its price where it names one: free."""
        session = self._curator.session(analyst, held)
        _check_length(asked)

        def prepare(epsilon: str) -> Prepared:
            return _prepare_question(session, replace(asked, epsilon=epsilon))

        return preview_question(session, prepare, asked)

    def ask(self, analyst: str, asked: AnyAsked, most: float | None, planned: Callable[[Planned], None]) -> Delivered:
        """Answer a question, a choice or bounds, all alike.

        `planned` is told before anything is charged, and `most` is what the login may spend.
        """
        session = self._curator.session(analyst)
        prepared = self._prepare(session, asked)
        if asked.fresh and not asked.key:
            raise QueryError("fresh noise needs an idempotency key, so that a repeated request is not paid for twice")
        if not 0 < asked.confidence < 1:  # said before the charge, which would else be told as a refusal
            raise QueryError(f"confidence is {asked.confidence:g}; write a number between 0 and 1, such as 0.95")
        seconds = session.find_public_time(prepared.operation.plans())
        assert seconds is not None
        amount = _measure_amount(prepared)
        planned(Planned(prepared.request.identity, seconds, amount))
        if most is not None and amount > most and (asked.fresh or not session.has_paid(prepared.request)):
            raise BudgetError(f"this login may spend epsilon {most:.4g} more at most; ask for less, or log in again")
        if isinstance(prepared, PreparedBounds):
            answer = _write_bounds(prepared.find(), asked.text)
        else:
            answer = prepared.ask(fresh=asked.fresh, key=asked.key)
        bounds = answer.bounds_at(asked.confidence, asked.simultaneous)
        said = (answer.guarantee, answer.notes, answer.question)
        chosen = answer.accuracy
        accuracy = None if chosen is None else (chosen.score, chosen.count, chosen.bound(float_up(asked.confidence)))
        counted = answer.left_out
        left = (
            None if counted is None else (counted.words, counted.value, counted.half_width(float_up(asked.confidence)))
        )
        receipt = self._own.write_receipt(answer.receipt, analyst)
        return Delivered(answer.fields, answer.rows, bounds, *said, receipt, accuracy, left)

    def list_tables(self, analyst: str, held: Identities = NONE) -> Tables:
        """Return what is public about the tables that an analyst may ask."""
        return self._curator.session(analyst).tables

    def read_budget(self, analyst: str, held: Identities = NONE) -> dict[str, Any]:
        """Return what an analyst has spent and has left, of their own cap alone.

        Whether they are suspended is told when nothing is held back: what failed is told on its tick.
        """
        budget = self._curator.session(analyst).budget
        share = budget.total
        parts = {name: {"spent": spent, "cap": cap} for name, (spent, cap) in share.parts.items()}
        return {
            "analyst": analyst,
            "epsilon": float(share.epsilon),
            "delta": float(share.delta),
            "spent": share.spent,
            "left": share.left,
            "parts": parts,
            "exact": {
                "epsilon": write_exact(share.epsilon),
                "delta": write_exact(share.delta),
                "spent": [write_exact(each) for each in share.filter.spent],
            },
            "suspended": bool(budget.suspended) and not held,
            "questions": {price: budget.questions(Fraction(price)) for price in PRICES},
            "text": "\n".join(share.describe(len(share.name))),
        }

    def list_entries(self, analyst: str, held: Identities = NONE) -> list[OwnEntry]:
        """Return what an analyst has paid for, but what is held back until its tick."""
        return [each for each in self._own.list(analyst) if each.identity not in held]

    def _prepare(self, session: Session, asked: AnyAsked) -> Prepared | PreparedBounds:
        _check_length(asked)
        if isinstance(asked, AskedBounds):
            epsilon = _read_amount("epsilon", asked.epsilon)
            if epsilon is None:
                raise QueryError("say how much privacy to spend on these bounds, such as epsilon=0.1")
            return session.prepare_bounds(asked.column, epsilon)
        if isinstance(asked, AskedChoice):
            return _prepare_choice(session, asked)
        return _prepare_question(session, asked)


def _check_length(asked: AnyAsked) -> None:
    if len(asked.text) > LONGEST_QUESTION:
        raise QueryError(f"the question has more than {LONGEST_QUESTION:,} letters; ask for less at once")


def _prepare_question(session: Session, asked: Asked) -> Prepared:
    return session.prepare(
        asked.sql,
        _read_amount("epsilon", asked.epsilon),
        rho=_read_amount("rho", asked.rho),
        within=asked.within,
        params=asked.params,
        clamping=asked.clamping,
        keys=None if asked.keys is None else list(asked.keys),
        key_delta=_read_amount("key_delta", asked.key_delta),
        max_rows=asked.max_rows,
        max_groups=asked.max_groups,
        max_rows_per_group=asked.max_rows_per_group,
        left_out=asked.left_out,
    )


def _prepare_choice(session: Session, asked: AskedChoice) -> Prepared:
    return session.prepare_choice(
        asked.candidates if asked.span is None else CandidateRange(*asked.span),
        asked.score,
        _read_amount("epsilon", asked.epsilon),
        rho=_read_amount("rho", asked.rho),
        within=asked.within,
        table=asked.table,
        largest=asked.largest,
        count=asked.count,
        params=asked.params,
        max_rows=asked.max_rows,
        max_groups=asked.max_groups,
        max_rows_per_group=asked.max_rows_per_group,
    )


def _write_bounds(found: FoundBounds, text: str) -> Answer:
    """Return bounds as a table of one row; its ends are powers of two, which floats hold."""
    none = "none: the ends of bins that stand out of the noise"
    ends = (Field(name, Type.FLOAT, True, none) for name in ("lower", "upper"))
    row = (found.column, *(None if end is None else float(end) for end in (found.lower, found.upper)))
    guarantee = f"{format_price(found.receipt.charge.epsilon)}-differentially private"
    return Answer((Field("column", Type.TEXT, False), *ends), (row,), found.receipt, guarantee, text)


def _read_amount(name: str, text: str | None) -> Fraction | None:
    """Return an amount that was sent as text, exactly."""
    if text is None:
        return None
    try:
        if len(text) > 40 or len(text.lower().partition("e")[2]) > LONGEST_EXPONENT:
            raise ValueError
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise QueryError(f"{name} is {text[:40]!r}; write a number above 0, such as 0.1") from None


def _measure_amount(prepared: Prepared | PreparedBounds) -> float:
    if isinstance(prepared, PreparedBounds):
        return float(prepared.operation.charge.epsilon)
    target = float(prepared.priced.target)
    return math.sqrt(2 * target) if prepared.priced.by_rho else target
