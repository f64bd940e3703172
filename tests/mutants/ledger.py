"""The ledger's rules, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

RULES, LOCKS, LEASES = (
    "tests/ledger/entries/test_decisions.py",
    "tests/ledger/files/test_locks.py",
    "tests/ledger/files/test_leases.py",
)
LEDGER, STORE, VERIFY = "tests/ledger/test_ledger.py", "tests/ledger/files/test_store.py", "tests/ledger/test_verify.py"
FACTS, CRASH = "tests/ledger/test_facts.py", "tests/ledger/test_crash.py"
SUSPENSIONS = "tests/ledger/entries/test_suspensions.py"

MUTATIONS = [
    broken(
        "the analyst's own cap does not decide",
        "ledger/entries/decisions.py",
        "totals.admit_charge(db, who, self.caps.get(who), price) if who",
        "totals.admit_charge(db, who, None, price) if who",
        RULES,
    ),
    broken(
        "the total's filter does not decide",
        "ledger/entries/decisions.py",
        "total = totals.admit_charge(db, totals.TOTAL, self.total, price)",
        "total = totals.admit_charge(db, totals.TOTAL, None, price)",
        RULES,
    ),
    broken(
        "a charge forgets to update the total",
        "ledger/entries/decisions.py",
        '"total": totals.write(db, totals.TOTAL, total),',
        '"total": totals.sum_texts(total),',
        RULES,
    ),
    broken(
        "another's answer is free for everybody",
        "ledger/entries/decisions.py",
        "if who not in self.caps or claims.has_paid(db, asked.entry, who):",
        "if who or not who:",
        RULES,
    ),
    broken(
        "a charge is run again for another price",
        "ledger/entries/claims.py",
        '"question = ? AND record IS NULL AND epsilon = ? AND rho = ? AND delta = ? ORDER BY entry DESC LIMIT 1"',
        '"question = ? AND record IS NULL AND ? IS NOT ? AND ? IS NOT NULL ORDER BY entry DESC LIMIT 1"',
        RULES,
    ),
    broken(
        "a charge that somebody runs is run beside them",
        "ledger/entries/decisions.py",
        "        if self.alive(begun):\n",
        "        if False:\n",
        RULES,
        LEDGER,
    ),
    broken(
        "a holder that was overtaken may record",
        "ledger/entries/decisions.py",
        "now.record is not None or now.token != token:",
        "now.record is not None:",
        RULES,
    ),
    broken(
        "a hung holder is waited for for ever",
        "ledger/entries/decisions.py",
        "return self._clock() < asked.expires and self._leases.alive(asked.token)",
        "return self._leases.alive(asked.token)",
        RULES,
    ),
    broken(
        "a crashed holder is waited for until its time is over",
        "ledger/entries/decisions.py",
        "return self._clock() < asked.expires and self._leases.alive(asked.token)",
        "return self._clock() < asked.expires",
        RULES,
        LEDGER,
    ),
    broken(
        "fresh finds the old answer",
        "ledger/entries/decisions.py",
        "        if not fresh:\n",
        "        if True:\n",
        RULES,
    ),
    broken(
        "the first answer wins over a fresh one",
        "ledger/entries/claims.py",
        "DESC, record DESC LIMIT 1",
        "DESC, record LIMIT 1",
        RULES,
    ),
    broken(
        "who is suspended is charged",
        "ledger/entries/decisions.py",
        "        suspensions.refuse_suspended(db, who)\n        if not fresh:\n",
        "        if not fresh:\n",
        SUSPENSIONS,
    ),
    broken(
        "who is suspended is shown recorded answers",
        "ledger/entries/decisions.py",
        "        suspensions.refuse_suspended(db, who)\n        if not fresh:\n",
        "        if fresh or not claims.find_answered(db, request.identity, who):\n"
        "            suspensions.refuse_suspended(db, who)\n"
        "        if not fresh:\n",
        SUSPENSIONS,
    ),
    broken(
        "what ran while its analyst was suspended is recorded",
        "ledger/entries/decisions.py",
        "        suspensions.refuse_suspended(db, claim.analyst or totals.TOTAL)\n",
        "",
        SUSPENSIONS,
    ),
    broken(
        "everybody is suspended for one",
        "ledger/entries/suspensions.py",
        '    return f"{PREFIX}{who}"',
        "    return PREFIX",
        SUSPENSIONS,
    ),
    broken(
        "the unnamed is suspended for an analyst",
        "ledger/ledger.py",
        "        who = claim.analyst or totals.TOTAL\n        try:",
        "        who = totals.TOTAL\n        try:",
        SUSPENSIONS,
    ),
    broken(
        "every failure while suspended leaves a trace",
        "ledger/entries/suspensions.py",
        "    if find_suspension(db, who) is None:\n",
        "    if True:\n",
        SUSPENSIONS,
    ),
    broken(
        "a suspension that could not be written is forgotten",
        "ledger/ledger.py",
        "        share: Entry | None = None\n        self._settle()\n",
        "        share: Entry | None = None\n        self._owed.clear()\n",
        SUSPENSIONS,
    ),
    broken(
        "suspensions are not verified",
        "ledger/entries/recompute.py",
        "        if (name in self.states) != (kind == RESUME):\n",
        "        if False:\n",
        SUSPENSIONS,
    ),
    broken(
        "a named state ends a suspension",
        "ledger/ledger.py",
        "    if name.startswith((suspensions.PREFIX, suspensions.OVERRUNS, fresh_keys.PREFIX)) or ",
        "    if ",
        SUSPENSIONS,
    ),
    broken(
        "a forked child keeps its parent's locks",
        "ledger/files/locks.py",
        "os.register_at_fork(after_in_child=_close_in_child)",
        "",
        LOCKS,
        LEASES,
    ),
    broken(
        "connections are carried into forked children",
        "ledger/files/store.py",
        "        store._mutex.acquire()\n        store._disconnect()\n",
        "        store._mutex.acquire()\n",
        STORE,
    ),
    broken(
        "commits are not synced",
        "ledger/files/store.py",
        'connection.execute("PRAGMA synchronous = FULL")\n        connection.execute("PRAGMA fullfsync = ON")',
        'connection.execute("PRAGMA synchronous = NORMAL")',
        STORE,
    ),
    broken(
        "a missing ledger is created",
        "ledger/files/store.py",
        '    if not path.exists():\n        raise LedgerError(f"there is no ledger',
        "    if not path.exists():\n        create(path, lambda db: None)\n    if False:\n"
        '        raise LedgerError(f"there is no ledger',
        STORE,
    ),
    broken(
        "the unit may change under a ledger",
        "ledger/facts.py",
        "    if wrong:\n",
        '    if "neighbours" in [w["key"] for w in wrong]:\n',
        FACTS,
    ),
    broken(
        "tables that left the policy are forgotten",
        "ledger/facts.py",
        'tables = {**known["tables"], **new["tables"]}',
        'tables = dict(new["tables"])\n'
        '    known = {**known, "tables": {name: known["tables"][name] for name in known["tables"] if name in tables}}',
        FACTS,
    ),
    broken(
        "an entry's hash does not cover the one before",
        "ledger/entries/chain.py",
        "hash_json([previous, number, kind, at, text])",
        "hash_json([number, kind, at, text])",
        "tests/ledger/entries/test_chain.py",
    ),
    broken(
        "a cut tail is not held against the receipt",
        "ledger/verify.py",
        "    if receipt.entry > end:\n",
        "    if receipt.entry > end:\n        return\n    if receipt.entry < 0:\n",
        VERIFY,
    ),
    broken(
        "a rewritten chain is not held against the receipt",
        "ledger/verify.py",
        "if entry.hash == receipt.head)",
        "if entry.number == receipt.entry)",
        VERIFY,
    ),
    broken(
        "a receipt is looked for under its number alone",
        "ledger/verify.py",
        "if entry.hash == receipt.head)",
        "if (entry.number, entry.hash) == (receipt.entry, receipt.head))",
        VERIFY,
    ),
    broken(
        "answers are not held against their records",
        "ledger/verify.py",
        '    yield from _differing("the answer of entry", answers, wanted.answers)\n',
        "",
        VERIFY,
    ),
    broken(
        "the answer is recorded in another transaction than its entry",
        "ledger/entries/decisions.py",
        '        pass_step("recording")\n',
        '        db.execute("COMMIT")\n        db.execute("BEGIN")\n        pass_step("recording")\n',
        LEDGER,
    ),
]
