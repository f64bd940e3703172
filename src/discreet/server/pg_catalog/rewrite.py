"""Statements of PostgreSQL's clients, rewritten for the DuckDB that holds the catalog.

Everything that is not known to be harmless is refused here: other relations, other functions, other kinds of
statements. What is left reads tables that hold public facts alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel

from discreet.base.quiet import silence
from discreet.query.parse import PARSER
from discreet.server.pg_catalog.allowed import ALLOWED
from discreet.server.pg_catalog.casts import rewrite_cast
from discreet.server.pg_catalog.column_names import name_columns
from discreet.server.pg_catalog.facts import DATABASE, PublicRelation
from discreet.server.pg_catalog.functions import (
    CONSTANTS,
    OWN,
    PREFIX,
    PRIVILEGES,
    name_function,
)
from discreet.server.pg_catalog.relations import list_relations
from discreet.server.pg_catalog.rewritten import LookUpError, RewrittenQuery, cast_to

HOMES = {"pg_catalog": "pgc", "information_schema": "infos", "public": "public"}
"""The schemas of the catalog, and what they are called in DuckDB, which has some of these names itself."""

REFUSED = (exp.Into, exp.Lock, exp.Command, exp.Insert, exp.Update, exp.Delete, exp.Create, exp.Drop, exp.Copy, exp.Set)
"""What no look-up holds, wherever it stands."""


@dataclass(frozen=True)
class LookUpContext:
    """What a rewriting depends on: the relations of an analyst, and who asks."""

    relations: Mapping[str, PublicRelation]
    analyst: str
    settings: Mapping[str, str]
    version: str


def rewrite_query(tree: exp.Expr, context: LookUpContext) -> RewrittenQuery:
    """Return a statement for DuckDB; refuse what is not known to be harmless."""
    if not isinstance(tree, exp.Query):
        raise LookUpError("only SELECT is answered")
    found = RewrittenQuery()
    tree = tree.copy()
    first = tree
    while isinstance(first, exp.SetOperation | exp.Subquery):
        first = first.this
    if isinstance(first, exp.Select):
        name_columns(first)
    if tree.find(*REFUSED) is not None:
        raise LookUpError("only SELECT is answered")
    for each in tree.find_all(exp.Identifier):
        if not each.quoted:
            each.set("this", each.name.lower())
    _qualify_tables(tree, context, found)
    _drop_schemas(tree)
    for node in reversed(list(tree.dfs())):  # what is inside comes first
        new = _rewrite(node, context, found)
        if new is not node:
            node.replace(new)
    found.parameters = {str(each.this) for each in tree.find_all(exp.Placeholder)}
    with silence(PARSER):
        found.sql = tree.sql(dialect="duckdb", unsupported_level=ErrorLevel.IGNORE)
    return found


def _qualify_tables(tree: exp.Expr, context: LookUpContext, found: RewrittenQuery) -> None:
    made = {each.alias.lower() for each in tree.find_all(exp.CTE)}
    for each in tree.find_all(exp.CTE):
        each.args["alias"].set("this", exp.to_identifier(MADE + each.alias, quoted=True))
    for table in list(tree.find_all(exp.Table)):
        if not isinstance(table.this, exp.Identifier):
            inner = table.this
            if isinstance(inner, exp.Func):
                table.set("db", None)
                if name_function(inner) == "pg_get_keywords":
                    _use_table(table, "pgc", "keywords", found)
                elif name_function(inner) not in SETS:
                    _use_value(table, inner)
                continue
            raise LookUpError("this kind of table is not in the catalog")
        name, schema = table.name.lower(), table.db.lower()
        if table.catalog and table.catalog.lower() != DATABASE:
            raise LookUpError("cross-database references are not implemented", "0A000")
        if not schema and name in made:
            _rename_made(table)
            continue
        if not schema:
            known = name in context.relations
            schema = "public" if known else "pg_catalog"
        if schema == "public" and name in context.relations:
            _use_table(table, "public", context.relations[name].name, found)
        elif f"{schema}.{name}" in list_relations():
            _use_table(table, HOMES[schema], name, found)
        else:
            shown = f"{table.db}.{table.name}" if table.db else table.name
            raise LookUpError(f'relation "{shown}" does not exist', "42P01")


MADE = "made_"
"""Before the names of tables that a statement makes itself: outside of it, such a name means nothing."""


def _rename_made(table: exp.Table) -> None:
    name = table.name
    table.set("this", exp.to_identifier(MADE + name, quoted=True))
    if not table.args.get("alias"):
        table.set("alias", exp.TableAlias(this=exp.to_identifier(name, quoted=True)))


SETS = ("generate_series", "generateseries", "explodinggenerateseries", "unnest", "explode", "generate_subscripts")
"""Functions that make rows; every other function in a FROM makes one."""


def _use_value(table: exp.Table, call: exp.Func) -> None:
    """Replace a function of one value in a FROM by a SELECT of it."""
    name = table.alias or name_function(call)
    inner = exp.Select(expressions=[exp.alias_(call.copy(), name, quoted=True)])
    alias = exp.TableAlias(this=exp.to_identifier(name, quoted=True))
    table.replace(exp.Subquery(this=inner, alias=alias))


def _use_table(table: exp.Table, schema: str, name: str, found: RewrittenQuery) -> None:
    alias = table.alias or name
    found.relations.add(f"{schema}.{name}")
    table.set("catalog", None)
    table.set("db", exp.to_identifier(schema))
    table.set("this", exp.to_identifier(name, quoted=True))
    if not table.args.get("alias"):
        table.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))


def _rewrite(node: exp.Expr, context: LookUpContext, found: RewrittenQuery) -> exp.Expr:
    if isinstance(node, exp.Column) and (node.args.get("db") or node.args.get("catalog")):
        node.set("db", None)
        node.set("catalog", None)
    if isinstance(node, exp.Column) and node.name.lower() == "tableoid":
        return _find_table_oid(node)
    if isinstance(node, exp.Column) and not node.table and node.name.lower() in CURRENT and not node.this.quoted:
        return _current(node.name.lower(), context)
    if isinstance(node, exp.Cast):
        return rewrite_cast(node, found)
    if isinstance(node, exp.Parameter):
        return exp.Placeholder(this=str(node.this.name))
    if isinstance(node, exp.EQ | exp.NEQ):
        return _rewrite_comparison(node, found)
    if isinstance(node, exp.Collate):
        inner: exp.Expr = node.this
        return inner
    if isinstance(node, exp.DPipe) and any(isinstance(each, exp.Array) for each in (node.left, node.right)):
        return exp.Anonymous(this="list_concat", expressions=[node.left, node.right])
    if isinstance(node, exp.Func):
        return _rewrite_function(node, context, found)
    return node


CURRENT = frozenset({"current_user", "session_user", "user", "current_role", "current_catalog", "current_schema"})


def _current(name: str, context: LookUpContext) -> exp.Expr:
    words = {"current_catalog": DATABASE, "current_database": DATABASE, "current_schema": "public"}
    return exp.Literal.string(words.get(name, context.analyst))


def _find_table_oid(node: exp.Column) -> exp.Expr:
    """Return the number of the relation that a column belongs to, in the SELECT that it stands in."""
    select = node.find_ancestor(exp.Select)
    while select is not None:
        sources = [select.args.get("from_"), *(select.args.get("joins") or [])]
        for each in (source.this for source in sources if source is not None):
            if not isinstance(each, exp.Table) and node.table and each.alias_or_name == node.table:
                return node
            if isinstance(each, exp.Table) and (not node.table or each.alias_or_name == node.table):
                relation = list_relations().get(f"pg_catalog.{each.name}")
                return exp.Literal.number(relation.oid if relation is not None else 0)
        select = select.find_ancestor(exp.Select)
    raise LookUpError("column tableoid does not exist", "42703")


def _drop_schemas(tree: exp.Expr) -> None:
    """Take the schema away before the names of functions."""
    for node in list(tree.find_all(exp.Dot)):
        if isinstance(node.expression, exp.Func) and isinstance(node.this, exp.Identifier | exp.Column):
            if node.this.name.lower() not in HOMES:
                raise LookUpError(f'schema "{node.this.name[:60]}" does not exist', "3F000")
            node.replace(node.expression)


def _rewrite_function(node: exp.Func, context: LookUpContext, found: RewrittenQuery) -> exp.Expr:
    name = name_function(node)
    if name in ("and", "or", "case", "if", "cast", "trycast", "any", "all"):
        return node
    given = list(node.expressions) if isinstance(node, exp.Anonymous) else []
    plain = name.replace("_", "")
    if plain in ("currentuser", "sessionuser", "currentrole"):
        return exp.Literal.string(context.analyst)
    if plain in ("currentdatabase", "currentcatalog"):
        return exp.Literal.string(DATABASE)
    if plain == "currentschema":
        return exp.Literal.string("public")
    if plain in ("version", "currentversion"):
        return exp.Literal.string(context.version)
    if plain == "currentschemas":
        given = given or [node.this]
        return found.call("current_schemas", given)
    if name == "current_setting":
        return _read_setting(given, context, found)
    if name == "set_config":
        return given[1] if len(given) == 3 else exp.Null()
    if name == "pg_backend_pid":
        return exp.Literal.number(1)
    if name in ("pg_postmaster_start_time", "pg_conf_load_time"):
        return cast_to(exp.Literal.string("2000-01-01 00:00:00"), "TIMESTAMP")
    if name in CONSTANTS:
        return _parse_constant(CONSTANTS[name])
    if isinstance(node, exp.CurrentTimestamp | exp.Localtimestamp | exp.CurrentDate):
        return _parse_constant(TODAY if isinstance(node, exp.CurrentDate) else NOW)
    if name in PRIVILEGES and given:
        return found.call("has_privilege", given[-1:])
    if name == "obj_description" and len(given) == 1:
        given.append(exp.Literal.string("pg_class"))
    if name == "pg_get_viewdef":
        given = [_to_number(given[0])] if given else given
    if name == "pg_table_is_visible" and given and isinstance(given[0], exp.Literal):
        given = [cast_to(given[0], "UINTEGER")]
    if name in OWN:
        return found.call(name, given)
    if name == "format" and given and re.fullmatch(r"([^%]|%s)*", given[0].name):
        return exp.Anonymous(this="printf", expressions=given)
    if name == "arraysize":
        return found.call("array_length", [node.this, exp.Literal.number(1)])
    if name == "cardinality":
        return exp.Anonymous(this="len", expressions=given)
    if name in ("json_build_object", "jsonb_build_object"):
        return exp.Anonymous(this="json_object", expressions=given)
    if name.startswith(PREFIX) or name == "list_concat":
        return node
    if name not in ALLOWED and not isinstance(node, exp.AggFunc):
        shown = node.name if isinstance(node, exp.Anonymous) else node.sql_name()
        raise LookUpError(f"function {str(shown).lower()[:60]} is not in this catalog", "42883")
    return node


NOW = "get_current_timestamp() AT TIME ZONE 'UTC'"
"""The time as a call: DuckDB takes the word CURRENT_TIMESTAMP for the column of that name, where there is one."""

TODAY = f"CAST({NOW} AS DATE)"


def _parse_constant(text: str) -> exp.Expr:
    found: exp.Expr = sqlglot.parse_one(text, dialect="duckdb")
    return found


def _to_number(node: exp.Expr) -> exp.Expr:
    """Return what names a relation as its number."""
    if isinstance(node, exp.Literal) and node.is_string and not node.name.isdigit():
        return exp.Anonymous(this=f"{PREFIX}to_regclass", expressions=[node])
    return cast_to(node, "UINTEGER") if isinstance(node, exp.Literal) else node


def _read_setting(given: list[exp.Expr], context: LookUpContext, found: RewrittenQuery) -> exp.Expr:
    first = given[0] if given else exp.Null()
    while isinstance(first, exp.Cast):
        first = first.this
    if not isinstance(first, exp.Literal):
        return found.call("current_setting", [first])
    name = first.name.lower()
    if not name:  # what stands for a parameter whose value is not known yet
        return exp.Null()
    if name in context.settings:
        return exp.Literal.string(context.settings[name])
    if len(given) > 1:
        return exp.Null()
    raise LookUpError(f'unrecognized configuration parameter "{name[:60]}"', "42704")


def _rewrite_comparison(node: exp.EQ | exp.NEQ, found: RewrittenQuery) -> exp.Expr:
    """Return comparisons with arrays as searches, and those of names of functions with 0 as with no name."""
    left, right = node.left, node.right
    if isinstance(right, exp.Anonymous) and right.name.lower() in ("all", "any") and len(right.expressions) == 1:
        right = (exp.All if right.name.lower() == "all" else exp.Any)(this=right.expressions[0])
    if isinstance(right, exp.Any | exp.All) and not isinstance(right.this.unnest(), exp.Query):
        array = right.this.unnest() if isinstance(right.this, exp.Paren) else right.this
        array = _read_array_text(array)
        held = exp.Anonymous(this="list_contains", expressions=[array, left])
        if isinstance(node, exp.EQ) and isinstance(right, exp.Any):
            return held
        if isinstance(node, exp.NEQ) and isinstance(right, exp.All):
            return exp.Not(this=held)
    for one, other, place in ((left, right, "expression"), (right, left, "this")):
        if _is_procedure(one) and other.sql() == "0":
            node.set(place, exp.Literal.string("-"))
        elif _is_procedure(one) and isinstance(other, exp.Column) and other.name.lower() == "oid":
            node.set(place, found.call("regproc_name", [other.copy()]))
    return node


def _is_procedure(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column) and node.name.lower() in _PROCEDURES


def _read_array_text(array: exp.Expr) -> exp.Expr:
    if isinstance(array, exp.Literal) and array.is_string and array.name.startswith("{"):
        words = [each.strip().strip('"') for each in array.name.strip("{} ").split(",") if each.strip()]
        return exp.Array(expressions=[exp.Literal.string(word) for word in words])
    return array


_PROCEDURES = frozenset(
    name for relation in list_relations().values() for name, kind, _ in relation.columns if kind == "regproc"
)
