"""What is shared while one question is read: the catalog, parameters, names of WITH, and fresh relation names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.plan.expressions import Expression
from discreet.plan.question import Question
from discreet.policy.schema import Resolved
from discreet.query.catalog import Catalog
from discreet.query.parse import parse_query, refuse_other_parts
from discreet.query.select.names import Selected

MOST_BESIDE = 8
"""Answers in place of values in one question: each is a release that is paid for."""

MOST_RELATIONS = 32
"""Tables, subqueries and unions in one question: more is a mistake or an attack on the engine."""


@dataclass
class Counter:
    """Gives relations the names t0, t1, ... in the order in which they are met: the analyst's own do not matter."""

    used: int = 0
    letter: str = "t"

    def next(self) -> str:
        """Return a name that nothing else has."""
        if self.used >= MOST_RELATIONS:
            raise QueryError(
                f"the question reads more than {MOST_RELATIONS} tables and subqueries; ask for less at once"
            )
        self.used += 1
        return f"{self.letter}{self.used - 1}"


@dataclass
class AnswersBeside:
    """The answers in place of values that a question has, each with what it was read from."""

    questions: list[Question] = field(default_factory=list)
    read: list[tuple[exp.Expression, Mapping[str, object], Expression]] = field(default_factory=list)

    def add(self, question: Question) -> int:
        """Return the place of an answer, which is added."""
        if len(self.questions) >= MOST_BESIDE:
            raise QueryError(f"the question has more than {MOST_BESIDE} answers in place of values; ask for less")
        self.questions.append(question)
        return len(self.questions) - 1


@dataclass(frozen=True)
class Context:
    """One question being read. `withs` are the subqueries that WITH named, each with what it could see itself.

    `views` is how many of the policy's views can be seen: each sees those before it.
    """

    catalog: Catalog
    parameters: Mapping[str, Any]
    select: Callable[[exp.Expression, Context], Selected]
    """Reads a SELECT inside the question: FROM and WHERE call it for their subqueries."""

    counter: Counter = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)
    """What is to be said about the answer, in the order in which it was met."""

    withs: Mapping[str, tuple[exp.Expression, Context]] = field(default_factory=dict)
    views: int | None = None
    answer: Callable[[exp.Select, Context], Question] | None = None
    """Reads a whole question inside the question: none where rows alone are asked for."""

    beside: AnswersBeside = field(default_factory=AnswersBeside)

    def named(self, name: str, query: exp.Expression) -> Context:
        """Return the reading in which a name stands for a subquery; the subquery itself does not see it."""
        return replace(self, withs={**self.withs, name.casefold(): (query, self)})

    def subquery(self, name: str) -> tuple[exp.Expression, Context] | None:
        """Return what a name of WITH or a view of the policy stands for."""
        found = self.withs.get(name.casefold())
        if found is not None:
            return found
        for place, view in enumerate(self.catalog.policy.views[: self.views]):
            if view.name.casefold() == name.casefold() and (self.views is not None or self.catalog.shows(name)):
                return _parse_view(view.sql), replace(self, withs={}, views=place)
        return None

    def find_table(self, name: str) -> Resolved:
        """Return the table that a question or a view names: a view may name tables that who asks may not."""
        return self.catalog.find_named(name) if self.views is None else self.catalog.table(name)

    def fresh(self) -> Context:
        """Return the same reading with a counter of its own, for a look ahead.

        Names of WITH are read with the counter that they have seen, so that this one gives names of another kind.
        """
        return replace(self, counter=Counter(letter="u"), remarks=[], beside=AnswersBeside())


@lru_cache(maxsize=256)
def _parse_view(text: str) -> exp.Expression:
    """Return the query of a view, read once: what is built from a tree never changes it."""
    return parse_query(text)


def add_with_names(query: exp.Expression, reading: Context) -> Context:
    """Return the reading that sees what WITH names, each name from the next one on."""
    node = query.args.get("with_")
    if node is None:
        return reading
    refuse_other_parts(node, {"expressions"}, {"recursive": "WITH RECURSIVE is not answered; leave RECURSIVE out"})
    seen: set[str] = set()
    for each in node.expressions:
        refuse_other_parts(
            each, {"this", "alias"}, {"materialized": "leave MATERIALIZED out", "scalar": "write WITH name AS (...)"}
        )
        refuse_other_parts(each.args["alias"], {"this"}, {"columns": "name the columns inside the subquery with AS"})
        name = str(each.alias)
        if name.casefold() in seen:
            raise QueryError(f"WITH names {name!r} twice; give one another name")
        seen.add(name.casefold())
        reading = reading.named(name, each.this)
    return reading
