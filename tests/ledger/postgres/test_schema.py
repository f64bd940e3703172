"""The layout: made once, whole, in a schema of its own, and used by roles that may do little else."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from discreet.base.errors import LedgerError
from discreet.ledger import JournalRow, Server
from discreet.ledger.database import Database
from discreet.ledger.postgres.schema import create_schema
from discreet.ledger.postgres.store import PostgresStore
from servers.postgres import Cluster
from support.ledger import DSN, TENTH, again, ask, new, question, tampering

PAGE = (Path(__file__).parents[3] / "docs" / "ledger.md").read_text()


def nothing(db: Database) -> None:
    """Fill nothing in."""


def exists(server: Server) -> bool:
    with tampering(server) as db:
        return bool(db.execute("SELECT 1 FROM pg_namespace WHERE nspname = ?", (server.schema,)).fetchone())


@pytest.fixture
def stranger(postgres: Cluster, server: Server) -> str:
    """The name of a role without rights."""
    name = f"other_{server.schema}"
    with postgres.connect() as admin:
        admin.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'hunter2'".encode())
    return name


def test_only_create_makes_a_ledger(server: Server) -> None:
    with pytest.raises(LedgerError, match=r"there is no ledger in schema .*`discreet init` creates one"):
        PostgresStore(server)
    assert not exists(server)


def test_a_ledger_is_created_once(server: Server) -> None:
    with new(server) as ledger:
        ask(ledger)
        with pytest.raises(LedgerError, match=r"exists already and is the role .*: a ledger is created once"):
            new(server)
        assert ledger.verify().ok


def test_creating_leaves_nothing_at_all_if_it_fails(server: Server) -> None:
    def fail(db: Database) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(LedgerError, match="No space left"):
        create_schema(server, fail)
    assert not exists(server)
    create_schema(server, nothing)
    PostgresStore(server).close()


def test_two_who_create_at_once_make_one_ledger(server: Server) -> None:
    told: list[str] = []

    def slow(db: Database) -> None:
        other.start()
        with tampering(server) as admin:  # until the other waits for its turn
            waiting = "SELECT 1 FROM pg_locks WHERE NOT granted"
            while other.is_alive() and admin.execute(waiting).fetchone() is None:
                pass

    def second() -> None:
        try:
            create_schema(server, nothing)
        except LedgerError as error:
            told.append(str(error))

    other = threading.Thread(target=second)
    create_schema(server, slow)
    other.join()
    assert len(told) == 1
    assert "exists already" in told[0]


def test_an_empty_schema_that_the_administrator_made_is_used_and_another_is_not(server: Server) -> None:
    with tampering(server) as db:
        db.execute(f"CREATE SCHEMA {server.schema}")
        db.execute(f"CREATE TABLE {server.schema}.theirs (x int)")
    with pytest.raises(LedgerError, match="exists already"):
        create_schema(server, nothing)
    with tampering(server) as db:
        db.execute("DROP TABLE theirs")
    create_schema(server, nothing)


OTHERS = (
    "CREATE FUNCTION {}.hashtextextended(text, integer) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'",
    "CREATE OPERATOR {}.= (LEFTARG = text, RIGHTARG = int, FUNCTION = public.{}_eq)",
    "CREATE DOMAIN {}.text AS pg_catalog.text",
)


def test_a_schema_in_which_there_is_anything_is_not_used(server: Server) -> None:
    """A function that fits better than the server's own would run as whoever makes the ledger."""
    with tampering(server) as db:
        db.execute(f"CREATE SCHEMA {server.schema}")
        made = f"CREATE FUNCTION public.{server.schema}_eq(text, int) RETURNS bool LANGUAGE sql"
        db.execute(f"{made} AS 'SELECT length($1) = $2'")
        db.execute(f"ALTER DEFAULT PRIVILEGES IN SCHEMA {server.schema} GRANT SELECT ON TABLES TO postgres")
    for statement in OTHERS:
        with tampering(server) as db:
            db.execute(statement.format(server.schema, server.schema))
        with pytest.raises(LedgerError, match="exists already and is the role postgres's"):
            create_schema(server, nothing)
        with tampering(server) as db:
            db.execute(f"DROP SCHEMA {server.schema} CASCADE")
            db.execute(f"CREATE SCHEMA {server.schema}")
    create_schema(server, nothing)


@pytest.mark.parametrize("shared", ["AUTHORIZATION {1}", "; GRANT CREATE ON SCHEMA {0} TO {1}"])
def test_a_schema_into_which_others_may_put_things_is_not_used(server: Server, stranger: str, shared: str) -> None:
    with tampering(server) as db:
        db.execute(f"CREATE SCHEMA {server.schema} {shared.format(server.schema, stranger)}")
    with pytest.raises(LedgerError, match=r"others may put things into .*ALTER SCHEMA ... OWNER TO"):
        create_schema(server, nothing)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE FUNCTION substr(text, integer, smallint) RETURNS text LANGUAGE sql AS 'SELECT $1'",
        "CREATE FUNCTION count_entry(text) RETURNS text LANGUAGE sql AS 'SELECT $1'",
        "GRANT CREATE ON SCHEMA {0} TO {1}",
        "ALTER TABLE states OWNER TO {1}",
        "ALTER FUNCTION count_entry() OWNER TO {1}",
        "ALTER TABLE totals SET UNLOGGED",
        "CREATE DOMAIN text AS pg_catalog.text",
    ],
)
def test_a_ledger_beside_which_others_put_things_is_not_opened(server: Server, stranger: str, statement: str) -> None:
    create_schema(server, nothing)
    with tampering(server) as db:
        db.execute(statement.format(server.schema, stranger))
    with pytest.raises(LedgerError, match="may hold what its owner postgres did not make"):
        PostgresStore(server)


def test_another_schema_is_not_taken_for_a_ledger_and_another_layout_is_not_guessed(server: Server) -> None:
    create_schema(server, nothing)
    for statement, told in (
        ("UPDATE ledger SET version = 1", "has layout 1, this program reads 2"),
        ("UPDATE ledger SET application = 'shop'", "is not a ledger's"),
        ("DROP TABLE ledger", "damaged or not a ledger"),
    ):
        with tampering(server) as db:
            db.execute(statement)
        with pytest.raises(LedgerError, match=told):
            PostgresStore(server)


def test_the_server_counts_entries_itself_and_only_those_that_were_committed(server: Server) -> None:
    create_schema(server, nothing)
    with tampering(server) as db:
        db.execute("INSERT INTO entries VALUES (5, '', '', '', '')")
        db.execute("DELETE FROM entries")
        assert db.execute("SELECT number FROM counted").fetchall() == [(5,)]
    with pytest.raises(ZeroDivisionError), tampering(server) as db:
        _ = db.execute("INSERT INTO entries VALUES (9, '', '', '', '')").rowcount / 0
    with tampering(server) as db:
        assert db.execute("SELECT number FROM counted").fetchall() == [(5,)]


def test_several_ledgers_in_one_database_are_several_budgets(server: Server) -> None:
    other = Server(server.dsn_env, f"{server.schema}_b")
    with new(server) as one, new(other) as two:
        for number in range(10):
            ask(one, f"{number}")
        assert (one.spent().spent[0], two.spent().spent[0]) == (1, 0)
        ask(two)
        assert one.verify().ok
        assert two.verify().ok


def test_what_every_question_looks_up_is_found_by_an_index(server: Server) -> None:
    create_schema(server, nothing)
    with tampering(server) as db:
        db.execute("SET enable_seqscan = off")
        for index, query in (
            ("asked", "SELECT * FROM charges WHERE question = 'q' AND record IS NOT NULL ORDER BY record DESC LIMIT 1"),
            ("policies", "SELECT number FROM entries WHERE kind IN ('CREATE', 'POLICY') ORDER BY number DESC LIMIT 1"),
        ):
            plan = " ".join(row[0] for row in db.execute(f"EXPLAIN {query}"))
            assert f"using {index}" in plan
            assert "Sort" not in plan


@pytest.fixture
def asker(
    postgres: Cluster, common_database: str, server: Server, stranger: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], None]:
    """Make a ledger and a role without rights, and return how to become it."""
    new(server).close()

    def become() -> None:
        options = {"user": stranger, "password": "hunter2"}
        monkeypatch.setenv(DSN, postgres.dsn(common_database, **options))

    return become


def test_a_role_without_rights_is_told_what_to_ask_for(server: Server, asker: Callable[[], None]) -> None:
    asker()
    with pytest.raises(LedgerError, match=r"role may not .* docs/ledger\.md") as caught:
        again(server)
    assert "hunter2" not in str(caught.value)
    with pytest.raises(LedgerError, match="role may not"):
        new(Server(server.dsn_env, f"{server.schema}_new"))


def test_the_rights_on_the_page_are_enough_to_ask_and_not_to_rewrite(server: Server, asker: Callable[[], None]) -> None:
    grants = PAGE.split("```sql\n")[1].split("```")[0]
    role = f"other_{server.schema}"
    with tampering(server) as db:
        for statement in filter(None, map(str.strip, grants.split(";"))):
            text = re.sub(r"\basker\b", role, statement)
            db.execute(re.sub(r"\bdiscreet\b", server.schema, text))
    asker()
    with again(server, epsilon=2) as ledger:
        ask(ledger)
        ledger.charge(question("r"), TENTH).__exit__()
        ledger.set_state("s", b"1")
        ledger.set_state("s", b"2")
        with ledger.charge(question("r"), TENTH) as claim:
            ledger.runs.write_journal(claim, 0, [JournalRow("call", b"result")])
            ledger.runs.renew(claim)
            ledger.note_failure(claim, "sql", ValueError("patient 7"))
            ledger.suspend(claim)
        ledger.resume()
        with ledger.charge(question("r"), TENTH) as claim:
            ledger.record(claim, b"2")
        assert ledger.verify().ok
    for tamper in (
        "UPDATE entries SET at = ''",
        "DELETE FROM entries",
        "UPDATE answers SET answer = ''",
        "DROP TABLE head",
        "SELECT failure FROM failures",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege), tampering(server) as db:
            db.execute(tamper)
