"""A statement's text, and what it wants."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from discreet.base.quiet import silence
from discreet.curator.owner.tables import Tables
from discreet.query.parse import LONGEST, PARSER, parse_query
from discreet.server.pg_catalog.names import SCHEMAS, is_catalog_name
from discreet.server.wire.commands import (
    Acknowledge,
    AskQuestion,
    ChangeSetting,
    CloseCursor,
    Command,
    DeclareCursor,
    ExplainQuestion,
    FetchRows,
    LookUp,
    Nothing,
    ShowSetting,
    Transact,
)
from discreet.server.wire.copy_options import read_copy
from discreet.server.wire.errors import WireError, refuse
from discreet.server.wire.free import SAMPLE_HINT, is_probe, list_declared, lists_rows
from discreet.server.wire.lexing import cut_pieces, drop_comments, unquote

NAME = r'(?:"(?:[^"]|"")+"|[A-Za-z_][\w.$]*)'
HOMES = ("public",)
"""The schema that policy tables are in, to clients."""

ONLY = "questions are SELECT, COPY (SELECT ...) TO STDOUT and EXPLAIN SELECT; nothing here can be changed"


def read_command(text: str, tables: Tables, database: str = "discreet") -> Command:
    """Return what one statement wants; refuse what is never answered."""
    if len(text) > LONGEST:
        raise WireError("54000", f"the statement has {len(text)} characters; at most {LONGEST} are read")
    plain = drop_comments(text)
    word = (re.match(r"[A-Za-z]+", plain) or [""])[0].upper()
    if not plain:
        return Nothing()
    if word in ("SELECT", "WITH", "VALUES", "TABLE") or plain.startswith("("):
        return sort_query(text, tables, database)
    if word == "EXPLAIN":
        return _read_explain(plain, text, tables, database)
    if word == "COPY":
        inner, build = read_copy(plain)
        return build(_expect_query(sort_query(inner, tables, database)))
    if word == "DECLARE":
        return _read_declare(plain, tables, database)
    for read in (_read_transaction, _read_set, _read_cursor, _read_others):
        found = read(plain, word)
        if found is not None:
            return found
    raise refuse(f"{word or plain[:20]!r} is not answered", ONLY)


def sort_query(text: str, tables: Tables, database: str = "discreet") -> AskQuestion | LookUp:
    """Return a query as a question about private tables, or as one that public facts answer."""
    tree = parse_postgres(text)
    if tree is not None:
        named = [_place(table) for table in list_tables(tree)]
        catalog = [is_catalog_name(schema, name) for schema, name in named]
        if all(catalog):
            return LookUp(tree, count_parameters(tree))
        if any(catalog):
            raise refuse("the catalog and tables with private rows are not read in one statement", "ask for each alone")
    sql = drop_schema(text, database)
    question = parse_query(sql)
    if is_probe(question):
        return LookUp(question, count_parameters(question))
    declared = list_declared(question, tables)
    if declared is not None:
        return LookUp(declared, count_parameters(declared))
    if lists_rows(question):
        raise refuse("this would list rows, or values that nobody declared", SAMPLE_HINT)
    return AskQuestion(sql, count_parameters(question), question)


def parse_postgres(text: str) -> exp.Expr | None:
    """Return the tree of a query in PostgreSQL's dialect; None where it cannot be read."""
    text = re.sub(r"\bOPERATOR\s*\(\s*pg_catalog\s*\.\s*([^\s)]+)\s*\)", r"\1", text, flags=re.IGNORECASE)
    text = re.sub(r"\bCOLLATE\s+(pg_catalog\s*\.\s*)?\"?(default|C)\"?", " ", text, flags=re.IGNORECASE)
    text = re.sub(r"::\s*(pg_catalog\s*\.\s*)?oid\s*\[\s*\]", "::int8[]", text, flags=re.IGNORECASE)
    return _parse(quote_aliases(text), "postgres")


RESERVED = frozenset({"schema", "table", "update", "select", "insert", "delete", "default", "role", "user", "end"})


def quote_aliases(text: str) -> str:
    """Return a text with quotes around words of SQL that stand as names after AS, which PostgreSQL allows.

    >>> print(quote_aliases("SELECT a AS table, 'b as select' FROM c"))
    SELECT a AS "table", 'b as select' FROM c
    """
    pieces = [piece for _, piece in cut_pieces(text)]
    words = [place for place, piece in enumerate(pieces) if piece.strip()]
    for before, place in pairwise(words):
        if pieces[before].upper() == "AS" and pieces[place].lower() in RESERVED:
            pieces[place] = f'"{pieces[place].lower()}"'
    return "".join(pieces)


def _parse(text: str, dialect: str) -> exp.Expr | None:
    try:
        with silence(PARSER):
            found: list[Any] = [each for each in sqlglot.parse(text, dialect=dialect) if each is not None]
    except (SqlglotError, RecursionError, ValueError):
        return None
    return found[0] if len(found) == 1 and isinstance(found[0], exp.Query) else None


def list_tables(tree: exp.Expr) -> list[exp.Table]:
    """Return the tables that a query names, but those that it makes itself, and calls of functions."""
    made = {each.alias.lower() for each in tree.find_all(exp.CTE)}
    return [
        table
        for table in tree.find_all(exp.Table)
        if isinstance(table.this, exp.Identifier) and (table.db or table.name.lower() not in made)
    ]


def _place(table: exp.Table) -> tuple[str, str]:
    return table.db.lower(), table.name.lower()


def count_parameters(tree: exp.Expr) -> int:
    """Return the highest number of a parameter `$1`, `$2`, ..."""
    return max((int(each) for each in list_parameters(tree) if each.isdigit()), default=0)


def list_parameters(tree: exp.Expr) -> set[str]:
    """Return the names of all parameters."""
    return {read_parameter(node) for node in tree.find_all(exp.Placeholder, exp.Parameter)}


def read_parameter(node: exp.Expr) -> str:
    """Return the name of a parameter."""
    inner = node.this
    return inner if isinstance(inner, str) else str(getattr(inner, "name", "") or "")


def drop_schema(text: str, database: str = "discreet") -> str:
    """Return a question without the name of the schema: policies know tables by their name alone.

    >>> drop_schema('SELECT COUNT(*) FROM "public"."visits" WHERE public.visits.age > 3')
    'SELECT COUNT(*) FROM "visits" WHERE visits.age > 3'
    """
    pieces = [piece for _, piece in cut_pieces(text)]
    kept: list[str] = []
    at = 0
    while at < len(pieces):
        home = unquote(pieces[at]) in (*HOMES, database) if not pieces[at].startswith("'") else False
        if home and pieces[at + 1 : at + 2] == ["."] and (not kept or kept[-1] != "."):
            at += 2
        else:
            kept.append(pieces[at])
            at += 1
    return "".join(kept)


def _expect_query(found: AskQuestion | LookUp) -> AskQuestion | LookUp:
    return found


def _read_explain(plain: str, text: str, tables: Tables, database: str) -> Command:
    found = re.match(r"EXPLAIN\s*(\((?P<options>[^)]*)\)|(?P<words>((ANALYZE|ANALYSE|VERBOSE)\s+)*))", plain, re.I)
    assert found is not None
    if re.search(r"\bANALY[SZ]E\b", found[0], re.IGNORECASE):
        raise refuse("EXPLAIN ANALYZE would run the question", "write EXPLAIN alone, which is free")
    inner = sort_query(plain[found.end() :], tables, database)
    if isinstance(inner, LookUp):
        raise refuse("only questions about private tables are explained", "run the statement: it is free")
    return ExplainQuestion(inner)


def _read_declare(plain: str, tables: Tables, database: str) -> Command:
    found = re.match(
        rf"DECLARE\s+({NAME})\s+((?:BINARY|ASENSITIVE|INSENSITIVE|NO\s+SCROLL|SCROLL)\s+)*"
        r"CURSOR\s+(?:(WITH|WITHOUT)\s+HOLD\s+)?FOR\s+",
        plain,
        re.IGNORECASE,
    )
    if found is None:
        raise WireError("42601", "this DECLARE cannot be read; write DECLARE name CURSOR FOR SELECT ...")
    binary = re.search(r"\bBINARY\b", found[0], re.IGNORECASE) is not None
    inner = sort_query(plain[found.end() :], tables, database)
    return DeclareCursor(unquote(found[1]), inner, binary, (found[3] or "").upper() == "WITH")


def _read_transaction(plain: str, word: str) -> Command | None:
    if word in ("BEGIN", "START"):
        return Transact("begin", "BEGIN" if word == "BEGIN" else "START TRANSACTION")
    if word in ("COMMIT", "END"):
        return Transact("commit", "COMMIT")
    if word == "ABORT":
        return Transact("rollback", "ROLLBACK")
    if word == "ROLLBACK":
        found = re.fullmatch(rf"ROLLBACK\s+(?:WORK\s+|TRANSACTION\s+)?TO\s+(?:SAVEPOINT\s+)?({NAME})", plain, re.I)
        return Transact("rollback to", "ROLLBACK", unquote(found[1])) if found else Transact("rollback", "ROLLBACK")
    if word in ("SAVEPOINT", "RELEASE"):
        found = re.fullmatch(rf"(?:SAVEPOINT|RELEASE)\s+(?:SAVEPOINT\s+)?({NAME})", plain, re.IGNORECASE)
        return Transact(word.lower(), word, unquote(found[1])) if found else None
    return None


def _read_set(plain: str, word: str) -> Command | None:
    if word == "SHOW":
        name = unquote(_rename(plain[4:].strip()))
        return ShowSetting(None if name == "all" else name)
    if word == "RESET":
        name = unquote(_rename(plain[5:].strip()))
        return ChangeSetting(None if name == "all" else name, None, "RESET")
    if word != "SET":
        return None
    found = re.fullmatch(r"SET\s+(?:(SESSION|LOCAL)\s+)?(.*)", plain, re.IGNORECASE | re.DOTALL)
    assert found is not None
    local, rest = (found[1] or "").upper() == "LOCAL", _rename(found[2])
    if re.match(r"(TRANSACTION|CHARACTERISTICS|CONSTRAINTS)\b", rest, re.IGNORECASE):
        return Acknowledge("SET")
    if re.match(r"(ROLE|AUTHORIZATION)\b", rest, re.IGNORECASE):
        if unquote(rest.split()[-1]) in ("none", "default"):
            return Acknowledge("SET")
        raise WireError("42501", "nobody can become somebody else here; log in as them")
    pair = re.fullmatch(rf"({NAME})\s*(?:=|\s+TO\s+|\s)\s*(.+)", rest, re.IGNORECASE | re.DOTALL)
    if pair is None:
        raise WireError("42601", "this SET cannot be read; write SET name = value")
    value = re.sub(r"^TO\s+", "", pair[2].strip(), flags=re.IGNORECASE)
    if value.upper() == "DEFAULT":
        return ChangeSetting(unquote(pair[1]), None, "SET", local)
    return ChangeSetting(unquote(pair[1]), _read_setting(value), "SET", local)


def _read_setting(value: str) -> str:
    """Return the value of a SET: a literal without its quotes, or a list as it is written."""
    pieces = [piece for kind, piece in cut_pieces(value) if piece.strip()]
    if len(pieces) == 1 and pieces[0][0] in "'eE\"":
        return unquote(pieces[0]) if pieces[0][-1] in "'\"" else pieces[0]
    return value


def _rename(rest: str) -> str:
    """Return a setting's text with the names that SQL gives some of them put into one word."""
    rest = re.sub(r"^TIME\s+ZONE\s*(INTERVAL\b)?", "TimeZone ", rest, flags=re.IGNORECASE)
    rest = re.sub(r"^NAMES\b", "client_encoding ", rest, flags=re.IGNORECASE)
    rest = re.sub(r"^SESSION\s+AUTHORIZATION$", "session_authorization", rest, flags=re.IGNORECASE)
    return re.sub(r"^TRANSACTION\s+ISOLATION\s+LEVEL$", "transaction_isolation", rest, flags=re.IGNORECASE)


def _read_cursor(plain: str, word: str) -> Command | None:
    if word == "CLOSE":
        name = unquote(plain[5:])
        return CloseCursor(None if name == "all" else name)
    if word not in ("FETCH", "MOVE"):
        return None
    found = re.fullmatch(
        rf"(?:FETCH|MOVE)\s+(?:(?:(FORWARD\s+)?(ALL|\d+)|(NEXT|FORWARD))\s+)?(?:(?:FROM|IN)\s+)?({NAME})", plain, re.I
    )
    if found is None:
        raise refuse("this FETCH cannot be read; cursors go forward", "write FETCH FORWARD 100 FROM name")
    count = None if (found[2] or "").upper() == "ALL" else int(found[2] or 1)
    return FetchRows(unquote(found[4]), count, word == "MOVE")


def _read_others(plain: str, word: str) -> Command | None:
    if word == "DISCARD":
        return Acknowledge("DISCARD ALL", "*")
    if word == "DEALLOCATE":
        name = unquote(re.sub(r"^DEALLOCATE\s+(PREPARE\s+)?", "", plain, flags=re.IGNORECASE))
        return Acknowledge("DEALLOCATE ALL" if name == "all" else "DEALLOCATE", "*" if name == "all" else name)
    if word in ("LISTEN", "UNLISTEN", "NOTIFY"):
        return Acknowledge(word)
    return None


__all__ = ["SCHEMAS", "drop_schema", "list_tables", "parse_postgres", "read_command", "read_parameter", "sort_query"]
