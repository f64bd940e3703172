"""The layout of a ledger on PostgreSQL: the tables of `discreet.ledger.files.schema`, in a schema of their own.

`counted` is the second witness: a trigger, so the server itself, remembers there the highest number ever used, as
SQLite does in `sqlite_sequence`. A sequence would not do: it counts entries whose transaction came to nothing. `gate`
has no columns and no rows; writers lock it, one after the other. `failures` is for the operator: roles that ask may
add to it and not read it. Texts compare by their bytes, whatever the database's language.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from discreet.base.errors import LedgerError
from discreet.ledger.database import PATIENCE, Database
from discreet.ledger.postgres.connect import connect, load_driver
from discreet.ledger.postgres.errors import explain_errors
from discreet.ledger.postgres.server import Server
from discreet.ledger.postgres.statements import Statements, commit_transaction

APPLICATION = "discreet ledger"
VERSION = 2

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
    expires  DOUBLE PRECISION,
    runner   TEXT COLLATE "C" NOT NULL DEFAULT '',
    deaths   BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX asked ON charges (question, record);
CREATE TABLE payments (charge BIGINT NOT NULL, who TEXT COLLATE "C" NOT NULL, PRIMARY KEY (charge, who));
CREATE TABLE journal (
    charge   BIGINT NOT NULL,
    position BIGINT NOT NULL,
    call     TEXT COLLATE "C" NOT NULL,
    result   BYTEA NOT NULL,
    PRIMARY KEY (charge, position)
);
CREATE TABLE failures (
    number  BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at      TEXT COLLATE "C" NOT NULL,
    failure TEXT COLLATE "C" NOT NULL
);
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

_SCHEMA = """
SELECT n.oid, pg_get_userbyid(n.nspowner), pg_get_userbyid(n.nspowner) = current_user,
    EXISTS (SELECT FROM aclexplode(n.nspacl) WHERE privilege_type = 'CREATE' AND grantee <> n.nspowner)
FROM pg_namespace AS n WHERE n.nspname = ?
"""
_INSIDE = """
SELECT count(*), count(*) FILTER (WHERE coalesce(c.relowner <> n.nspowner OR c.relpersistence <> 'p',
    p.proowner <> n.nspowner OR p.proname <> 'count_entry' OR p.pronargs <> 0, TRUE))
FROM pg_namespace AS n JOIN pg_depend AS d ON d.refclassid = 'pg_namespace'::regclass AND d.refobjid = n.oid
LEFT JOIN pg_class AS c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid
LEFT JOIN pg_proc AS p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
WHERE n.oid = ? AND d.classid <> 'pg_default_acl'::regclass
"""
"""Everything in a schema, and what of it is neither a lasting table of its owner nor the one function."""


def create_schema(server: Server, fill: Callable[[Database], None]) -> None:
    """Make a new ledger whose tables hold nothing but what `fill` puts there, or raise.

    One transaction makes the schema and all in it: it appears whole or not at all. A schema that is there already is
    used only if it is empty and nobody else's, and two who create at once come one after the other.
    """
    with explain_errors(server, PATIENCE), contextlib.closing(connect(server, PATIENCE)) as connection:
        db = Statements(connection)
        db.execute("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        db.execute("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", (f"{APPLICATION} {server.schema}",))
        found = db.execute(_SCHEMA, (server.schema,)).fetchone()
        if found is None:
            try:
                db.execute(f'CREATE SCHEMA "{server.schema}"')
            except load_driver().errors.InsufficientPrivilege:
                raise LedgerError(
                    f"the role may not make the {server}: let an administrator GRANT CREATE ON DATABASE to it, or "
                    f'CREATE SCHEMA "{server.schema}" AUTHORIZATION it'
                ) from None
        else:
            _check_empty(db, server, *found)
        enter_schema(db, server)
        connection.execute(SCHEMA.encode())
        db.execute("INSERT INTO ledger VALUES (?, ?)", (APPLICATION, VERSION))
        fill(db)
        commit_transaction(connection, server)


def _check_empty(db: Database, server: Server, schema: int, owner: str, mine: bool, shared: bool) -> None:
    """Refuse a schema in which there is anything, or in which somebody else could put things."""
    if db.execute(_INSIDE, (schema,)).fetchone() != (0, 0):
        raise LedgerError(
            f"the {server} exists already and is the role {owner}'s: a ledger is created once. Remove nothing; "
            "go on asking"
        )
    if not mine or shared:
        raise LedgerError(
            f"others may put things into the {server}, which is the role {owner}'s: let `discreet init` make the "
            "schema, or give it to the role that runs it (ALTER SCHEMA ... OWNER TO), with CREATE for nobody else"
        )


def enter_schema(db: Database, server: Server) -> None:
    """Let names mean the ledger's tables, once nobody else can have put anything beside them."""
    db.execute("SELECT set_config('search_path', ?, false)", (f'"{server.schema}", pg_temp',))


def check_schema_layout(db: Database, server: Server) -> None:
    """Raise unless this program's layout of a ledger is there, and nothing beside it that its owner did not put there.

    A function that somebody else put there could be taken for the server's own, and a table that is not logged is empty
    after a crash.
    """
    if db.execute("SELECT to_regclass(?)", (f'"{server.schema}".entries',)).fetchone() == (None,):
        raise LedgerError(f"there is no ledger in {server}. `discreet init` creates one; if there was one, restore it")
    schema, owner, _, shared = db.execute(_SCHEMA, (server.schema,)).fetchone()
    if shared or db.execute(_INSIDE, (schema,)).fetchone()[1]:
        raise LedgerError(
            f"the {server} may hold what its owner {owner} did not make, or tables that a crash empties: let only the "
            "owner have CREATE on it, and everything in it belong to the owner and be LOGGED"
        )
    found = db.execute(f'SELECT application, version FROM "{server.schema}".ledger').fetchall()
    if len(found) != 1 or found[0][0] != APPLICATION:
        raise LedgerError(f"the {server} is not a ledger's; restore the ledger from a backup")
    if found[0][1] != VERSION:
        raise LedgerError(f"the {server} has layout {found[0][1]}, this program reads {VERSION}: use what wrote it")
