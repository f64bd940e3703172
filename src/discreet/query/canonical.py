"""One form for one question: names of relations and the order of conditions do not matter to its answer."""

from __future__ import annotations

from dataclasses import replace

from discreet.base.types import Type
from discreet.plan.expressions import Call, Column, Expression, all_of, replaced
from discreet.plan.question import Aggregate, Lookup, Question, Scan


def canonical(question: Question) -> Question:
    """Return the question with its relations called t0, t1, ... and conditions in one order."""
    names = {question.scan.relation: "t0"}
    names |= {lookup.relation: f"t{place + 1}" for place, lookup in enumerate(question.lookups)}

    def renamed(expression: Expression) -> Expression:
        return replaced(expression, lambda column: Column(names[column.relation], column.name, column.type))

    return replace(
        question,
        scan=Scan(question.scan.table, "t0"),
        lookups=tuple(
            Lookup(each.table, names[each.relation], tuple((renamed(mine), name) for mine, name in each.on), each.keep)
            for each in question.lookups
        ),
        where=None if question.where is None else ordered(renamed(question.where)),
        keys=tuple(Column(names[key.relation], key.name, key.type) for key in question.keys),
        aggregates=tuple(
            Aggregate(each.kind, None if each.argument is None else renamed(each.argument), each.share)
            for each in question.aggregates
        ),
    )


def ordered(expression: Expression) -> Expression:
    """Return the expression with the terms of AND and OR sorted, and each once."""
    if not isinstance(expression, Call):
        return expression
    arguments = tuple(ordered(argument) for argument in expression.arguments)
    if expression.function not in ("and", "or"):
        return Call(expression.function, arguments, expression.type)
    terms: list[Expression] = []
    for argument in arguments:
        inside = argument.arguments if isinstance(argument, Call) and argument.function == expression.function else None
        terms.extend(_flat(argument, expression.function) if inside is not None else [argument])
    unique = sorted(dict.fromkeys(terms), key=repr)
    if expression.function == "and":
        joined = all_of(unique)
        assert joined is not None
        return joined
    result = unique[0]
    for term in unique[1:]:
        result = Call("or", (result, term), Type.BOOLEAN)
    return result


def _flat(expression: Expression, function: str) -> list[Expression]:
    if isinstance(expression, Call) and expression.function == function:
        return [term for argument in expression.arguments for term in _flat(argument, function)]
    return [expression]
