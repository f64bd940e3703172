"""The rules of the engine on PostgreSQL, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

HERE = "tests/engines/postgres"
CATALOG, DIALECT, ENGINE, FORMS = (f"{HERE}/test_{name}.py" for name in ("catalog", "dialect", "engine", "forms"))
LITERALS, ONCE, REACH = (f"{HERE}/test_{name}.py" for name in ("literals", "once", "reach"))
SESSION, SOURCES = (f"{HERE}/test_{name}.py" for name in ("session", "sources"))
IN = "engines/postgres"

READING = [
    broken(
        "inside postgres: columns keep their collation",
        f"{IN}/sources.py",
        'return collate_bytewise(f"CASE {unread}WHEN length({written}) <= {most} THEN {written} END")',
        'return f"(CASE {unread}WHEN length({written}) <= {most} THEN {written} END)"',
        SOURCES,
    ),
    broken(
        "inside postgres: text constants have the collation of the database",
        f"{IN}/literals.py",
        'return collate_bytewise(f"{write_plain(value)}::text")',
        'return f"{write_plain(value)}::text"',
        LITERALS,
    ),
    broken(
        "inside postgres: decimals beyond all floats raise",
        f"{IN}/sources.py",
        " WHEN abs({value}) >= {OVERFLOW} THEN NULL ",
        " ",
        SOURCES,
    ),
    broken(
        "inside postgres: decimals below all floats raise",
        f"{IN}/sources.py",
        'f"WHEN abs({value}) <= {UNDERFLOW} THEN {write_double(0.0)} ELSE {cast} END)"',
        'f"ELSE {cast} END)"',
        SOURCES,
    ),
    broken(
        "inside postgres: times with a zone are not in UTC",
        f"{IN}/sources.py",
        "AT TIME ZONE 'UTC'",
        "AT TIME ZONE 'Asia/Tokyo'",
        SOURCES,
    ),
    broken(
        "inside postgres: texts are as long as they like",
        f"{IN}/sources.py",
        'return collate_bytewise(f"CASE {unread}WHEN length({written}) <= {most} THEN {written} END")',
        "return collate_bytewise(written)",
        SOURCES,
    ),
    broken(
        "inside postgres: long texts are read to be measured",
        f"{IN}/sources.py",
        "WHEN octet_length({value}) > {bytes_} THEN NULL ",
        "",
        SOURCES,
    ),
    broken(
        "inside postgres: one unit is two by the zeros at its end",
        f"{IN}/sources.py",
        "trim_scale({quote_name(name)})",
        "{quote_name(name)}",
        SOURCES,
    ),
    broken(
        "inside postgres: a view needs no version",
        f"{IN}/sources.py",
        "if table.version is None and writes(session, self.relation) is None:",
        "if False:",
        SOURCES,
    ),
    broken(
        "inside postgres: conditions of a question come before those of a view",
        f"{IN}/sources.py",
        " OFFSET 0) AS q",
        ") AS q",
        SOURCES,
    ),
    broken(
        "inside postgres: volatile views are taken",
        f"{IN}/catalog.py",
        "    if volatile:\n",
        "    if False:\n",
        CATALOG,
    ),
    broken("inside postgres: samples are taken", f"{IN}/catalog.py", "|tsmhandler", "", CATALOG),
    broken(
        "inside postgres: foreign tables are taken", f"{IN}/catalog.py", "    if foreign:\n", "    if False:\n", CATALOG
    ),
    broken(
        "inside postgres: updates are not noticed",
        f"{IN}/catalog.py",
        "s.n_tup_ins, s.n_tup_upd, s.n_tup_del",
        "s.n_tup_ins, s.n_tup_del",
        CATALOG,
    ),
    broken(
        "inside postgres: counts that began anew are not noticed",
        f"{IN}/catalog.py",
        "pg_stat_get_bgwriter_stat_reset_time()",
        "''",
        CATALOG,
    ),
    broken(
        "inside postgres: another type of a known name is that type",
        f"{IN}/catalog.py",
        "if not own or kind not in TYPES:",
        "if kind not in TYPES:",
        SOURCES,
    ),
]

CONNECTING = [
    broken(
        "inside postgres: a session may write",
        f"{IN}/session.py",
        "REPEATABLE READ, READ ONLY",
        "REPEATABLE READ",
        SESSION,
    ),
    broken(
        "inside postgres: a session has no one snapshot",
        f"{IN}/session.py",
        "ISOLATION LEVEL REPEATABLE READ",
        "ISOLATION LEVEL READ COMMITTED",
        SESSION,
    ),
    broken(
        "inside postgres: each statement of a question has a snapshot of its own",
        f"{IN}/engine.py",
        "        if self._session is None:\n            session",
        "        self.release()\n        if self._session is None:\n            session",
        ENGINE,
    ),
    broken(
        "inside postgres: search_path is not pinned",
        f"{IN}/session.py",
        '    "search_path": "pg_catalog, pg_temp",\n',
        '    "search_path": "public, pg_catalog, pg_temp",\n',
        SESSION,
    ),
    broken(
        "inside postgres: settings are not pinned",
        f"{IN}/session.py",
        "        connection.execute(PIN, settings(self.version))\n",
        "",
        SESSION,
    ),
    broken(
        "inside postgres: backslashes may escape",
        f"{IN}/session.py",
        '"standard_conforming_strings": "on"',
        '"standard_conforming_strings": "off"',
        SESSION,
    ),
    broken(
        "inside postgres: statements end after a while",
        f"{IN}/session.py",
        '    "statement_timeout": "0",\n',
        "",
        SESSION,
    ),
    broken(
        "inside postgres: rows are hidden silently",
        f"{IN}/session.py",
        '"row_security": "off"',
        '"row_security": "on"',
        SOURCES,
    ),
    broken(
        "inside postgres: the server's words are shown",
        f"{IN}/session.py",
        'raise self.problem("no server answers", remedy) from None',
        'raise self.problem(f"no server answers: {trouble}", remedy) from None',
        SESSION,
    ),
    broken(
        "inside postgres: the server's refusal hangs on the error",
        f"{IN}/session.py",
        'raise self.problem("the server refuses the connection", remedy) from None',
        'raise self.problem("the server refuses the connection", remedy) from trouble',
        SESSION,
    ),
    broken(
        "inside postgres: the address is shown",
        f"{IN}/session.py",
        'f"{self.variable} holds no address of a database"',
        'f"{address} is no address of a database"',
        SESSION,
    ),
    broken(
        "inside postgres: a server that fails is quoted",
        f"{IN}/session.py",
        'raise self.problem(f"the server failed while {doing}", remedy) from None',
        "raise",
        ENGINE,
    ),
    broken(
        "inside postgres: any encoding is taken",
        f"{IN}/session.py",
        'parameter_status("server_encoding") != "UTF8"',
        'parameter_status("server_encoding") == "nothing"',
        SESSION,
    ),
    broken(
        "inside postgres: temporary files may be limited",
        f"{IN}/session.py",
        '!= [("-1",)]',
        "== []",
        SESSION,
    ),
    broken(
        "private tables tell their values",
        "engines/lookups.py",
        "if not self.tables[table.casefold()].table.public:",
        "if False:",
        ENGINE,
    ),
]

FORMING = [
    broken(
        "inside postgres: sums of floats have no guard",
        f"{IN}/forms_float.py",
        "if max(highs) <= 1023 or min(highs) <= 970:",
        "if True:",
        FORMS,
    ),
    broken(
        "inside postgres: products of floats have no guard",
        f"{IN}/forms_float.py",
        "if low + least >= -1074 and high + most <= 1024:",
        "if True:",
        FORMS,
    ),
    broken(
        "inside postgres: quotients of floats have no guard",
        f"{IN}/forms_float.py",
        "if low - most >= -1074 and high - least <= 1024:",
        "if True:",
        FORMS,
    ),
    broken(
        "inside postgres: products with constants have no guard",
        f"{IN}/forms_float.py",
        "if size > 1 and within[1] + exponent > 1024:",
        "if False:",
        FORMS,
    ),
    broken(
        "inside postgres: texts of dates are not looked at",
        f"{IN}/forms_time.py",
        'ISO_DATE = f"^{_DAY}$"',
        'ISO_DATE = "^.*$"',
        FORMS,
    ),
    broken(
        "inside postgres: the last day ends in another year", f"{IN}/forms_time.py", "(?!9999-12-31[ T]24)", "", FORMS
    ),
    broken(
        "inside postgres: dates move out of the calendar",
        f"{IN}/forms_time.py",
        "FIRST - min(step, dt.timedelta()), LAST - max(step, dt.timedelta())",
        "FIRST, LAST",
        FORMS,
    ),
    broken(
        "inside postgres: texts of whole numbers are not looked at",
        f"{IN}/forms_casts.py",
        'WHOLE = "^ *[+-]?[0-9]+ *$"',
        'WHOLE = "^.*$"',
        FORMS,
    ),
    broken(
        "inside postgres: floats beyond 64 bits are cast",
        f"{IN}/forms_casts.py",
        "(write_double(-(2.0**63)), write_double(2.0**63))",
        "(write_double(-(2.0**64)), write_double(2.0**64))",
        FORMS,
    ),
    broken(
        "inside postgres: letters of all languages have two cases",
        f"{IN}/forms_text.py",
        'f"lower({collate_bytewise(arguments[0])})"',
        'f"lower({arguments[0]} COLLATE \\"en-x-icu\\")"',
        FORMS,
    ),
    broken(
        "inside postgres: NaN has many texts", f"{IN}/forms.py", "THEN 9221120237041090560 ELSE", "THEN 1 ELSE", FORMS
    ),
    broken(
        "inside postgres: square roots are thought small",
        f"{IN}/reach.py",
        '"sqrt": (-537, 513)',
        '"sqrt": (-400, 400)',
        REACH,
    ),
    broken(
        "inside postgres: sums are thought to stay",
        f"{IN}/reach.py",
        "min(max(high for _, high in inner) + 1, 1024)",
        "max(high for _, high in inner)",
        REACH,
    ),
    broken(
        "inside postgres: arguments are computed again and again",
        f"{IN}/once.py",
        "(SELECT {columns} OFFSET 0)",
        "(SELECT {columns})",
        ONCE,
    ),
    broken(
        "inside postgres: tiny floats are not tame",
        f"{IN}/dialect.py",
        "abs({x}) < {write_double(TINY)}",
        "abs({x}) < {write_double(0.0)}",
        DIALECT,
    ),
    broken(
        "inside postgres: infinite floats are not tame",
        f"{IN}/dialect.py",
        'held = f"least(greatest({x}, -{end}), {end})"',
        'held = x + f" + 0 * {end}"',
        DIALECT,
    ),
    broken(
        "the end of the last day is a time on DuckDB",
        "engines/duck/forms_time.py",
        "10000-01-01 00:00:00",
        "10001-01-01 00:00:00",
        "tests/engines/duck/test_forms_time.py",
    ),
]

MUTATIONS = [*READING, *CONNECTING, *FORMING]
