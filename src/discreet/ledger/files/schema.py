"""The layout of a ledger's database. Everything but `entries` can be recomputed from them, and `verify` does.

`entries` is the chain. `number` is AUTOINCREMENT only for a second witness: SQLite itself remembers, in
`sqlite_sequence`, the highest number ever used, so a tail that is merely deleted is missed. An answer that is NULL is a
file of its own (`results`).
"""

from __future__ import annotations

APPLICATION = 0x64637274
VERSION = 2

SCHEMA = f"""
CREATE TABLE entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    kind   TEXT NOT NULL,
    at     TEXT NOT NULL,
    body   TEXT NOT NULL,
    hash   TEXT NOT NULL
) STRICT;
CREATE INDEX policies ON entries (number) WHERE kind IN ('CREATE', 'POLICY');

CREATE TABLE head (number INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;

CREATE TABLE totals (
    who     TEXT PRIMARY KEY,
    epsilon TEXT NOT NULL,
    rho     TEXT NOT NULL,
    delta   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE charges (
    entry    INTEGER PRIMARY KEY,
    question TEXT NOT NULL,
    epsilon  TEXT NOT NULL,
    rho      TEXT NOT NULL,
    delta    TEXT NOT NULL,
    record   INTEGER,
    token    TEXT,
    expires  REAL,
    runner   TEXT NOT NULL DEFAULT '',
    deaths   INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX asked ON charges (question, record);

CREATE TABLE payments (charge INTEGER NOT NULL, who TEXT NOT NULL, PRIMARY KEY (charge, who)) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
    charge   INTEGER NOT NULL,
    position INTEGER NOT NULL,
    call     TEXT NOT NULL,
    result   BLOB NOT NULL,
    PRIMARY KEY (charge, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE answers (record INTEGER PRIMARY KEY, answer BLOB) STRICT;

CREATE TABLE states (name TEXT PRIMARY KEY, entry INTEGER NOT NULL, value BLOB NOT NULL) STRICT;

PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
"""
