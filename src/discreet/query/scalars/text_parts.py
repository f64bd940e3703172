"""Functions that take texts apart: what they look for is constant."""

from __future__ import annotations

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Expression, Literal
from discreet.plan.functions import call
from discreet.plan.patterns import PatternError, parse_pattern
from discreet.query.parse import quote_sql, refuse_other_parts
from discreet.query.scalars.coercion import fit_constant
from discreet.query.scalars.times import Read, Reader

MOST_PARTS = 1_000_000


def read_constant_text(node: exp.Expression, found: Expression, what: str) -> Literal:
    """Return a constant text, or refuse what is none."""
    if not isinstance(found, Literal) or not isinstance(found.value, str):
        raise QueryError(f"{quote_sql(node)}: {what} must be a constant text")
    return found


def read_regexp_replace(node: exp.Expression, read: Read) -> Expression:
    """REGEXP_REPLACE: the first match, or all of them with 'g', as in DuckDB."""
    refuse_other_parts(node, {"this", "expression", "replacement", "modifiers", "single_replace"})
    if node.args.get("replacement") is None:
        raise QueryError(f"{quote_sql(node)}: write REGEXP_REPLACE(x, 'pattern', 'replacement')")
    pattern = read_constant_text(node, read(node.expression), "the pattern")
    put = read_constant_text(node, read(node.args["replacement"]), "the replacement")
    options = node.args.get("modifiers")
    if options is not None and read_constant_text(node, read(options), "the option").value != "g":
        raise QueryError(f"{quote_sql(node)}: the only option is 'g', which replaces all that is found")
    if "\\" in str(put.value):
        raise QueryError(f"{quote_sql(node)}: the replacement is taken as it is; groups such as \\1 are not answered")
    try:
        parse_pattern(str(pattern.value))
    except PatternError as wrong:
        raise QueryError(f"{quote_sql(node)}: {wrong}") from None
    name = "regexp_replace" if options is None else "regexp_replace_all"
    return call(name, fit_constant(read(node.this), Type.TEXT), pattern, put)


def read_split_part(node: exp.Expression, read: Read) -> Expression:
    """SPLIT_PART(text, what stands between the parts, which part)."""
    refuse_other_parts(node, {"this", "delimiter", "part_index"})
    if node.args.get("delimiter") is None or node.args.get("part_index") is None:
        raise QueryError(f"{quote_sql(node)}: write SPLIT_PART(x, ',', 1)")
    between = read_constant_text(node, read(node.args["delimiter"]), "what stands between the parts")
    place = read(node.args["part_index"])
    given = place.value if isinstance(place, Literal) and place.type is Type.INTEGER else None
    if not isinstance(given, int) or not 1 <= abs(given) <= MOST_PARTS:
        raise QueryError(f"{quote_sql(node)}: which part is a constant: 1, 2, ... or, from the end, -1, -2, ...")
    if not between.value:
        raise QueryError(f"{quote_sql(node)}: what stands between the parts has at least one letter")
    return call("split_part", fit_constant(read(node.this), Type.TEXT), between, place)


def read_strlen(node: exp.Expression, read: Read) -> Expression:
    """STRLEN, which in DuckDB counts bytes."""
    if len(node.expressions) != 1:
        raise QueryError(f"{quote_sql(node)}: write STRLEN(x)")
    return call("strlen", fit_constant(read(node.expressions[0]), Type.TEXT))


READERS: dict[type[exp.Expression], Reader] = {
    exp.RegexpReplace: read_regexp_replace,
    exp.SplitPart: read_split_part,
}
NAMED = {"strlen": read_strlen}
