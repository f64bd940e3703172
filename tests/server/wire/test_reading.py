"""What statements turn out to be."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from discreet.base.errors import QueryError
from discreet.curator.owner.tables import Tables
from discreet.server.wire.commands import (
    Acknowledge,
    AskQuestion,
    ChangeSetting,
    CloseCursor,
    CopyOut,
    DeclareCursor,
    ExplainQuestion,
    FetchRows,
    LookUp,
    Nothing,
    ShowSetting,
    Transact,
)
from discreet.server.wire.errors import WireError
from discreet.server.wire.lexing import split_statements
from discreet.server.wire.parameters import choose_samples, infer_types
from discreet.server.wire.reading import drop_schema, read_command
from support.clinic import open_clinic


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    folder: Path = tmp_path_factory.mktemp("clinic")
    with closing(open_clinic(folder)) as curator:
        return curator.tables


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", Nothing),
        (" /* nothing */ ", Nothing),
        ("SELECT COUNT(*) FROM visits", AskQuestion),
        ("WITH a AS (SELECT * FROM visits) SELECT COUNT(*) FROM a", AskQuestion),
        ("SELECT 1", LookUp),
        ("(SELECT relname FROM pg_class)", LookUp),
        ("SELECT * FROM information_schema.tables", LookUp),
        ("SELECT * FROM visits LIMIT 0", LookUp),
        ("EXPLAIN (VERBOSE) SELECT COUNT(*) FROM visits", ExplainQuestion),
        ("COPY (SELECT COUNT(*) FROM visits) TO STDOUT CSV", CopyOut),
        ("DECLARE c NO SCROLL CURSOR WITH HOLD FOR SELECT COUNT(*) FROM visits", DeclareCursor),
        ("FETCH FORWARD 10 FROM c", FetchRows),
        ("CLOSE c", CloseCursor),
        ("begin transaction isolation level serializable", Transact),
        ("END", Transact),
        ("ROLLBACK TO SAVEPOINT a", Transact),
        ('RELEASE "_pg3_1"', Transact),
        ("SET discreet.epsilon = 0.1", ChangeSetting),
        ("set session datestyle to 'ISO'", ChangeSetting),
        ("SET TIME ZONE 'UTC'", ChangeSetting),
        ("RESET ALL", ChangeSetting),
        ("SHOW transaction isolation level", ShowSetting),
        ("DISCARD ALL", Acknowledge),
        ("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", Acknowledge),
        ("DEALLOCATE PREPARE x", Acknowledge),
    ],
)
def test_statements_are_told_apart(tables: Tables, text: str, kind: type) -> None:
    assert isinstance(read_command(text, tables), kind)


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO visits VALUES (1)",
        "SELECT * FROM visits",
        "SELECT doctor FROM visits GROUP BY doctor",
        "SELECT COUNT(*) FROM visits, pg_class",
        "SELECT COUNT(*) INTO t FROM visits FROM",
        "COPY visits TO STDOUT",
        "VACUUM",
        "x" * 200_000,
    ],
)
def test_what_is_never_answered_is_refused_when_it_is_read(tables: Tables, text: str) -> None:
    with pytest.raises((WireError, QueryError)):
        read_command(text, tables)


def test_schemas_before_names_are_left_out_and_nothing_else() -> None:
    assert drop_schema("SELECT 'public.x' FROM discreet.public.visits") == "SELECT 'public.x' FROM visits"
    assert drop_schema('SELECT "public".visits.age FROM public.visits') == "SELECT visits.age FROM visits"
    assert drop_schema("SELECT a.public.b") == "SELECT a.public.b"


def test_statements_are_split_where_quotes_allow() -> None:
    text = "SELECT ';' ; SELECT $x$;$x$; SELECT E'\\';' /* ; /* ; */ ; */ ; -- ;\n SELECT \";\""
    assert len(split_statements(text)) == 4


def test_parameters_take_the_type_of_what_stands_beside_them(tables: Tables) -> None:
    command = read_command(
        "SELECT COUNT(*) FROM visits WHERE age > $1 AND ward IN ($2, 'icu') AND day = $3 AND $4::double > cost "
        "AND doctor LIKE $5",
        tables,
    )
    assert isinstance(command, AskQuestion)
    assert infer_types(command.tree, command.parameters, (), tables) == (20, 25, 1082, 701, 25)
    assert infer_types(command.tree, command.parameters, (23, 0, 705), tables)[:3] == (23, 25, 1082)
    samples = choose_samples(command.tree, (20, 25, 1082, 701, 25), tables)
    assert (samples["1"], samples["2"]) == (0, "north")
