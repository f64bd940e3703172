"""One form for one question: the order of conditions does not matter to its answer.

Names of relations do not either: they are t0, t1, ... from the start.
"""

from __future__ import annotations

from dataclasses import replace

from discreet.base.types import Type
from discreet.plan.expressions import Call, Expression, join_conditions
from discreet.plan.identity import write_sort_key
from discreet.plan.question import Question
from discreet.plan.relations import Block


def to_canonical(question: Question) -> Question:
    """Return the question with the conditions of its outermost WHERE in one order."""
    beside = tuple(to_canonical(each) for each in question.beside)
    return replace(question, block=order_conditions(question.block), beside=beside)


def order_conditions(block: Block) -> Block:
    """Return the block with the conditions of its own WHERE in one order."""
    return block if block.where is None else replace(block, where=order_terms(block.where))


def order_terms(expression: Expression) -> Expression:
    """Return the expression with the terms of AND and OR sorted, and each once."""
    if not isinstance(expression, Call):
        return expression
    arguments = tuple(order_terms(argument) for argument in expression.arguments)
    if expression.function not in ("and", "or"):
        return Call(expression.function, arguments, expression.type)
    terms: list[Expression] = []
    for argument in arguments:
        inside = argument.arguments if isinstance(argument, Call) and argument.function == expression.function else None
        terms.extend(_flat(argument, expression.function) if inside is not None else [argument])
    unique = sorted(dict.fromkeys(terms), key=write_sort_key)
    if expression.function == "and":
        joined = join_conditions(unique)
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
