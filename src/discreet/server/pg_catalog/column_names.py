"""Names of the columns of a result, as PostgreSQL gives them where a statement does not."""

from __future__ import annotations

from sqlglot import exp

from discreet.server.pg_catalog.casts import read_kind


def name_columns(tree: exp.Select) -> None:
    """Name the columns of a result as PostgreSQL does, where the statement does not."""
    for each in list(tree.expressions):
        if isinstance(each, exp.Alias | exp.Column | exp.Star) or each.is_star:
            continue
        name = _find_name(each)
        tree.set(
            "expressions", [exp.alias_(one, name, quoted=True) if one is each else one for one in tree.expressions]
        )


NAMES: dict[type[exp.Expr], str] = {
    exp.Array: "array",
    exp.Exists: "exists",
    exp.CurrentUser: "current_user",
    exp.Boolean: "bool",
    exp.CurrentDatabase: "current_database",
    exp.CurrentSchema: "current_schema",
    exp.CurrentVersion: "version",
    exp.GroupConcat: "string_agg",
    exp.CurrentSchemas: "current_schemas",
    exp.CurrentTimestamp: "now",
    exp.CurrentDate: "current_date",
    exp.Localtimestamp: "localtimestamp",
}
"""What PostgreSQL calls the columns of some expressions."""


def _find_name(node: exp.Expr) -> str:
    if isinstance(node, exp.Column):
        return str(node.name)
    if isinstance(node, exp.Paren):
        return _find_name(node.this)
    if isinstance(node, exp.Dot):
        return _find_name(node.expression) if isinstance(node.expression, exp.Func) else str(node.expression.name)
    if isinstance(node, exp.Cast):
        inner = _find_name(node.this)
        return read_kind(node.to).removesuffix("[]") if inner in ("?column?",) else inner
    if isinstance(node, exp.Subquery):
        select = node.this
        return _find_name(select.expressions[0]) if isinstance(select, exp.Select) else "?column?"
    if isinstance(node, exp.Alias):
        return str(node.alias)
    if isinstance(node, exp.Case):
        default = node.args.get("default")
        inner = "?column?" if default is None else _find_name(default)
        return "case" if inner == "?column?" else inner
    if isinstance(node, exp.Trim):
        return {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(str(node.args.get("position") or "").upper(), "btrim")
    for kind, name in NAMES.items():
        if isinstance(node, kind):
            return name
    if isinstance(node, exp.And | exp.Or | exp.Not | exp.Binary):
        return "?column?"
    if isinstance(node, exp.Anonymous):
        return str(node.name).lower()
    return node.sql_name().lower() if isinstance(node, exp.Func) else "?column?"
