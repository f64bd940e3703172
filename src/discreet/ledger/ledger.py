"""The ledger: charge first, record before show, pay once for one answer.

Every decision is taken inside one transaction that nobody else writes beside, and is durable before it is returned.
So a crash can cost budget (a charge whose answer was never recorded), but nothing is ever shown that was not charged
and recorded, and nothing is paid for twice because two asked at once.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Self

from discreet.answers.receipt import Mark, Receipt
from discreet.base.canonical import hash_bytes
from discreet.base.errors import LedgerError, ParameterError, PendingError, SuspendedError
from discreet.ledger.database import PATIENCE, Database, UncertainError
from discreet.ledger.entries import chain, claims, fresh_keys, policies, states, suspensions, totals
from discreet.ledger.entries.chain import Entry
from discreet.ledger.entries.claims import Claim, Request
from discreet.ledger.entries.decisions import Decisions, Waiting, write_time
from discreet.ledger.entries.part_names import PART
from discreet.ledger.entries.states import Keepsake
from discreet.ledger.entries.suspensions import Suspension
from discreet.ledger.facts import LedgerFacts, check_protected
from discreet.ledger.failures import Failure, describe_failure
from discreet.ledger.files.results import LARGE
from discreet.ledger.parts import LedgerParts
from discreet.ledger.places import Place, create_store, open_store
from discreet.ledger.runs import Runs
from discreet.ledger.steps import pass_step
from discreet.ledger.verify import Verification, verify_place
from discreet.privacy.budget import BudgetFilter
from discreet.privacy.charges import Charge

TIMEOUT = 60.0
"""Seconds to wait for somebody else who is running the same question."""

LEASE = 3600.0
"""Seconds after which a holder that lives but does not answer may be overtaken."""


class Ledger:
    """A durable privacy budget. Threads may share it, and it may be used on both sides of a fork."""

    def __init__(
        self,
        place: Place,
        facts: LedgerFacts,
        *,
        lease_seconds: float = LEASE,
        patience: float = PATIENCE,
        clock: Callable[[], float] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._sleep = sleep
        self._owed: set[tuple[str, int]] = set()
        self._place = place
        self._store = open_store(place, patience)
        self._rules = Decisions(facts, self._store, lease_seconds, clock or self._store.clock)
        self.runs = Runs(self._store, self._rules)
        """What runs write between their charge and their record."""
        self.parts = LedgerParts(self._store, self._rules)
        """Where they keep what is too large for a journal."""
        try:
            self._adopt(facts)
        except BaseException:
            self._store.close()
            raise

    @classmethod
    def create(cls, place: Place, facts: LedgerFacts, **options: Any) -> Self:
        """Make a new ledger, where there is none, and open it. Only `discreet init` does this."""
        values = facts.to_dict()
        body = {"id": secrets.token_hex(16), "facts": values, "protected": check_protected(values, values)}

        def fill(db: Database) -> None:
            db.execute("INSERT INTO head VALUES (0, ?)", (chain.GENESIS,))
            totals.write(db, totals.TOTAL, totals.NOTHING)
            chain.append(db, chain.CREATE, write_time((options.get("clock") or time.time)()), body)

        create_store(place, fill)
        return cls(place, facts, **options)

    @classmethod
    def open(cls, place: Place, facts: LedgerFacts, **options: Any) -> Self:
        """Open the ledger, or raise if there is none or it counted for something else than the policy protects now.

        Whatever else changed in the policy is written into the chain; the budget given now is the one that decides.
        """
        return cls(place, facts, **options)

    def close(self) -> None:
        """Close the ledger; using it afterwards is an error."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def charge(
        self,
        request: Request,
        charge: Charge,
        analyst: str | None = None,
        *,
        fresh: bool = False,
        timeout: float = TIMEOUT,
        keep: Sequence[Keepsake] = (),
        key: str | None = None,
    ) -> Claim:
        """Pay for a request, or find its answer. What this decides is durable before it returns.

        An answer that is recorded is found: free for who has paid for it, and else charged to the asker's own cap. One
        that somebody is running is waited for. A charge that nobody runs any more is run again, without paying the
        total again. Otherwise both filters, the total's and the asker's own, must admit the charge; `fresh` always
        pays, but once under a `key`, and its answer is found later by who paid for it and by who has paid for none:
        nobody pays again because another wanted fresh noise. Whoever is suspended is refused
        all of it. What is to be kept is set with a new charge, and with nothing else: `Keepsake` says what is kept
        once.
        """
        for kept in keep:
            _check_name(kept.name)
        who, price = self._rules.named(analyst), totals.to_exact_charge(charge)
        waited, pause = 0.0, 0.002
        share: Entry | None = None
        self._settle()
        while True:
            pass_step("before charge")
            found = self._decide(request, price, who, fresh, keep, key)
            if isinstance(found, Claim):
                pass_step("charged")
                return found if share is None else found.pay_by(share.mark)
            share = share or found.share
            while not found.died and self._running(found.entry):
                if waited >= timeout:
                    raise PendingError(
                        f"entry {found.entry}, the same question, is still being run. Ask again later: what was "
                        "charged is not charged again"
                    )
                self._sleep(pause)
                waited, pause = waited + pause, min(2 * pause, 0.05)

    @property
    def birth(self) -> Mark:
        """The mark of the first entry, which says nothing of what was asked since."""
        with self._store.reading() as db:
            first = chain.get(db, 1)
            assert first is not None
            return first.mark

    def answered(self, request: Request) -> bool:
        """Say whether an answer is recorded: who asks for it needs no run."""
        with self._store.reading() as db:
            return claims.find_answered(db, request.identity, totals.TOTAL) is not None

    def find_answer(self, request: Request, analyst: str | None = None) -> int | None:
        """Return the charge of the recorded answer that this analyst would be given."""
        with self._store.reading() as db:
            found = claims.find_answered(db, request.identity, analyst or totals.TOTAL)
            return None if found is None else found.entry

    def has_paid(self, charge: int, analyst: str | None) -> bool:
        """Say whether this analyst has paid for a charge, to the total or to their own cap."""
        with self._store.reading() as db:
            return claims.has_paid(db, charge, analyst or totals.TOTAL)

    def read_record(self, charge: int) -> bytes | None:
        """Return what was recorded for a charge, if anything was."""
        with self._store.reading() as db:
            found = claims.find_charge(db, charge)
            if found is None or found.record is None:
                return None
            return self._rules.read_answer(db, found.record)[0]

    def use(self, charges: Sequence[int], analyst: str | None = None, text: str = "") -> Receipt:
        """Pay for an answer that is inferred from recorded ones: each costs what asking for it again would."""
        who = self._rules.named(analyst)
        self._settle()
        with self._store.writing() as db:
            return self._rules.use(db, charges, who, text)

    def has_room(self, charges: Sequence[int], analyst: str | None = None) -> bool:
        """Say whether the asker's own cap has room for what using these recorded answers would cost, each once."""
        who = self._rules.named(analyst)
        with self._store.reading() as db:
            return self._rules.has_room(db, charges, who)

    def find_share(self, charges: Sequence[int], analyst: str | None = None) -> Charge:
        """Return what using these recorded answers would take from the asker's own cap, each once."""
        who = self._rules.named(analyst)
        with self._store.reading() as db:
            return self._rules.find_share(db, charges, who)

    def record(self, claim: Claim, answer: bytes) -> Receipt:
        """Make an answer durable, once, and return its receipt; only after this may a byte of it be shown.

        Raises if the claim was overtaken or has an answer, or if its analyst was suspended meanwhile: then this one
        must be thrown away.
        """
        if claim.lease is None:
            raise LedgerError(f"entry {claim.entry} was answered from the ledger; there is nothing to record")
        pass_step("before record")
        files = self._store.results if len(answer) >= LARGE else None
        if files is not None:
            with self._store.explaining():
                files.write(answer)
        try:
            with self._store.writing() as db:
                entry = self._rules.record(db, claim, answer, beside=files is not None)
        except UncertainError:
            entry = self._written(claim, answer)
        pass_step("recorded")
        claim.lease.release()
        claim.answer, claim.receipt = answer, Receipt(entry.mark, claim.analyst, claim.charge, claim.paid)
        return claim.receipt

    def suspend(self, claim: Claim) -> None:
        """Suspend the analyst of a claim whose run failed: until `resume`, everything they ask is refused.

        Raises SuspendedError where they are suspended already. Call it before the claim is given up, or the question
        could be run again in between. If the ledger cannot be written now, this raises, and the next `charge` here
        writes the suspension before anything else, or fails.
        """
        who = claim.analyst or totals.TOTAL
        try:
            with self._store.writing() as db:
                suspensions.refuse_suspended(db, who)
                suspensions.suspend(db, self._rules.now(), who, claim.entry)
        except SuspendedError:
            raise
        except BaseException:
            self._owed.add((who, claim.entry))
            raise

    def refuse_suspended(self, analyst: str | None) -> None:
        """Raise SuspendedError if this analyst is suspended."""
        with self._store.reading() as db:
            suspensions.refuse_suspended(db, analyst or totals.TOTAL)

    def resume(self, analyst: str | None = None) -> Mark:
        """End a suspension; for the operator, who has seen to what failed. What was charged is run again for it."""
        with self._store.writing() as db:
            return suspensions.resume(db, self._rules.now(), analyst or totals.TOTAL).mark

    def retry(self, charge: int) -> Mark:
        """Allow a charge to be run again whose runs died; for the operator, who has seen to why."""
        with self._store.writing() as db:
            return self._rules.allow_retry(db, charge).mark

    def note_failure(self, claim: Claim, where: str, trouble: BaseException) -> None:
        """Keep what failed for the operator; analysts never see it."""
        self._store.failures.add(
            Failure(self._rules.now(), claim.analyst, claim.entry, where, describe_failure(trouble))
        )

    @property
    def failures(self) -> tuple[Failure, ...]:
        """What failed, the oldest first. For the operator."""
        return self._store.failures.read()

    @property
    def suspended(self) -> tuple[Suspension, ...]:
        """Everybody who is suspended now."""
        with self._store.reading() as db:
            return suspensions.list_suspensions(db)

    def spent(self, analyst: str | None = None) -> BudgetFilter:
        """Return the filter of the total, or of an analyst's own cap, with what was spent so far.

        An analyst without a cap is shown against the total's.
        """
        with self._store.reading() as db:
            sums = totals.read(db, analyst or totals.TOTAL)
        return replace(self._rules.caps.get(analyst or "", self._rules.total), spent=sums)

    def entries(self, first: int = 1) -> Iterator[Entry]:
        """Yield the entries from number `first` on, in pages: entries made meanwhile are included."""
        while True:
            with self._store.reading() as db:
                page = list(chain.read(db, first, 500))
            if not page:
                return
            yield from page
            first = page[-1].number + 1

    @property
    def head(self) -> Mark:
        """The chain's end now. Written down elsewhere, it is a receipt for everything up to here."""
        with self._store.reading() as db:
            return Mark(*db.execute("SELECT number, hash FROM head").fetchone())

    def verify(self, receipt: Receipt | Mark | None = None) -> Verification:
        """Recompute everything from the chain, and compare with a receipt where one is given."""
        return verify_place(self._place, receipt)

    def note(self, kind: str, details: dict[str, Any]) -> Mark:
        """Write something else that happened into the chain, under a kind that is not the ledger's own."""
        if not kind.isidentifier() or kind != kind.upper() or kind in chain.KINDS:
            raise ParameterError("kind", kind, f"a word in capitals other than {', '.join(chain.KINDS)}")
        with self._store.writing() as db:
            return chain.append(db, kind, self._rules.now(), {"details": details}).mark

    def get_state(self, name: str) -> bytes | None:
        """Return the value that was last set under a name."""
        with self._store.reading() as db:
            return states.read_state(db, name)

    def list_states(self, prefix: str) -> dict[str, bytes]:
        """Return the values whose names begin so, by name."""
        with self._store.reading() as db:
            return states.list_states(db, prefix)

    def set_state(self, name: str, value: bytes) -> Mark:
        """Set a small durable value; the chain holds its hash, and the mark returned covers it."""
        _check_name(name)
        with self._store.writing() as db:
            return states.set_state(db, self._rules.now(), name, value).mark

    def _decide(
        self, request: Request, price: Charge, who: str, fresh: bool, keep: Sequence[Keepsake], key: str | None
    ) -> Claim | Waiting:
        """Decide in one transaction; a lease whose token is not known to be written is given up at once."""
        found: Claim | Waiting | None = None
        try:
            with self._store.writing() as db:
                found = self._rules.decide(db, request, price, who, fresh, keep, key)
        except BaseException:
            if isinstance(found, Claim) and found.lease is not None:
                found.lease.release()
            raise
        if isinstance(found, Claim):
            found.give_up = self.runs.give_up
        return found

    def _written(self, claim: Claim, answer: bytes) -> Entry:
        """Return the entry of a record whose commit may have come to nothing, or raise if it did.

        Whoever has the turn to write knows: the session that committed kept its turn until it was done or undone.
        """
        with self._store.writing() as db:
            now = claims.find_charge(db, claim.entry)
            entry = chain.get(db, now.record) if now is not None and now.record is not None else None
            if entry is None or entry.body.get("answer") != hash_bytes(answer):
                raise LedgerError(f"the answer of entry {claim.entry} was not recorded; its charge stays. Ask again")
            return entry

    def _settle(self) -> None:
        """Make every suspension durable that could not be written before."""
        for who, entry in list(self._owed):
            with self._store.writing() as db:
                suspensions.suspend(db, self._rules.now(), who, entry)
            self._owed.discard((who, entry))

    def _running(self, entry: int) -> bool:
        with self._store.reading() as db:
            asked = claims.find_charge(db, entry)
        return asked is not None and asked.record is None and self._rules.alive(asked)

    def _adopt(self, facts: LedgerFacts) -> None:
        values = facts.to_dict()
        with self._store.reading() as db:
            policies.check_policy(db, values)
        with self._store.writing() as db:
            self._store.leases.sweep()
            policies.adopt_policy(db, self._rules.now(), values)


def _check_name(name: str) -> None:
    if name.startswith((suspensions.PREFIX, suspensions.OVERRUNS, fresh_keys.PREFIX)) or "\0" in name:
        raise ParameterError("name", name, "a name without NUL that is none of the ledger's own")
    if name.startswith(PART):
        raise ParameterError("name", name, f"a name that does not begin with {PART!r}: that is the ledger's own")
