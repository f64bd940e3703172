"""The server: who is let in, what one analyst is told of another, and when replies leave."""

from __future__ import annotations

from mutants.mutant import broken

BOOK = "tests/server/accounts/test_book.py"
API = "tests/server/http/test_api.py"
GUARD = "tests/server/http/test_guard.py"
NEIGHBOURS = "tests/server/test_neighbours.py"
DOOR = "tests/server/test_door.py"
SCHEDULE = "tests/server/test_schedule.py"
KEYS = "tests/ledger/entries/test_fresh_keys.py"
SHOWN = "tests/curator/test_shown_tables.py"
TELLING = "tests/server/workers/test_telling.py"
OWN = "tests/server/workers/test_own_entries.py"
LOG = "tests/server/test_audit_log.py"
CLERK = "tests/server/workers/test_clerk.py"
DECISIONS = "tests/ledger/entries/test_decisions.py"
LATE = "tests/curator/door/test_public_times.py"

MUTATIONS = [
    broken(
        "any token opens a name that is known",
        "server/accounts/book.py",
        "if not hmac.compare_digest(derived.stored_key, verifier.stored_key) or name is None:",
        "if name is None:",
        BOOK,
    ),
    broken(
        "salts of unknown names change when the server starts again",
        "server/accounts/book.py",
        "salt = hmac.digest(self._salting, name",
        "salt = hmac.digest(self._pepper, name",
        BOOK,
    ),
    broken(
        "a revoked or expired account is let in",
        "server/accounts/book.py",
        "if found is None or not found.is_open(self._clock()) or not self._is_in_policy(found):",
        "if found is None or not self._is_in_policy(found):",
        BOOK,
    ),
    broken(
        "an analyst who is no longer in the policy is let in",
        "server/accounts/book.py",
        "if found is None or not found.is_open(self._clock()) or not self._is_in_policy(found):",
        "if found is None or not found.is_open(self._clock()):",
        BOOK,
    ),
    broken(
        "a token that was checked once is known for good",
        "server/accounts/book.py",
        "known = self._known.get(digest) == verifier",
        "known = digest in self._known",
        BOOK,
    ),
    broken(
        "a table that is not listed may be named",
        "query/catalog.py",
        "        if not self.shows(name):\n            raise self._refuse(name)\n",
        "",
        SHOWN,
    ),
    broken(
        "explain tells that somebody else asked before",
        "curator/telling.py",
        "(prepared.request.identity in self._held or not self.has_paid(prepared.request)):",
        "prepared.request.identity in self._held:",
        API,
    ),
    broken(
        "explain tells that a run has ended before its answer leaves",
        "curator/telling.py",
        "(prepared.request.identity in self._held or not self.has_paid(prepared.request)):",
        "not self.has_paid(prepared.request):",
        NEIGHBOURS,
    ),
    broken(
        "entries tell that a run has ended before its answer leaves",
        "server/workers/clerk.py",
        "[each for each in self._own.list(analyst) if each.identity not in held]",
        "self._own.list(analyst)",
        NEIGHBOURS,
    ),
    broken(
        "what others asked decides the way and the price",
        "curator/session.py",
        "        alone = not prepared.question.beside and not self._holdings.served\n",
        "        alone = not prepared.question.beside\n",
        CLERK,
    ),
    broken(
        "a wrong confidence is refused after the charge",
        "server/workers/clerk.py",
        "if not 0 < asked.confidence < 1:",
        "if False:",
        CLERK,
    ),
    broken(
        "a budget tells that a run has failed before its tick",
        "server/workers/clerk.py",
        "bool(budget.suspended) and not held",
        "bool(budget.suspended)",
        CLERK,
    ),
    broken(
        "who waits for another's run pays when it ends",
        "ledger/entries/decisions.py",
        "return Waiting(begun.entry, share=self._share(db, begun, who, text))",
        "return Waiting(begun.entry)",
        DECISIONS,
    ),
    broken(
        "another's fresh noise is paid for by who has an answer",
        "ledger/entries/claims.py",
        "ORDER BY {own} DESC, record DESC LIMIT 1",
        "ORDER BY {own} = TRUE AND FALSE, record DESC LIMIT 1",
        DECISIONS,
    ),
    broken(
        "the text of who asked first is another's to read",
        "ledger/entries/decisions.py",
        """            "text": text,
            "analyst": who,
            **totals.write_charge(asked.charge),""",
        """            "text": (chain.get(db, asked.entry) or asked).body["text"],
            "analyst": who,
            **totals.write_charge(asked.charge),""",
        OWN,
    ),
    broken(
        "a receipt's hash tells that another's answer was there before",
        "server/workers/own_entries.py",
        "head = self._entries[analyst][number - 1].hash",
        "head = receipt.head",
        OWN,
    ),
    broken(
        "what stands between two receipts can be tried out",
        "ledger/entries/chain.py",
        '{**body, "salt": secrets.token_hex(16)} if kind in (CHARGE, SHARE, RECORD) else body',
        "body",
        OWN,
    ),
    broken(
        "an amount keeps a worker busy for hours",
        "server/workers/clerk.py",
        'if len(text) > 40 or len(text.lower().partition("e")[2]) > LONGEST_EXPONENT:',
        "if len(text) > 40:",
        CLERK,
    ),
    broken(
        "the whole budget is shown to analysts",
        "curator/telling.py",
        "return found if not self._holdings.served else Budget(found.analysts[0], (), found.suspended)",
        "return found",
        API,
    ),
    broken(
        "a receipt tells that another had paid the total",
        "server/workers/own_entries.py",
        'paid = "free" if receipt.paid == FREE else "charged"',
        "paid = receipt.paid",
        OWN,
    ),
    broken(
        "receipts have the ledger's numbers",
        "server/workers/own_entries.py",
        'f"{number}:{head}"',
        'f"{receipt.entry}:{head}"',
        OWN,
    ),
    broken(
        "a suspension names the entry",
        "server/workers/telling.py",
        'return ToldError("SuspendedError", SUSPENDED)',
        'return ToldError("SuspendedError", str(trouble))',
        TELLING,
    ),
    broken(
        "what went wrong by accident is told as it is",
        "server/workers/telling.py",
        'return ToldError("ServerError", BROKEN)',
        'return ToldError("ServerError", str(trouble))',
        TELLING,
    ),
    broken(
        "answers leave when they are there",
        "server/door.py",
        "            await self.schedule.leave(arrived, plans[0].seconds)\n",
        "            pass\n",
        NEIGHBOURS,
    ),
    broken(
        "what is written of a refusal moves its tick",
        "server/door.py",
        "                    await self._note_refusal(visit, asked, refused)\n",
        "                    await self._note_refusal(visit, asked, refused)\n"
        "                    arrived = self.schedule.now()\n",
        DOOR,
    ),
    broken(
        "looking at the account moves the tick",
        "server/door.py",
        "                await visit.check_open()\n                while True:\n",
        "                await visit.check_open()\n                arrived = self.schedule.now()\n"
        "                while True:\n",
        DOOR,
    ),
    broken(
        "a late answer leaves when it is there",
        "server/schedule.py",
        "ticks = max(1, math.ceil((self._clock() - arrived - SLACK) / step))",
        "ticks = 1",
        SCHEDULE,
    ),
    broken(
        "what another analyst received leaves at once",
        "server/door.py",
        "received, new = self._received.setdefault(visit.analyst, set()), False",
        'received, new = self._received.setdefault("", set()), False',
        NEIGHBOURS,
    ),
    broken(
        "what was received before tells at once when a run ended",
        "server/door.py",
        "if not plans or (known and self._held):",
        "if not plans:",
        NEIGHBOURS,
    ),
    broken(
        "a turn is not held until the tick",
        "server/door.py",
        "async with self._asking.take(visit.analyst):\n",
        "async with Turns(9, 9, 9).take(visit.analyst):\n",
        NEIGHBOURS,
    ),
    broken(
        "a run that outlasts its public time is not counted",
        "curator/door/keeper.py",
        "for each in (self._deadline, public_time))",
        "for each in (self._deadline, None))",
        LATE,
    ),
    broken(
        "served runs have no public time",
        "curator/session.py",
        "return find_public_time(plans, self._holdings.policy) if self._holdings.served else None",
        "return None",
        LATE,
    ),
    broken(
        "a fresh request pays again under its key",
        "ledger/entries/decisions.py",
        "elif key is not None and (number :=",
        "elif key is not None and False and (number :=",
        KEYS,
    ),
    broken(
        "a key is good for another question",
        "ledger/entries/fresh_keys.py",
        "if question != identity:",
        "if False:",
        KEYS,
    ),
    broken(
        "a key of one analyst is another's too",
        "ledger/entries/fresh_keys.py",
        "write_json([who, key])",
        "write_json([0, key])",
        KEYS,
    ),
    broken(
        "fresh noise is sold without a key",
        "server/workers/clerk.py",
        "if asked.fresh and not asked.key:",
        "if False:",
        API,
    ),
    broken(
        "owners ask as analysts do",
        "server/door.py",
        "if self.role is not Role.ANALYST:",
        "if False:",
        API,
    ),
    broken(
        "requests for other hosts are answered",
        "server/http/guard.py",
        "if _strip_port(host).casefold() not in self._hosts:",
        "if False:",
        GUARD,
    ),
    broken(
        "pages of other origins may ask",
        "server/http/guard.py",
        'if headers.get("origin", own).casefold() != own.casefold():',
        "if False:",
        GUARD,
    ),
    broken(
        "a line of the audit log does not cover those before",
        "server/audit_log.py",
        "return hash_json([previous, number, at, kind, who, text])",
        "return hash_json([number, at, kind, who, text])",
        LOG,
    ),
]
