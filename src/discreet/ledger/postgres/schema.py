"""The layout of a ledger on PostgreSQL: the tables of `discreet.ledger.schema`, in a schema of their own.

`counted` is the second witness: a trigger, so the server itself, remembers there the highest number ever used, as
SQLite does in `sqlite_sequence`. A sequence would not do: it counts entries whose transaction came to nothing. `gate`
has no columns and no rows; writers lock it, one after the other. Texts compare by their bytes, whatever the database's
language.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from discreet.base.errors import LedgerError
from discreet.ledger.database import PATIENCE, Database
from discreet.ledger.postgres.connect import connect
from discreet.ledger.postgres.plainly import plainly
from discreet.ledger.postgres.server import Server
from discreet.ledger.postgres.statements import Statements, commit

APPLICATION = "discreet ledger"
VERSION = 1

SCHEMA = """
CREATE TABLE ledger (application TEXT NOT NULL, version INTEGER NOT NULL);
CREATE TABLE gate ();
CREATE TABLE entries (
    number BIGINT PRIMARY KEY,
    kind   TEXT COLLATE "C" NOT NULL,
    at     TEXT COLLATE "C" NOT NULL,
    body   TEXT COLLATE "C" NOT NULL,
    hash   TEXT COLLATE "C" NOT NULL
);
CREATE INDEX policies ON entries (number) WHERE kind IN ('CREATE', 'POLICY');
CREATE TABLE head (number BIGINT NOT NULL, hash TEXT COLLATE "C" NOT NULL);
CREATE TABLE totals (
    who     TEXT COLLATE "C" PRIMARY KEY,
    epsilon TEXT COLLATE "C" NOT NULL,
    rho     TEXT COLLATE "C" NOT NULL,
    delta   TEXT COLLATE "C" NOT NULL
);
CREATE TABLE charges (
    entry    BIGINT PRIMARY KEY,
    question TEXT COLLATE "C" NOT NULL,
    epsilon  TEXT COLLATE "C" NOT NULL,
    rho      TEXT COLLATE "C" NOT NULL,
    delta    TEXT COLLATE "C" NOT NULL,
    record   BIGINT,
    token    TEXT COLLATE "C",
    expires  DOUBLE PRECISION
);
CREATE INDEX asked ON charges (question, record);
CREATE TABLE payments (charge BIGINT NOT NULL, who TEXT COLLATE "C" NOT NULL, PRIMARY KEY (charge, who));
CREATE TABLE answers (record BIGINT PRIMARY KEY, answer BYTEA NOT NULL);
CREATE TABLE states (name TEXT COLLATE "C" PRIMARY KEY, entry BIGINT NOT NULL, value BYTEA NOT NULL);
CREATE TABLE counted (number BIGINT NOT NULL);
INSERT INTO counted VALUES (0);
CREATE FUNCTION count_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE counted SET number = greatest(number, NEW.number);
    RETURN NULL;
END $$;
CREATE TRIGGER count_entry AFTER INSERT ON entries FOR EACH ROW EXECUTE FUNCTION count_entry();
"""

_OBJECTS = "SELECT count(*) FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = ?)"


def create(server: Server, fill: Callable[[Database], None]) -> None:
    """Make a new ledger whose tables hold nothing but what `fill` puts there, or raise.

    One transaction makes the schema and all in it: it appears whole or not at all. A schema that is there already is
    used only if it is empty, and two who create at once come one after the other.
    """
    with plainly(server, PATIENCE), contextlib.closing(connect(server, PATIENCE)) as connection:
        db = Statements(connection)
        db.execute("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        db.execute("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", (f"{APPLICATION} {server.schema}",))
        if db.execute("SELECT 1 FROM pg_namespace WHERE nspname = ?", (server.schema,)).fetchone() is None:
            db.execute(f'CREATE SCHEMA "{server.schema}"')
        elif db.execute(_OBJECTS, (server.schema,)).fetchone() != (0,):
            raise LedgerError(f"the {server} exists already: a ledger is created once. Remove nothing; open it")
        connection.execute(SCHEMA.encode())
        db.execute("INSERT INTO ledger VALUES (?, ?)", (APPLICATION, VERSION))
        fill(db)
        commit(connection, server)


def check(db: Database, server: Server) -> None:
    """Raise unless this program's layout of a ledger is there."""
    if db.execute("SELECT to_regclass(?)", (f'"{server.schema}".entries',)).fetchone() == (None,):
        raise LedgerError(f"there is no ledger in {server}. `discreet init` creates one; if there was one, restore it")
    found = db.execute("SELECT application, version FROM ledger").fetchall()
    if len(found) != 1 or found[0][0] != APPLICATION:
        raise LedgerError(f"the {server} is not a ledger's; restore the ledger from a backup")
    if found[0][1] != VERSION:
        raise LedgerError(f"the {server} has layout {found[0][1]}, this program reads {VERSION}: use what wrote it")
