"""The columns of a SELECT: their names, and the stars that stand for many."""

from __future__ import annotations

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.query.parse import quote_sql, refuse_other_parts

STARS = dict.fromkeys(("except_", "except", "replace", "rename"), "list the columns instead")


def is_star(node: exp.Expression) -> bool:
    """Say whether a node is `*` or `table.*`."""
    return isinstance(node, exp.Star) or (isinstance(node, exp.Column) and isinstance(node.this, exp.Star))


def split_alias(node: exp.Expression) -> tuple[str, exp.Expression]:
    """Return the name of a column of a SELECT, and what it is."""
    if isinstance(node, exp.Alias):
        refuse_other_parts(node, {"this", "alias"})
    inner = node.this if isinstance(node, exp.Alias) else node
    name = node.alias if isinstance(node, exp.Alias) else name_without_alias(inner)
    if not name:
        raise QueryError(f"{quote_sql(node)}: a column of the answer needs a name; leave AS out or name it")
    return str(name), inner


def name_without_alias(node: exp.Expression) -> str:
    """Return the name that a column has without AS."""
    return node.name if isinstance(node, exp.Column) else node.sql(dialect="duckdb").lower()


def check_names(names: list[str]) -> None:
    """Refuse two columns of one name."""
    seen: set[str] = set()
    for name in names:
        if name.casefold() in seen:
            raise QueryError(f"two columns of the answer are called {name!r}; give one another name with AS")
        seen.add(name.casefold())


def name_apart(name: str, taken: list[str]) -> str:
    """Return the name of a column of the answer; where another has it already, with a number behind."""
    folded = {each.casefold() for each in taken}
    found, number = name, 0
    while found.casefold() in folded:
        number += 1
        found = f"{name}_{number}"
    return found


def has_aggregate(query: exp.Select) -> bool:
    """Say whether a SELECT aggregates by itself, subqueries inside it apart."""
    places = [*query.expressions, query.args.get("having")]
    return any(_aggregates(each) for each in places if each is not None)


def _aggregates(node: exp.Expression) -> bool:
    if isinstance(node, exp.Query):
        return False
    if isinstance(node, exp.Window):  # its function is none by itself, and may be one of aggregates
        function = node.this.this if isinstance(node.this, exp.Filter | exp.IgnoreNulls) else node.this
        inside = [child for child in node.iter_expressions() if child is not node.this]
        return any(_aggregates(each) for each in (*function.iter_expressions(), *inside))
    if isinstance(node, exp.AggFunc):
        return True
    return any(_aggregates(child) for child in node.iter_expressions())
