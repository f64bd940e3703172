"""The rules of the door, each broken once: identities, meters, the desk, the journal, leases, overruns, failures."""

from __future__ import annotations

from mutants.mutant import broken

OPERATION, METER = "tests/curator/door/test_operation.py", "tests/curator/door/test_meter.py"
DESK = "tests/curator/door/test_desk.py"
SCHEDULE, KEEPER, PERFORMANCE = (f"tests/curator/door/test_{name}.py" for name in ("schedule", "keeper", "performance"))
WINGS, COST, SESSION = "tests/curator/door/test_wings.py", "tests/query/test_cost.py", "tests/curator/test_session.py"
JOURNAL, OVERRUNS = "tests/ledger/entries/test_journal.py", "tests/ledger/entries/test_overruns.py"

IDENTITY = [
    broken(
        "the identity of a plan is its repr",
        "plan/identity.py",
        'return {"version": VERSION, "plan": FORMS.describe(plan)}',
        'return {"version": VERSION, "plan": repr(plan)}',
        "tests/plan/test_identity.py",
    ),
    broken(
        "the tag of a node is the name of its class",
        "base/forms.py",
        "        return {tag: found}\n",
        "        return {type(value).__name__: found}\n",
        "tests/base/test_forms.py",
    ),
    broken(
        "a field at its default is written out",
        "base/forms.py",
        "            if not _is_default(held, defaults[attribute]):\n",
        "            if True:\n",
        "tests/base/test_forms.py",
    ),
    broken(
        "an identity forgets the plans",
        "curator/door/operation.py",
        "for plan in declared.plans]",
        "for plan in ()]",
        OPERATION,
    ),
    broken(
        "an identity forgets the charge",
        "curator/door/operation.py",
        "for each in (charge.epsilon, charge.rho, charge.delta)]",
        "for each in (charge.delta,)]",
        OPERATION,
    ),
    broken(
        "an identity forgets the operation's version",
        "curator/door/operation.py",
        "[declared.kind, declared.version]",
        "[declared.kind]",
        OPERATION,
    ),
    broken(
        "measures are sorted by their repr",
        "query/bound.py",
        "key=write_sort_key",
        "key=repr",
        "tests/plan/test_identity.py",
    ),
    broken(
        "charges keep all their digits",
        "ledger/entries/totals.py",
        "return round_charge(Charge(",
        "return (lambda charge: charge)(Charge(",
        "tests/ledger/entries/test_totals.py",
    ),
    broken(
        "charges are rounded down",
        "privacy/charges.py",
        "math.ceil(Fraction(value) * GRAIN)",
        "math.floor(Fraction(value) * GRAIN)",
        "tests/ledger/entries/test_totals.py",
    ),
    broken(
        "door: a number that computes something else keeps a plan's hash",
        "base/forms.py",
        "type(value) is int or",
        "isinstance(value, int) or",
        "tests/base/test_forms.py",
    ),
    broken(
        "door: a tuple that shows something else keeps a plan's hash",
        "base/forms.py",
        "        if type(value) is tuple:\n",
        "        if isinstance(value, tuple):\n",
        "tests/base/test_forms.py",
    ),
]

METERED = [
    broken(
        "a draw is admitted by either sum",
        "query/cost.py",
        "return all(_is_within(spent, declared) for spent, declared in pairs)",
        "return any(_is_within(spent, declared) for spent, declared in pairs)",
        METER,
        COST,
    ),
    broken("delta is not metered", "query/cost.py", ", (cost.delta, charge.delta))", ")", METER, COST),
    broken(
        "a meter forgets what it admitted",
        "curator/door/meter.py",
        "        self._spent = total\n",
        "        return\n",
        METER,
    ),
    broken(
        "measure is not metered",
        "curator/door/desk.py",
        "        cost, loss = cost_measures(plan, draws), lose_measures(plan, draws)\n",
        "        cost, loss = Charge(Fraction(0), 0.0), lose_measures(plan, draws)\n",
        DESK,
        WINGS,
    ),
    broken(
        "a plan that was not declared is read",
        "curator/door/desk.py",
        "        if found not in self.__hashes:\n",
        "        if False:\n",
        WINGS,
    ),
    broken(
        "Laplace noise costs one row",
        "query/cost.py",
        "return cost_pure(Fraction(l1) / Fraction(noise.scale))",
        "return cost_pure(1 / Fraction(noise.scale))",
        COST,
        DESK,
    ),
    broken(
        "Gaussian noise costs half",
        "query/cost.py",
        "Fraction(l2_squared) / (2 * Fraction(noise.sigma) ** 2)",
        "Fraction(l2_squared) / (4 * Fraction(noise.sigma) ** 2)",
        COST,
    ),
    broken(
        "a quantile made for fewer rows is taken",
        "query/cost.py",
        "if noise.rows < l1 or noise.points",
        "if noise.points",
        DESK,
    ),
    broken(
        "keys of the data need no selection",
        "query/cost.py",
        "    if plan.selects_any:\n",
        "    if draws.selection is not None:\n",
        DESK,
    ),
    broken(
        "a selection for fewer keys is taken",
        "query/cost.py",
        "    if selection.groups < plan.reached():\n",
        "    if False:\n",
        DESK,
    ),
    broken(
        "a threshold for fewer rows is taken",
        "query/cost.py",
        "    if selection.rows < _most_counted(plan, plan.measures[counted]):\n",
        "    if False:\n",
        DESK,
    ),
    broken(
        "a threshold on other noise is taken",
        "query/cost.py",
        "if counted is None or not 0 <= counted < len(draws.noises) or draws.noises[counted] != selection.noise:",
        "if False:",
        DESK,
    ),
    broken(
        "a schedule is not held against its charge",
        "curator/door/meter.py",
        "        if not fits_within(schedule.charge, charge):\n",
        "        if False:\n",
        WINGS,
    ),
    broken(
        "a draw may lose more than its schedule says",
        "curator/door/schedule.py",
        "return drawn.mu <= declared.mu",
        "return True",
        SCHEDULE,
    ),
    broken(
        "a schedule has no end",
        "curator/door/schedule.py",
        '        raise OperationError(f"the schedule has {self.draws} draws, and one more was asked for")\n',
        "        return self.losses[-1][0]\n",
        SCHEDULE,
    ),
]

HOSTILE = "tests/curator/door/test_hostile_wings.py"

CLOSED = [
    broken(
        "the measure that is counted may be counted from behind",
        "query/draws.py",
        "        if self.counted is not None and not 0 <= self.counted < len(self.noises):\n",
        "        if False:\n",
        HOSTILE,
    ),
    broken(
        "a plan that no session made is run",
        "curator/session.py",
        "            self._holdings.issued.check(plan)\n",
        "            pass\n",
        HOSTILE,
    ),
    broken(
        "a prepared question that was changed is run unchecked",
        "curator/holdings.py",
        "            found = name in self._hashes\n",
        "            found = bool(self._hashes)\n",
        HOSTILE,
    ),
    broken(
        "the meter reads the charge again",
        "curator/door/performance.py",
        "        desk = Desk(declared.plans, make_meter(declared), journal",
        "        desk = Desk(declared.plans, ChargeMeter(self._operation.charge), journal",
        HOSTILE,
    ),
    broken(
        "every failure of runs at once is told",
        "ledger/ledger.py",
        "                suspensions.refuse_suspended(db, who)\n                suspensions.suspend",
        "                suspensions.suspend",
        HOSTILE,
    ),
    broken(
        "any number of runs may be late at once",
        "curator/door/keeper.py",
        "            if math.isfinite(self._find_limit(public_time)) and self._places[analyst] >= MOST:\n",
        "            if False:\n",
        HOSTILE,
    ),
    broken(
        "a cancel hides a draw that failed",
        "curator/door/performance.py",
        "        if ended or (self._ending is not None and not self._has_failed_draw()):\n",
        "        if ended or self._ending is not None:\n",
        HOSTILE,
    ),
    broken(
        "draws that are not journaled show in the progress",
        "curator/door/recorder.py",
        "        return self._position - len(self._unwritten)\n",
        "        return self._position\n",
        HOSTILE,
    ),
    broken(
        "an operation's words are told though its draws were not written",
        "curator/door/performance.py",
        "            if desk.failure is None:\n                desk.flush()",
        "            if desk.failure is None:\n                contextlib.suppress()",
        HOSTILE,
    ),
    broken(
        "a charge is begun without end",
        "ledger/entries/decisions.py",
        "        if overruns.count_retries(db, begun.entry) >= overruns.RETRIES:\n            raise",
        "        if False:\n            raise",
        HOSTILE,
    ),
    broken(
        "two threads may pass a meter at once",
        "curator/door/recorder.py",
        "        with self.lock:\n            self._refuse_nested()\n",
        "        if True:\n",
        HOSTILE,
    ),
    broken(
        "a measure may be released by any mechanism",
        "query/cost.py",
        "        if type(noise) not in DRAWS:\n",
        "        if False:\n",
        HOSTILE,
    ),
    broken(
        "a wing scores by a rule of its own",
        "query/choices.py",
        "        check_score(self.score)\n",
        "",
        DESK,
    ),
    broken(
        "a subclass passes for the mechanism or plan that it is derived from",
        "base/forms.py",
        "        kind = type(value)\n",
        "        kind = next((each for each in type(value).__mro__ if each in self.classes), type(value))\n",
        DESK,
    ),
]

JOURNALED = [
    broken(
        "a result is seen before it is journaled",
        "curator/door/recorder.py",
        "        if len(self._unwritten) >= self._meter.checkpoint:\n            self.flush()\n",
        "",
        DESK,
    ),
    broken(
        "a rerun draws anew",
        "curator/door/recorder.py",
        "        if position < len(self._known):\n",
        "        if False:\n",
        DESK,
        WINGS,
    ),
    broken(
        "a rerun may ask something else",
        "curator/door/recorder.py",
        "            if row.call != name:\n",
        "            if False:\n",
        DESK,
        WINGS,
    ),
    broken(
        "whoever was overtaken writes the journal",
        "ledger/runs.py",
        "            self._rules.check_lease(db, claim)\n            for place",
        "            for place",
        JOURNAL,
    ),
    broken(
        "a journal has gaps", "ledger/entries/journal.py", "    if count != position:\n", "    if False:\n", JOURNAL
    ),
    broken(
        "journals are not verified",
        "ledger/verify.py",
        'yield from _differing("the journal of entry and position", journal, wanted.journal)',
        "yield from ()",
        JOURNAL,
    ),
    broken(
        "a journal outlives its record",
        "ledger/entries/decisions.py",
        "        journal.clear_rows(db, claim.entry)\n",
        "",
        JOURNAL,
    ),
]

RUNNING = [
    broken(
        "a plan that is noted again is missing for a moment",
        "curator/holdings.py",
        "        with self._lock:\n            found = name in self._hashes\n",
        "        found = name in self._hashes\n",
        "tests/curator/test_holdings.py",
    ),
    broken(
        "leases are not renewed",
        "curator/door/keeper.py",
        "                self._runs.renew(kept.claim)\n",
        "                pass\n",
        KEEPER,
        PERFORMANCE,
    ),
    broken(
        "whoever was overtaken renews",
        "ledger/entries/decisions.py",
        "        self.check_lease(db, claim)\n        expires",
        "        expires",
        "tests/ledger/test_runs.py",
    ),
    broken(
        "a lost lease is taken for a failure",
        "curator/door/performance.py",
        "if isinstance(trouble, LostLeaseError | SuspendedError):",
        "if isinstance(trouble, SuspendedError):",
        "tests/curator/test_suspending.py",
        PERFORMANCE,
    ),
    broken(
        "a lost engine is not counted",
        "curator/door/performance.py",
        "                self._ledger.runs.count_death(self._claim)\n",
        "                pass\n",
        PERFORMANCE,
    ),
    broken(
        "a ledger that cannot be written suspends",
        "curator/door/performance.py",
        "            elif not isinstance(trouble, OperationError | LedgerError):\n",
        "            elif not isinstance(trouble, OperationError):\n",
        "tests/curator/test_suspending.py",
    ),
    broken(
        "an overrun that could not be written is forgotten",
        "curator/door/keeper.py",
        "                kept.late_at = now + RETRY\n",
        "                kept.late_at = math.inf\n",
        KEEPER,
    ),
    broken(
        "a schedule beyond its charge is refused only after the charge",
        "curator/session.py",
        "        make_meter(declared)  # so that a schedule beyond its charge is refused before anything is charged\n",
        "",
        WINGS,
    ),
    broken(
        "an identity forgets the schedule",
        "curator/door/operation.py",
        "    if declared.schedule is not None:\n",
        "    if False:\n",
        WINGS,
    ),
    broken(
        "overruns are not counted",
        "curator/door/keeper.py",
        "                self._runs.count_overrun(kept.claim)\n",
        "",
        KEEPER,
    ),
    broken(
        "overruns suspend nobody", "ledger/entries/overruns.py", "    if count > MOST:\n", "    if False:\n", OVERRUNS
    ),
    broken(
        "a run that died is run again for ever",
        "ledger/entries/decisions.py",
        "        if begun.deaths >= overruns.DEADLY:\n",
        "        if False:\n",
        OVERRUNS,
    ),
    broken(
        "a run that died is not noticed",
        "ledger/entries/decisions.py",
        "return self._bury(db, begun) if begun.token is not None else self._take_over(db, begun, who, text)",
        "return self._take_over(db, begun, who, text)",
        OVERRUNS,
    ),
    broken(
        "a forked child gives up its parent's claim",
        "ledger/entries/claims.py",
        " or not self.lease.held:",
        ":",
        "tests/ledger/test_ledger.py",
    ),
    broken(
        "a large answer is recorded before its file is there",
        "ledger/ledger.py",
        "                files.write(answer)\n",
        "                pass\n",
        "tests/ledger/files/test_results.py",
    ),
    broken(
        "a file that was changed is believed",
        "ledger/files/results.py",
        "        if hash_bytes(data) != name:\n",
        "        if False:\n",
        "tests/ledger/files/test_results.py",
    ),
    broken(
        "anybody may read the failures",
        "ledger/files/failures.py",
        "            os.fchmod(descriptor, 0o600)\n",
        "",
        "tests/ledger/test_failures.py",
    ),
    broken(
        "failures hold connection strings",
        "ledger/failures.py",
        "        words = secret.sub(instead, words)\n",
        "        pass\n",
        "tests/ledger/test_failures.py",
    ),
    broken(
        "a route pays for nothing",
        "curator/session.py",
        "return found.assemble(self._holdings.ledger.use(found.charges, self._analyst, prepared.text))",
        "return found.assemble(self._holdings.ledger.use(found.charges))",
        SESSION,
    ),
]

MUTATIONS = [*IDENTITY, *METERED, *CLOSED, *JOURNALED, *RUNNING]
