"""Constants made to fit what stands beside them: NULL takes a type, and text beside dates is read as one."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction

from discreet.base.types import Type
from discreet.plan.expressions import Call, Expression, Literal
from discreet.plan.functions import call
from discreet.query.scalars.constants import is_decimal, parse_moment

TIMES = (Type.DATE, Type.TIMESTAMP)
EXACT = (Type.INTEGER, Type.DECIMAL)

FOLDED: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
}


def combine(name: str, *arguments: Expression) -> Call:
    """Return a call with its constants made to fit: NULL takes a type, and text beside dates is read as one."""
    places = list(range(len(arguments)))
    if name == "case":
        places = [*range(1, len(arguments) - 1, 2), len(arguments) - 1]
    if name in ("and", "or", "not"):
        return call(name, *arguments)
    types = [arguments[i].type for i in places if not is_null(arguments[i])]
    wanted = next((each for each in types if each in TIMES), types[0] if types else Type.BOOLEAN)
    fitted_ = [fit_constant(each, wanted) if i in places else each for i, each in enumerate(arguments)]
    return call(name, *fitted_)


def fold_decimals(name: str, *arguments: Expression) -> Literal | None:
    """Return the sum or product of two constants of which one is a decimal: 0.06 + 0.01 is 0.07 wherever it stands."""
    numbers = [each.value for each in arguments if isinstance(each, Literal) and each.type in EXACT]
    if name not in FOLDED or len(numbers) != 2 or Type.DECIMAL not in {each.type for each in arguments}:
        return None
    first, second = (Fraction(each) if isinstance(each, int | Fraction) else None for each in numbers)
    value = None if first is None or second is None else FOLDED[name](first, second)
    return Literal(value, Type.DECIMAL) if value is not None and is_decimal(value) else None


def is_null(expression: Expression) -> bool:
    """Say whether the analyst wrote NULL."""
    return isinstance(expression, Literal) and expression.value is None


def fit_constant(expression: Expression, wanted: Type) -> Expression:
    """Return a constant as one of the wanted type, where it is NULL or the text of a date or a time."""
    if is_null(expression):
        return Literal(None, wanted)
    if isinstance(expression, Literal) and isinstance(expression.value, str) and wanted in TIMES:
        return Literal(parse_moment(expression.value, wanted), wanted)
    return expression


def fit_truth(first: Expression, second: Expression) -> tuple[Expression, Expression]:
    """Return what is compared; beside a condition 0 and 1 are FALSE and TRUE."""
    if first.type is Type.BOOLEAN:
        return first, _as_truth(second)
    return (_as_truth(first), second) if second.type is Type.BOOLEAN else (first, second)


def _as_truth(expression: Expression) -> Expression:
    whole = isinstance(expression, Literal) and expression.type is Type.INTEGER and expression.value in (0, 1)
    return Literal(bool(expression.value), Type.BOOLEAN) if isinstance(expression, Literal) and whole else expression


def to_text(expression: Expression) -> Expression:
    """Return a text; of a whole number its digits, as engines write them beside a text."""
    return call("as_text", expression) if expression.type is Type.INTEGER else fit_constant(expression, Type.TEXT)


def to_time(expression: Expression) -> Expression:
    """Return a date or time, reading the text of one: a date where it has no hours."""
    if isinstance(expression, Literal) and isinstance(expression.value, str):
        return fit_constant(
            expression, Type.DATE if len(expression.value.strip()) <= len("2026-03-01") else Type.TIMESTAMP
        )
    return fit_constant(expression, Type.DATE)
