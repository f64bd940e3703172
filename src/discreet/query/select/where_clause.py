"""WHERE: conditions on one row, and on other rows of its unit.

The second kind is unit [NOT] IN (SELECT unit ...) and [NOT] EXISTS (SELECT ... WHERE inner unit = outer unit AND ...).
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Expression, Slot, refer
from discreet.plan.functions import call
from discreet.plan.lowering import find_digits
from discreet.plan.relations import Block, InnerAggregate, InnerKind, Match, PerUnit, UnitCondition, list_scans
from discreet.plan.scales import find_scale
from discreet.query.parse import check_clauses, quote_sql, refuse_other_parts, split_conjuncts
from discreet.query.scalars.expressions import translate
from discreet.query.select.columns import has_aggregate
from discreet.query.select.context import Context, add_with_names
from discreet.query.select.from_clause import FromClause, check_condition, read_from
from discreet.query.select.linking import link_joins
from discreet.query.select.public_selects import find_public_select, match_listed
from discreet.query.select.relations import check_same_people

EqualPair = tuple[Expression, Expression]
"""Something of the outer row, and something of the inner one, that are equal."""

ONLY_UNIT = (
    "a subquery in WHERE is answered for the unit alone, as in {0} IN (SELECT {0} FROM ...); "
    "list the values, or JOIN a public table"
)


def read_rows(query: exp.Select, reading: Context) -> FromClause:
    """Read FROM, joins and WHERE of a SELECT."""
    query = link_joins(query, reading)
    rows = read_from(query, reading)
    where = query.args.get("where")
    for part in split_conjuncts(where.this if where is not None else None):
        if not add_semijoin(part, rows):
            rows.add_condition(check_condition("WHERE", translate(part, rows.scope)))
    return rows


def add_semijoin(node: exp.Expression, rows: FromClause) -> bool:
    """Add a condition on other rows of the same unit, or on a public list, where the node is one; say whether it was.

    Rows without a unit are in no table, so IN and NOT IN are each other's opposite here, as EXISTS and NOT EXISTS are.
    """
    anti = False
    while isinstance(node, exp.Not | exp.Paren):
        anti ^= isinstance(node, exp.Not)
        node = node.this
    if isinstance(node, exp.In) and node.args.get("query") is not None:
        refuse_other_parts(node, {"this", "query"})
        public = find_public_select(node.args["query"], rows.reading)
        if public is not None:
            value = translate(node.this, rows.scope)
            rows.add_condition(match_listed(value, node, public, rows.reading, anti))
            return True
        block = _members(node, rows)
    elif isinstance(node, exp.Exists):
        refuse_other_parts(node, {"this"})
        block, pairs = _partners(node, rows)
        if pairs:
            check_same_people([*list_scans(rows.rows), *list_scans(block)], rows.reading)
            _match_partners(rows, block, pairs, anti)
            return True
    else:
        return False
    left = rows.rows
    check_same_people([*list_scans(left), *list_scans(block)], rows.reading)
    rows.block = replace(left, joins=(*left.joins, UnitCondition(block, anti)))
    return True


def _match_partners(rows: FromClause, block: Block, pairs: list[EqualPair], anti: bool) -> None:
    """Keep rows that have a partner of the same unit with equal values in a block, or those that have none.

    The partners are grouped by unit and values first, so that no row has two of them: each stays as it is, or goes.
    NULL equals nothing, and so is in no partner.
    """
    place = rows.reading.counter.next()
    keys = tuple(dict.fromkeys(theirs for _, theirs in pairs))
    on = tuple(
        (mine, refer(place, Slot.KEY, keys.index(theirs), theirs.type, find_digits(theirs))) for mine, theirs in pairs
    )
    source = PerUnit(place, block, keys, (InnerAggregate(InnerKind.ROWS, None, Type.INTEGER),))
    rows.add_match(Match(source, on, keep=anti))
    if anti:
        rows.add_condition(call("is_null", refer(place, Slot.AGGREGATE, 0, Type.INTEGER)))


def _members(node: exp.Expression, rows: FromClause) -> Block:
    """Return the rows whose units IN lists."""
    if not rows.names.is_unit(node.this):
        raise QueryError(f"{quote_sql(node)}: {ONLY_UNIT.format(rows.names.unit_word)}")
    inner = rows.reading.select(node.args["query"], rows.reading)
    if len(inner.view.outputs) != 1 or not inner.view.outputs[0].unit:
        raise QueryError(f"{quote_sql(node)}: {ONLY_UNIT.format(rows.names.unit_word)}")
    return inner.block


def _partners(node: exp.Expression, rows: FromClause) -> tuple[Block, list[EqualPair]]:
    """Return the rows of which EXISTS wants one of the same unit, and what else of them equals something outside."""
    query = node.this
    if not isinstance(query, exp.Select):
        raise QueryError(f"{quote_sql(node)}: EXISTS takes a SELECT")
    check_clauses(query)
    for clause in ("order", "limit", "offset", "group", "having"):
        if query.args.get(clause):
            raise QueryError(
                f"{quote_sql(query.args[clause])}: leave this out inside EXISTS, or use IN (SELECT unit ...)"
            )
    if has_aggregate(query):
        raise QueryError(f"{quote_sql(node)}: EXISTS over an aggregate is always true; select rows")
    reading = add_with_names(query, rows.reading)
    inner = read_from(query, reading)
    where = query.args.get("where")
    linked, pairs = False, []
    for part in split_conjuncts(where.this if where is not None else None):
        if isinstance(part, exp.EQ) and _links(part, inner, rows):
            linked = True
        elif isinstance(part, exp.EQ) and (pair := _equal(part, inner, rows)) is not None:
            pairs.append(pair)
        elif add_semijoin(part, inner):
            continue
        elif any(rows.names.knows(each) and not inner.names.knows(each) for each in part.find_all(exp.Column)):
            unit = rows.names.unit_word
            raise QueryError(
                f"{quote_sql(part)}: inside EXISTS the outside is compared by equality alone, as in "
                f"inner.{unit} = outer.{unit} AND inner.x = outer.x"
            )
        else:
            inner.add_condition(check_condition("WHERE", translate(part, inner.scope)))
    if not linked:
        unit = rows.names.unit_word
        raise QueryError(
            f"{quote_sql(node)}: EXISTS must compare the units, as in WHERE inner.{unit} = outer.{unit}; "
            "JOIN a public table instead"
        )
    return inner.rows, pairs


def _equal(part: exp.Expression, inner: FromClause, outer: FromClause) -> EqualPair | None:
    """Return what an equality of inner and outer columns compares, the outer side first; else nothing.

    Floats are no keys: 0.0 and -0.0 are equal, and two groups on some engines.
    """
    for one, other in ((part.this, part.expression), (part.expression, part.this)):
        ours, theirs = list(other.find_all(exp.Column)), list(one.find_all(exp.Column))
        if any(each.find(exp.Query) for each in (one, other)) or not ours or not theirs:
            continue
        if any(inner.names.knows(each) for each in ours) or not all(inner.names.knows(each) for each in theirs):
            continue
        mine, found = translate(other, outer.scope), translate(one, inner.scope)
        if mine.type is not found.type or mine.type is Type.FLOAT or find_scale(mine) != find_scale(found):
            raise QueryError(
                f"{quote_sql(part)}: {found.type} is compared with {mine.type}; inside EXISTS whole numbers, texts, "
                "dates, times and decimals are compared with their own kind"
            )
        return mine, found
    return None


def _links(part: exp.Expression, inner: FromClause, outer: FromClause) -> bool:
    """Say whether an equality is that of the inner and the outer unit; a name that both know means the inner one."""
    for one, other in ((part.this, part.expression), (part.expression, part.this)):
        if not isinstance(one, exp.Column) or not isinstance(other, exp.Column) or inner.names.knows(other):
            continue
        if inner.names.is_unit(one) and outer.names.is_unit(other):
            return True
    return False
