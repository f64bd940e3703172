"""Ways to break PostgreSQL's wire; the tests must notice every one."""

from __future__ import annotations

from mutants.mutant import broken

SERVER, CONNECTION = "tests/server/wire/test_server.py", "tests/server/wire/test_connection.py"
FREE, CATALOG = "tests/server/wire/test_free.py", "tests/server/pg_catalog/test_catalog.py"
SETTINGS, MESSAGES = "tests/server/wire/test_settings.py", "tests/server/wire/test_messages.py"
VERIFIER = "tests/server/accounts/test_scram_verifier.py"

BENCH = "tests/server/wire/test_bench.py"

MUTATIONS = [
    broken(
        "wire: whoever sends no TLS after asking for it makes the server log a failure",
        "server/wire/server.py",
        "except ssl.SSLError:  # whoever",
        "except ssl.SSLCertVerificationError:  # whoever",
        "tests/server/wire/test_fuzz.py",
    ),
    broken(
        "statements are read on the event loop",
        "server/wire/conversation.py",
        "await self._work(lambda: ReadStatement(text, read_command(text, tables)))",
        "ReadStatement(text, read_command(text, tables))",
        SERVER,
    ),
    broken(
        "statements of one analyst take all threads",
        "server/wire/bench.py",
        "Turns(threads, of_each, WAITING)",
        "Turns(threads, threads, WAITING)",
        SERVER,
    ),
    broken(
        "a turn ends when the client leaves, and not the work",
        "server/wire/bench.py",
        "return await asyncio.shield(task)",
        "return await task",
        BENCH,
    ),
    broken(
        "a long comment is read in the square of its length",
        "server/wire/settings.py",
        "if len(comment) > LONGEST_COMMENT:",
        "if False:",
        SETTINGS,
    ),
    broken(
        "describing a question asks it",
        "server/wire/conversation.py",
        "                described = await self._describe(command, settings, params)\n"
        "                return list_columns(described.fields, settings)",
        "                answer = await self._visit.ask(_make_asked(command, settings, params))\n"
        "                return list_columns(answer.fields, settings)",
        CONNECTION,
    ),
    broken(
        "there is a default price",
        "server/wire/settings.py",
        '    "epsilon": "",\n',
        '    "epsilon": "0.1",\n',
        SETTINGS,
    ),
    broken(
        "a question without a price is asked at the price of its description",
        "server/wire/conversation.py",
        "        if not settings.priced:\n            await self._visit.describe(asked)  # raises with the list\n",
        '        asked = asked if settings.priced else replace(asked, epsilon="1")\n        if False:\n',
        "tests/server/wire/test_clients.py",
    ),
    broken(
        "plaintext from elsewhere is let in",
        "server/wire/server.py",
        'if not encrypted and not is_local(writer.get_extra_info("peername")):',
        "if False:",
        SERVER,
    ),
    broken(
        "every address is this computer",
        "server/wire/startup.py",
        "    return bool((mapped or address).is_loopback)",
        "    return bool((mapped or address).is_private or (mapped or address).is_loopback)",
        "tests/server/wire/test_startup.py",
    ),
    broken(
        "the proof of a password is not compared",
        "server/accounts/scram_verifier.py",
        "        return hmac.compare_digest(hashlib.sha256(client_key).digest(), self.stored_key)",
        "        return len(client_key) == 32",
        VERIFIER,
        SERVER,
    ),
    broken(
        "a login goes on where the door admits without a proof",
        "server/wire/server.py",
        "        if not proved:\n            visit.close()\n",
        "        if False:\n            visit.close()\n",
        SERVER,
    ),
    broken(
        "a login is bound to no certificate",
        "server/wire/scram.py",
        "        return bound and same and proved,",
        "        return same and proved,",
        SERVER,
    ),
    broken(
        "a changed offer of channel binding is not noticed",
        "server/wire/scram.py",
        '        if found["binding"] == b"y" and self._fingerprint is not None:',
        "        if False:",
        SERVER,
    ),
    broken(
        "a nonce of somebody else's exchange is taken",
        "server/wire/scram.py",
        "        return bound and same and proved,",
        "        return bound and proved,",
        "tests/server/wire/test_scram.py",
    ),
    broken(
        "bytes before TLS are taken as if they came inside",
        "server/wire/server.py",
        '        if getattr(reader, "_buffer", b""):',
        "        if False:",
        SERVER,
    ),
    broken(
        "cancel keys can be guessed",
        "server/wire/startup.py",
        "        key = secrets.token_bytes(LONG_KEY if minor >= 2 else SHORT_KEY)",
        '        key = process.to_bytes(4, "big").ljust(LONG_KEY if minor >= 2 else SHORT_KEY, b"\\0")',
        "tests/server/wire/test_startup.py",
    ),
    broken(
        "cancel requests need no key",
        "server/wire/startup.py",
        "right = hmac.compare_digest(given, key) and process in self._stops",
        "right = process in self._stops",
        SERVER,
    ),
    broken(
        "numbers of connections are counted up",
        "server/wire/startup.py",
        "        while (process := secrets.randbits(32)) in self._stops or process == 0:",
        "        while (process := len(self._stops) + 1) in self._stops or process == 0:",
        "tests/server/wire/test_startup.py",
    ),
    broken(
        "messages have no longest length",
        "server/wire/messages.py",
        "    if not 4 <= size <= most:",
        "    if not 4 <= size:",
        MESSAGES,
    ),
    broken(
        "logins may take for ever",
        "server/wire/server.py",
        "            async with asyncio.timeout(self._limits.login_seconds):\n",
        "            async with asyncio.timeout(None):\n",
        SERVER,
    ),
    broken(
        "silent sockets keep others out",
        "server/wire/server.py",
        "            self._waiting.pop(oldest).transport.abort()\n            oldest.cancel()\n",
        "            raise ConnectionError\n",
        SERVER,
    ),
    broken(
        "rows are asked for in somebody's name",
        "server/wire/reading.py",
        "    if lists_rows(question):",
        "    if False:",
        FREE,
    ),
    broken(
        "a probe is asked as a question",
        "server/wire/reading.py",
        "    if is_probe(question):",
        "    if False:",
        FREE,
    ),
    broken(
        "every condition is taken for a probe",
        "server/wire/free.py",
        "    return where is not None and bool(grouped) and _is_false(where.this)",
        "    return where is not None",
        FREE,
    ),
    broken(
        "what follows a mistake is run",
        "server/wire/connection.py",
        "                self._skips = True\n",
        "                self._skips = False\n",
        CONNECTION,
    ),
    broken(
        "a portal asks again for every part",
        "server/wire/connection.py",
        "        if portal.outcome is None:\n            portal.outcome = await self._run(portal.read, portal.values)",
        "        if True:\n            portal.outcome = await self._run(portal.read, portal.values)",
        CONNECTION,
    ),
    broken(
        "an unexpected error is told word for word",
        "server/wire/connection.py",
        '            told = WireError("XX000", GENERIC)\n',
        '            told = WireError("XX000", str(error))\n',
        SERVER,
    ),
    broken(
        "numbers that do not fit are wrapped",
        "server/wire/encoding.py",
        "    if not (0 if unsigned else -end) <= value < end:",
        "    if False:",
        "tests/server/wire/test_encoding.py",
    ),
    broken(
        "ends of intervals are rounded to the nearest",
        "server/wire/encoding.py",
        "    return math.nextafter(near, math.inf if up else -math.inf) if inside else near",
        "    return near",
        "tests/server/wire/test_encoding.py",
    ),
    broken(
        "the catalog calls any function",
        "server/pg_catalog/rewrite.py",
        "    if name not in ALLOWED and not isinstance(node, exp.AggFunc):",
        "    if False:",
        CATALOG,
    ),
    broken(
        "the catalog reads files",
        "server/pg_catalog/catalog.py",
        '    "SET enable_external_access = false",\n',
        "",
        CATALOG,
    ),
    broken(
        "look-ups take as long as they like",
        "server/pg_catalog/catalog.py",
        "        timer.start()\n",
        "        timer.daemon = True\n",
        CATALOG,
    ),
    broken(
        "look-ups are as large as they like",
        "server/pg_catalog/catalog.py",
        "        if len(rows) > MOST_ROWS:",
        "        if False:",
        CATALOG,
    ),
    broken(
        "the catalog tells sizes that nobody declared",
        "server/pg_catalog/facts.py",
        "    size = -1 if table.size is None else table.size",
        "    size = 12 if table.size is None else table.size",
        CATALOG,
    ),
]
