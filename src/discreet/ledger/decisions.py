"""The decisions: what an asking costs and whether it fits, each inside the transaction that makes it durable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from discreet.answers.receipt import CHARGED, FREE, SHARED, Receipt
from discreet.base.canonical import hash_bytes
from discreet.base.errors import BudgetError, LedgerError, ParameterError
from discreet.ledger import chain, claims, suspensions, totals
from discreet.ledger.chain import Entry
from discreet.ledger.claims import Asked, Claim, Question
from discreet.ledger.database import Database, Lease, Leases
from discreet.ledger.facts import LedgerFacts
from discreet.ledger.steps import step
from discreet.privacy.budget import BudgetFilter
from discreet.privacy.charges import Charge


class Decisions:
    """The rules of one budget, as the policy's facts give it. Every method works inside its caller's transaction."""

    def __init__(self, facts: LedgerFacts, leases: Leases, lease_seconds: float, clock: Callable[[], float]) -> None:
        self.total, self.caps = facts.total, facts.filters
        self._leases, self._lease_seconds, self._clock = leases, lease_seconds, clock

    def decide(self, db: Database, question: Question, price: Charge, who: str, fresh: bool) -> Claim | int:
        """Return a claim, or the number of the charge to wait for; whoever is suspended gets neither."""
        suspensions.refuse(db, who)
        if not fresh:
            if found := claims.answered(db, question.hash):
                return self._found(db, found, who)
            if begun := claims.unanswered(db, question.hash, price):
                return begun.entry if self.alive(begun) else self._take_over(db, begun, who)
        return self._pay(db, question, price, who, fresh)

    def record(self, db: Database, claim: Claim, lease: Lease, answer: bytes) -> Entry:
        """Write the one answer of a charge, or raise if the claim was overtaken or its analyst suspended meanwhile."""
        suspensions.refuse(db, claim.analyst or totals.TOTAL)
        now = claims.numbered(db, claim.entry)
        if now is None or now.record is not None or now.token != lease.token:
            raise LedgerError(f"the lease on entry {claim.entry} was lost; its charge stays. Ask again")
        digest = hash_bytes(answer)
        body = {"charge": claim.entry, "answer": digest, "bytes": len(answer), "analyst": claim.analyst}
        entry = chain.append(db, chain.RECORD, self.now(), body)
        db.execute("INSERT INTO answers VALUES (?, ?)", (entry.number, answer))
        db.execute("UPDATE charges SET record = ?, token = NULL WHERE entry = ?", (entry.number, claim.entry))
        step("recording")
        return entry

    def named(self, analyst: str | None) -> str:
        """Return the name under which an analyst's spending stands; where there are caps, everybody named has one."""
        if analyst is None:
            return totals.TOTAL
        if not isinstance(analyst, str) or not analyst or "\0" in analyst:
            raise ParameterError("analyst", analyst, "a name that is not empty and has no NUL, or None")
        if self.caps and analyst not in self.caps:
            raise BudgetError(f"analyst {analyst!r} has no cap in the policy: add one under [analysts]")
        return analyst

    def alive(self, asked: Asked) -> bool:
        """Say whether somebody runs this charge: in time, and still holding the lock that a crash would free."""
        if asked.token is None or asked.expires is None:
            return False
        return self._clock() < asked.expires and self._leases.alive(asked.token)

    def now(self) -> str:
        """Return the time that entries carry."""
        return time_text(self._clock())

    def _found(self, db: Database, found: Asked, who: str) -> Claim:
        assert found.record is not None
        row = db.execute("SELECT answer FROM answers WHERE record = ?", (found.record,)).fetchone()
        record = chain.get(db, found.record)
        if row is None or record is None or hash_bytes(row[0]) != record.body.get("answer"):
            raise LedgerError(f"the answer of entry {found.record} is damaged: run `discreet ledger --verify`")
        share = self._share(db, found, who)
        paid, mark = (SHARED, share.mark) if share else (FREE, record.mark)
        receipt = Receipt(mark, who or None, found.charge, paid)
        return Claim(found.entry, found.charge, who or None, paid, bytes(row[0]), receipt)

    def _take_over(self, db: Database, begun: Asked, who: str) -> Claim:
        share = self._share(db, begun, who)
        chain.append(db, chain.RETRY, self.now(), {"charge": begun.entry, "analyst": who or None})
        claim = self._leased(db, begun.entry, begun.charge, who, SHARED if share else FREE)
        self._leases.forget(begun.token or "-")
        step("taking over")
        return claim

    def _share(self, db: Database, asked: Asked, who: str) -> Entry | None:
        """Charge the asker's own cap for another's answer, unless they have paid for it or have no cap."""
        if who not in self.caps or claims.has_paid(db, asked.entry, who):
            return None
        own = totals.after(db, who, self.caps[who], asked.charge)
        if own is None:
            raise BudgetError(self._refusal(db, asked.charge, who, shared=True))
        body = {"charge": asked.entry, "analyst": who, **totals.texts(asked.charge), "own": totals.write(db, who, own)}
        db.execute("INSERT INTO payments VALUES (?, ?)", (asked.entry, who))
        entry = chain.append(db, chain.SHARE, self.now(), body)
        step("sharing")
        return entry

    def _pay(self, db: Database, question: Question, price: Charge, who: str, fresh: bool) -> Claim:
        _check_total(db)
        total = totals.after(db, totals.TOTAL, self.total, price)
        own = totals.after(db, who, self.caps.get(who), price) if who else totals.NOTHING
        if total is None or own is None:
            raise BudgetError(self._refusal(db, price, who, shared=False))
        body = {
            "question": question.hash,
            "version": question.version,
            "text": question.text,
            "analyst": who or None,
            "fresh": fresh,
            **totals.texts(price),
            "total": totals.write(db, totals.TOTAL, total),
            "own": totals.write(db, who, own) if who else None,
        }
        entry = chain.append(db, chain.CHARGE, self.now(), body).number
        row = (entry, question.hash, *totals.texts(price).values())
        db.execute("INSERT INTO charges (entry, question, epsilon, rho, delta) VALUES (?, ?, ?, ?, ?)", row)
        db.execute("INSERT INTO payments VALUES (?, ?)", (entry, who))
        claim = self._leased(db, entry, price, who, CHARGED)
        step("charging")
        return claim

    def _leased(self, db: Database, entry: int, charge: Charge, who: str, paid: str) -> Claim:
        lease = self._leases.take()
        expires = self._clock() + self._lease_seconds
        db.execute("UPDATE charges SET token = ?, expires = ? WHERE entry = ?", (lease.token, expires, entry))
        return Claim(entry, charge, who or None, paid, lease=lease)

    def _refusal(self, db: Database, charge: Charge, who: str, *, shared: bool) -> str:
        asked = ", ".join(f"{name} {float(getattr(charge, name)):.6g}" for name in ("epsilon", "rho", "delta"))
        left = [] if shared else [f"{_left(db, totals.TOTAL, self.total)} of the budget"]
        left += [f"{_left(db, who, self.caps[who])} of the own cap of {who!r}"] if who in self.caps else []
        return (
            f"this question costs {asked} and does not fit into what is left: {' and '.join(left)}. "
            "Ask with a smaller epsilon, or ask the owner to raise the budget in the policy"
        )


def time_text(seconds: float) -> str:
    """Return a time in UTC, to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def _check_total(db: Database) -> None:
    """Refuse to decide by a total that is not what the newest charge states in the chain, which nobody can rewrite."""
    (newest,) = db.execute("SELECT max(entry) FROM charges").fetchone()
    charge = chain.get(db, newest) if newest else None
    stated = charge.body.get("total") if charge else totals.sum_texts(totals.NOTHING)
    if stated != totals.sum_texts(totals.read(db, totals.TOTAL)):
        raise LedgerError("the running totals are not what was charged: run `discreet ledger --verify`")


def _left(db: Database, who: str, cap: BudgetFilter) -> str:
    return f"{replace(cap, spent=totals.read(db, who)).remaining():.2%}"
