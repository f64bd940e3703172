"""The decisions: what an asking costs and whether it fits, each inside the transaction that makes it durable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import isfinite

from discreet.answers.receipt import CHARGED, FREE, SHARED, Receipt
from discreet.base.canonical import hash_bytes
from discreet.base.errors import BudgetError, LedgerError, LostLeaseError, ParameterError, SuspendedError
from discreet.ledger.database import Database, Store
from discreet.ledger.entries import chain, claims, fresh_keys, journal, overruns, states, suspensions, totals
from discreet.ledger.entries.chain import Entry
from discreet.ledger.entries.claims import ChargeRow, Claim, Request
from discreet.ledger.facts import LedgerFacts
from discreet.ledger.steps import pass_step
from discreet.privacy.budget import BudgetFilter
from discreet.privacy.charges import Charge


@dataclass(frozen=True, slots=True)
class Waiting:
    """Why there is no claim yet: a charge that somebody runs, or one whose run was just found to have died."""

    entry: int
    died: bool = False
    share: Entry | None = None
    """Where the asker has paid their share just now: as soon as they wait, and not when the run ends."""


class Decisions:
    """The rules of one budget, as the policy's facts give it. Every method works inside its caller's transaction."""

    def __init__(self, facts: LedgerFacts, store: Store, lease_seconds: float, clock: Callable[[], float]) -> None:
        self.total, self.caps, self.lease_seconds = facts.total, facts.filters, lease_seconds
        self._leases, self._results, self._clock = store.leases, store.results, clock

    def decide(
        self,
        db: Database,
        request: Request,
        price: Charge,
        who: str,
        fresh: bool,
        keep: Sequence[states.Keepsake] = (),
        key: str | None = None,
    ) -> Claim | Waiting:
        """Return a claim, or why there is none yet; whoever is suspended gets neither."""
        suspensions.refuse_suspended(db, who)
        if not fresh:
            if found := claims.find_answered(db, request.identity, who):
                return self._found(db, found, who, request.text)
            if begun := claims.find_unanswered(db, request.identity, price):
                return self._go_on(db, begun, who, request.text)
        elif key is not None and (number := fresh_keys.find_keyed(db, who, key, request.identity)) is not None:
            keyed = claims.find_charge(db, number)
            assert keyed is not None
            go_on = self._go_on if keyed.record is None else self._found
            return go_on(db, keyed, who, request.text)
        return self._pay(db, request, price, who, fresh, keep, key)

    def _go_on(self, db: Database, begun: ChargeRow, who: str, text: str) -> Claim | Waiting:
        """Return what to do about a charge without an answer: wait for its run, bury it, or run it again.

        Whoever waits pays at once: else what is left of their cap would tell when another's run ended.
        """
        if self.alive(begun):
            return Waiting(begun.entry, share=self._share(db, begun, who, text))
        return self._bury(db, begun) if begun.token is not None else self._take_over(db, begun, who, text)

    def record(self, db: Database, claim: Claim, answer: bytes, *, beside: bool = False) -> Entry:
        """Write the one answer of a charge, or raise if the claim was overtaken or its analyst suspended meanwhile.

        An answer that lies `beside` the database, in a file, is only named here.
        """
        suspensions.refuse_suspended(db, claim.analyst or totals.TOTAL)
        self.check_lease(db, claim)
        body = {"charge": claim.entry, "answer": hash_bytes(answer), "bytes": len(answer), "analyst": claim.analyst}
        entry = chain.append(db, chain.RECORD, self.now(), body)
        db.execute("INSERT INTO answers VALUES (?, ?)", (entry.number, None if beside else answer))
        db.execute("UPDATE charges SET record = ?, token = NULL WHERE entry = ?", (entry.number, claim.entry))
        journal.clear_rows(db, claim.entry)
        pass_step("recording")
        return entry

    def check_lease(self, db: Database, claim: Claim) -> None:
        """Raise unless this claim may still write about its charge: nobody took it over, and no answer is recorded."""
        now = claims.find_charge(db, claim.entry)
        token = claim.lease.token if claim.lease is not None else ""
        if now is None or now.record is not None or now.token != token:
            raise LostLeaseError(f"the lease on entry {claim.entry} was lost; its charge stays. Ask again")

    def note_death(self, db: Database, claim: Claim) -> None:
        """Write down that the run of this claim died with the engine that it ran on."""
        self.check_lease(db, claim)
        row = claims.find_charge(db, claim.entry)
        assert row is not None
        self._bury(db, row)

    def renew(self, db: Database, claim: Claim) -> None:
        """Let a claim's lease last for its whole time again."""
        self.check_lease(db, claim)
        expires = self._clock() + self.lease_seconds
        db.execute("UPDATE charges SET expires = ? WHERE entry = ?", (expires, claim.entry))

    def use(self, db: Database, charges: Sequence[int], who: str, text: str) -> Receipt:
        """Charge the asker's own cap for recorded answers of others that a new answer is inferred from."""
        suspensions.refuse_suspended(db, who)
        total, paid, mark = totals.NOTHING, FREE, None
        for number in charges:
            found = claims.find_charge(db, number)
            if found is None or found.record is None:
                raise LedgerError(f"entry {number} is no charge with a recorded answer")
            record, share = chain.get(db, found.record), self._share(db, found, who, text)
            paid = SHARED if share else paid
            mark = share.mark if share else record.mark if record is not None and paid is FREE else mark
            total = totals.add_charge(total, found.charge)
        if mark is None:
            raise LedgerError("an answer that is inferred names the recorded answers that it was made from")
        return Receipt(mark, who or None, Charge(*total), paid)

    def has_room(self, db: Database, charges: Sequence[int], who: str) -> bool:
        """Say whether `use` would be admitted now; nothing is written."""
        if who not in self.caps:
            return True
        left: BudgetFilter | None = replace(self.caps[who], spent=totals.read(db, who))
        for charge in self._list_unpaid(db, charges, who):
            left = None if left is None else left.take(charge)
        return left is not None

    def find_share(self, db: Database, charges: Sequence[int], who: str) -> Charge:
        """Return what `use` would take from the asker's own cap now; nothing is written."""
        total = totals.NOTHING
        for charge in self._list_unpaid(db, charges, who) if who in self.caps else ():
            total = totals.add_charge(total, charge)
        return Charge(*total)

    def _list_unpaid(self, db: Database, charges: Sequence[int], who: str) -> list[Charge]:
        """Return those of these charges that an analyst has not paid for, each once."""
        rows = (claims.find_charge(db, number) for number in dict.fromkeys(charges))
        return [row.charge for row in rows if row is not None and not claims.has_paid(db, row.entry, who)]

    def allow_retry(self, db: Database, number: int) -> Entry:
        """Let a charge be run again whose runs died; raise where it does not wait for that."""
        found = claims.find_charge(db, number)
        waits = found is not None and (
            found.deaths >= overruns.DEADLY or overruns.count_retries(db, number) >= overruns.RETRIES
        )
        if found is None or found.record is not None or not waits:
            raise LedgerError(f"entry {number} is no charge that waits for the operator; see `discreet ledger`")
        db.execute("UPDATE charges SET deaths = 0 WHERE entry = ?", (number,))
        return chain.append(db, chain.ALLOW, self.now(), {"charge": number})

    def named(self, analyst: str | None) -> str:
        """Return the name under which an analyst's spending stands; where there are caps, everybody named has one."""
        if analyst is None:
            return totals.TOTAL
        if not isinstance(analyst, str) or not analyst or "\0" in analyst:
            raise ParameterError("analyst", analyst, "a name that is not empty and has no NUL, or None")
        if self.caps and analyst not in self.caps:
            raise BudgetError(f"analyst {analyst!r} has no cap in the policy: add one under [analysts]")
        return analyst

    def alive(self, asked: ChargeRow) -> bool:
        """Say whether somebody runs this charge: in time, and still holding the lock that a crash would free."""
        if asked.token is None or asked.expires is None:
            return False
        return self._clock() < asked.expires and self._leases.alive(asked.token)

    def now(self) -> str:
        """Return the time that entries carry."""
        return write_time(self._clock())

    def _found(self, db: Database, found: ChargeRow, who: str, text: str) -> Claim:
        assert found.record is not None
        answer, record = self.read_answer(db, found.record)
        share = self._share(db, found, who, text)
        paid, mark = (SHARED, share.mark) if share else (FREE, record.mark)
        receipt = Receipt(mark, who or None, found.charge, paid)
        return Claim(found.entry, found.charge, who or None, paid, answer, receipt)

    def read_answer(self, db: Database, number: int) -> tuple[bytes, Entry]:
        """Return a recorded answer and its entry, or raise where the answer is not what the chain says."""
        row = db.execute("SELECT answer FROM answers WHERE record = ?", (number,)).fetchone()
        record = chain.get(db, number)
        name = record.body.get("answer") if record is not None else None
        if row is not None and record is not None and isinstance(name, str):
            answer = bytes(row[0]) if row[0] is not None else self._read_beside(name)
            if hash_bytes(answer) == name:
                return answer, record
        raise LedgerError(f"the answer of entry {number} is damaged: run `discreet ledger --verify`")

    def _read_beside(self, name: str) -> bytes:
        if self._results is None:
            raise LedgerError("a recorded answer is missing: run `discreet ledger --verify`")
        return self._results.read(name)

    def _bury(self, db: Database, begun: ChargeRow) -> Waiting:
        """Write down that a run died: it holds its token still, and neither recorded nor gave up."""
        overruns.count_overrun(db, self.now(), chain.DEATH, begun.runner, begun.entry)
        db.execute("UPDATE charges SET token = NULL, deaths = deaths + 1 WHERE entry = ?", (begun.entry,))
        self._leases.forget(begun.token or "-")
        return Waiting(begun.entry, died=True)

    def _take_over(self, db: Database, begun: ChargeRow, who: str, text: str) -> Claim:
        if begun.deaths >= overruns.DEADLY:
            raise SuspendedError(
                f"entry {begun.entry}, this question, died {begun.deaths} times while it ran; nothing was charged. "
                f"Ask the operator to look at `discreet ledger` and to run `discreet retry {begun.entry}`"
            )
        if overruns.count_retries(db, begun.entry) >= overruns.RETRIES:
            raise SuspendedError(
                f"entry {begun.entry}, this question, was begun {overruns.RETRIES} times and never finished; "
                f"nothing was charged. Ask the operator to run `discreet retry {begun.entry}`"
            )
        share = self._share(db, begun, who, text)
        chain.append(db, chain.RETRY, self.now(), {"charge": begun.entry, "analyst": who or None})
        claim = self._leased(db, begun.entry, begun.charge, who, SHARED if share else FREE)
        pass_step("taking over")
        return claim

    def _share(self, db: Database, asked: ChargeRow, who: str, text: str) -> Entry | None:
        """Charge the asker's own cap for another's answer, unless they have paid for it or have no cap.

        The asker's own text is kept: the one of who asked first may say more than the question.
        """
        if who not in self.caps or claims.has_paid(db, asked.entry, who):
            return None
        own = totals.admit_charge(db, who, self.caps[who], asked.charge)
        if own is None:
            raise BudgetError(self._refusal(db, asked.charge, who, shared=True))
        body = {
            "charge": asked.entry,
            "text": text,
            "analyst": who,
            **totals.write_charge(asked.charge),
            "own": totals.write(db, who, own),
        }
        db.execute("INSERT INTO payments VALUES (?, ?)", (asked.entry, who))
        entry = chain.append(db, chain.SHARE, self.now(), body)
        pass_step("sharing")
        return entry

    def _pay(
        self,
        db: Database,
        request: Request,
        price: Charge,
        who: str,
        fresh: bool,
        keep: Sequence[states.Keepsake],
        key: str | None,
    ) -> Claim:
        _check_total(db)
        total = totals.admit_charge(db, totals.TOTAL, self.total, price)
        own = totals.admit_charge(db, who, self.caps.get(who), price) if who else totals.NOTHING
        if total is None or own is None:
            raise BudgetError(self._refusal(db, price, who, shared=False))
        for kept in keep:
            states.keep_state(db, self.now(), kept)
        body = {
            "question": request.identity,
            "kind": request.kind,
            "version": request.version,
            "text": request.text,
            "analyst": who or None,
            "fresh": fresh,
            **totals.write_charge(price),
            "total": totals.write(db, totals.TOTAL, total),
            "own": totals.write(db, who, own) if who else None,
        }
        entry = chain.append(db, chain.CHARGE, self.now(), body).number
        row = (entry, request.identity, *totals.write_charge(price).values())
        db.execute("INSERT INTO charges (entry, question, epsilon, rho, delta) VALUES (?, ?, ?, ?, ?)", row)
        db.execute("INSERT INTO payments VALUES (?, ?)", (entry, who))
        if fresh and key is not None:
            fresh_keys.keep_key(db, self.now(), who, key, request.identity, entry)
        claim = self._leased(db, entry, price, who, CHARGED)
        pass_step("charging")
        return claim

    def _leased(self, db: Database, entry: int, charge: Charge, who: str, paid: str) -> Claim:
        lease = self._leases.take()
        expires = self._clock() + self.lease_seconds
        statement = "UPDATE charges SET token = ?, expires = ?, runner = ? WHERE entry = ?"
        db.execute(statement, (lease.token, expires, who, entry))
        return Claim(entry, charge, who or None, paid, lease=lease)

    def _refusal(self, db: Database, charge: Charge, who: str, *, shared: bool) -> str:
        """Say what a charge is, and of which currency too little is left; the caller says what would fit."""
        amounts = {name: float(getattr(charge, name)) for name in ("epsilon", "rho", "delta")}
        asked = ", ".join(f"{name} {amount:.6g}" for name, amount in amounts.items() if amount and isfinite(amount))
        caps = [] if shared else [("the budget", replace(self.total, spent=totals.read(db, totals.TOTAL)))]
        if who in self.caps:
            caps.append((f"the own cap of {who!r}", replace(self.caps[who], spent=totals.read(db, who))))
        short = "; ".join(_describe_short(name, cap, charge) for name, cap in caps if cap.find_short(charge))
        return (
            f"this question costs {asked} and does not fit into what is left: there is too little of {short}. The "
            "owner may raise the budget in the policy"
        )


def _describe_short(name: str, cap: BudgetFilter, charge: Charge) -> str:
    """Return the currencies of a cap that ran out, and what is left of each: either epsilon or rho would be enough."""
    shares, caps = cap.shares, cap.caps
    words = [
        f"{each} ({max(0.0, 1 - shares.get(each, 1.0)):.2%} of {caps.get(each, 0.0):.4g})"
        for each in cap.find_short(charge)
    ]
    return f"{' and '.join(words)} in {name}"


def write_time(seconds: float) -> str:
    """Return a time in UTC, to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def _check_total(db: Database) -> None:
    """Refuse to decide by a total that is not what the newest charge states in the chain, which nobody can rewrite."""
    (newest,) = db.execute("SELECT max(entry) FROM charges").fetchone()
    charge = chain.get(db, newest) if newest else None
    stated = charge.body.get("total") if charge else totals.write_sums(totals.NOTHING)
    if stated != totals.write_sums(totals.read(db, totals.TOTAL)):
        raise LedgerError("the running totals are not what was charged: run `discreet ledger --verify`")
