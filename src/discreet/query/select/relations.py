"""What stands in FROM: tables, subqueries, names of WITH and views; and whether they speak of the same people."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.plan.relations import Scan
from discreet.policy.schema import Resolved
from discreet.query.parse import quote_sql, refuse_other_parts
from discreet.query.select.context import Context
from discreet.query.select.names import Selected


@dataclass(frozen=True, slots=True)
class Relation:
    """Something in FROM: the name that it has there, and the table or subquery that it is."""

    name: str
    meaning: Resolved | Selected


def read_relation(node: exp.Expression, reading: Context) -> Relation:
    """Return what stands in FROM or JOIN."""
    if isinstance(node, exp.Subquery):
        refuse_other_parts(node, {"this", "alias"})
        return Relation(read_alias(node) or "subquery", reading.select(node.this, reading))
    if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
        raise QueryError(
            f"{quote_sql(node)}: FROM takes tables of the policy and subqueries; functions and files are not read"
        )
    refuse_other_parts(node, {"this", "alias"})
    name = read_alias(node) or node.name
    inside = reading.subquery(node.name)
    if inside is not None:
        return Relation(name, reading.select(*inside))
    return Relation(name, reading.find_table(node.name))


def read_alias(node: exp.Expression) -> str:
    """Return the name that a table or a subquery is given."""
    given = node.args.get("alias")
    if given is None:
        return ""
    refuse_other_parts(given, {"this"})
    if not isinstance(given.this, exp.Identifier):
        raise QueryError(f"{quote_sql(node)}: the name of a table is a word, as in FROM visits AS v")
    return str(node.alias)


def check_same_people(found: list[Scan], reading: Context, joined: bool = True) -> None:
    """Refuse private tables that do not speak of the same people: there is no unit that all their rows belong to."""
    tables = {each.table: reading.catalog.table(each.table).table for each in found}
    whom = {table.identifies if table.unit else f"rows of {table.name}" for table in tables.values()}
    if len(whom) > 1:
        names = " and ".join(repr(name) for name in sorted(tables))
        raise QueryError(
            f"{names} do not speak of the same people, as far as the policy says; "
            f'write identifies = "..." for both in the policy, or ask about one'
        )
    if joined and any(table.unit is None for table in tables.values()):
        raise QueryError("each row is a unit of its own here, so there is nothing to join or combine by; ask about one")
