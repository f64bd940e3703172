"""Views of the policy: do they mean anything? Looked at before anybody asks."""

from __future__ import annotations

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.policy.problems import explain_problem
from discreet.query.build import build
from discreet.query.catalog import Catalog
from discreet.query.parse import parse_query
from discreet.query.select.columns import has_aggregate
from discreet.query.select.context import Context
from discreet.query.select.subqueries import read_select


def check_views(catalog: Catalog) -> None:
    """Refuse a policy whose views cannot be read: each must be rows of private tables, or a whole question."""
    for place, view in enumerate(catalog.policy.views):
        try:
            query = parse_query(view.sql)
            try:
                read_select(query, Context(catalog, {}, read_select, views=place))
            except QueryError as first:
                if not isinstance(query, exp.Select):
                    raise
                try:
                    build(query, catalog, views=place)
                except QueryError as second:
                    raise (second if has_aggregate(query) or query.args.get("group") else first) from None
        except QueryError as wrong:
            remedy = "write a SELECT that could stand in FROM (...) of a question"
            raise explain_problem(catalog.policy.path, ("views", view.name, "sql"), str(wrong), remedy) from None
