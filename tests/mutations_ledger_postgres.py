"""The rules of a ledger on PostgreSQL, each broken once."""

from __future__ import annotations

from mutations import broken

HERE = "tests/ledger/postgres"
CONNECT, STORE, LEASES = f"{HERE}/test_connect.py", f"{HERE}/test_store.py", f"{HERE}/test_leases.py"
SCHEMA, STATEMENTS, LOSSES = f"{HERE}/test_schema.py", f"{HERE}/test_statements.py", f"{HERE}/test_losses.py"
VERIFY, CURATOR = "tests/ledger/test_verify.py", "tests/curator/test_place.py"

MUTATIONS = [
    broken(
        "postgres: a role may turn syncing off",
        "ledger/postgres/connect.py",
        '        connection.execute("SET synchronous_commit = on")\n',
        '        connection.execute("SELECT 1")\n        commit_is = "on"\n',
        CONNECT,
    ),
    broken(
        "postgres: a server that does not sync is taken",
        "ledger/postgres/connect.py",
        ' or fsync != "on":',
        ":",
        CONNECT,
    ),
    broken(
        "postgres: a standby is taken for the primary",
        "ledger/postgres/connect.py",
        'if _row(connection, "SELECT pg_is_in_recovery()") == (True,):',
        "if False:",
        CONNECT,
    ),
    broken(
        "postgres: a pooler is not noticed",
        "ledger/postgres/connect.py",
        "if pid != connection.info.backend_pid:",
        "if False:",
        CONNECT,
    ),
    broken(
        "postgres: who hangs inside a transaction stays",
        "ledger/postgres/connect.py",
        '"idle_in_transaction_session_timeout": f"{HUNG}s"',
        '"idle_in_transaction_session_timeout": "0"',
        CONNECT,
    ),
    broken(
        "postgres: the server's words are shown",
        "ledger/postgres/connect.py",
        "{_refusal(str(error))}",
        "{error}",
        CONNECT,
    ),
    broken(
        "postgres: writers do not queue",
        "ledger/postgres/store.py",
        '            connection.execute("LOCK TABLE gate IN EXCLUSIVE MODE")\n',
        "",
        STORE,
    ),
    broken(
        "postgres: a writer sees the state from before its wait",
        "ledger/postgres/store.py",
        '_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"',
        '_WRITE = "BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE"',
        STORE,
        "tests/ledger/test_together.py",
    ),
    broken(
        "postgres: reading sees several states",
        "ledger/postgres/store.py",
        '_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"',
        '_READ = "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY"',
        STORE,
    ),
    broken(
        "postgres: every host goes by its own clock",
        "ledger/postgres/store.py",
        "            seconds: float = self._first(_CLOCK)[1]\n",
        "            import time\n\n            seconds: float = time.time()\n",
        STORE,
    ),
    broken(
        "postgres: a transaction that was rolled back counts as done",
        "ledger/postgres/statements.py",
        'if done != "COMMIT":',
        "if done is None:",
        STATEMENTS,
    ),
    broken(
        "postgres: a commit whose end is unknown is taken for a refusal",
        "ledger/postgres/statements.py",
        'if error.diag.severity_nonlocalized == "ERROR":',
        "if error:",
        STATEMENTS,
    ),
    broken(
        "postgres: the end of a session during a commit is taken for a refusal",
        "ledger/postgres/statements.py",
        'if error.diag.severity_nonlocalized == "ERROR":',
        "if error.sqlstate:",
        STATEMENTS,
    ),
    broken(
        "postgres: a record that nobody saw committed is shown",
        "ledger/ledger.py",
        "            entry = self._written(claim, answer)\n",
        "            entry = Entry(claim.entry, chain.RECORD, '', '', '')\n",
        LOSSES,
    ),
    broken(
        "postgres: a record is looked for without its turn",
        "ledger/ledger.py",
        'if entry is None or entry.body.get("answer") != chain.digest(answer):',
        "if entry is None:\n                entry = Entry(0, chain.RECORD, '', '', '')\n            if not entry:",
        LOSSES,
    ),
    broken(
        "postgres: a charge that may be lost keeps its lease",
        "ledger/ledger.py",
        "            if isinstance(claim, Claim):\n                claim.__exit__()\n            raise\n",
        "            raise\n",
        LOSSES,
    ),
    broken(
        "postgres: a lease never dies",
        "ledger/postgres/leases.py",
        "                return bool(self._ask(_HELD, token))",
        "                return True",
        LEASES,
    ),
    broken(
        "postgres: a lease is not held on the server",
        "ledger/postgres/leases.py",
        '_TAKE = "SELECT pg_try_advisory_lock(%s)"',
        '_TAKE = "SELECT %s IS NOT NULL"',
        LEASES,
    ),
    broken(
        "postgres: a lease is held until the end of a statement only",
        "ledger/postgres/leases.py",
        '_TAKE = "SELECT pg_try_advisory_lock(%s)"',
        '_TAKE = "SELECT pg_try_advisory_xact_lock(%s)"',
        LEASES,
    ),
    broken(
        "postgres: a forked child gives its parent's leases up",
        "ledger/postgres/leases.py",
        "            connection, self._connection = self._connection, None\n            self._held.clear()\n"
        "            self._dropped.clear()\n"
        "            if connection is not None:\n                abandon(connection)\n",
        "            pass\n",
        LEASES,
    ),
    broken(
        "postgres: a forked child says goodbye on its parent's session",
        "ledger/postgres/connect.py",
        "        os.dup2(nothing, connection.fileno(), inheritable=False)\n",
        "        pass\n",
        LEASES,
        STORE,
    ),
    broken(
        "postgres: a forked child keeps its parent's session open",
        "ledger/postgres/connect.py",
        "        os.dup2(nothing, connection.fileno(), inheritable=False)\n    finally:\n        os.close(nothing)\n"
        "    connection.close()\n",
        "        _kept.append(connection)\n    finally:\n        os.close(nothing)\n\n\n_kept: list[Any] = []\n",
        LEASES,
    ),
    broken(
        "postgres: a missing ledger is created",
        "ledger/postgres/schema.py",
        '        raise LedgerError(f"there is no ledger in',
        '        create(server, lambda db: None)\n        return\n        raise LedgerError(f"there is no ledger in',
        SCHEMA,
    ),
    broken(
        "postgres: a ledger is made among others' tables",
        "ledger/postgres/schema.py",
        "        elif db.execute(_OBJECTS, (server.schema,)).fetchone() != (0,):",
        '        elif db.execute("SELECT to_regclass(?)", (f"{server.schema}.ledger",)).fetchone() != (None,):',
        SCHEMA,
    ),
    broken(
        "postgres: the server does not count entries itself",
        "ledger/postgres/store.py",
        'counted = "SELECT number FROM counted"',
        'counted = "SELECT coalesce(max(number), 0) FROM entries"',
        VERIFY,
    ),
    broken(
        "postgres: a second ledger is made beside a file's",
        "curator/place.py",
        "if isinstance(place, Server) and beside.exists():",
        "if False:",
        CURATOR,
    ),
    broken(
        "postgres: a secret in place of a variable's name is shown",
        "policy/engines.py",
        'section.wrong(name, "is no name of an environment variable", remedy)',
        'section.wrong(name, f"is {shown(found)}, no name of an environment variable", remedy)',
        "tests/policy/test_ledger.py",
    ),
]
