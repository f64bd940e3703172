"""Types of results from types of arguments: the rules that rows of the table of functions share. None refuses."""

from __future__ import annotations

from collections.abc import Callable

from discreet.base.types import Type

Types = tuple[Type, ...]
Signature = Callable[[Types], Type | None]

CASTS: dict[Type, frozenset[Type]] = {
    Type.BOOLEAN: frozenset({Type.BOOLEAN, Type.INTEGER, Type.DECIMAL, Type.FLOAT, Type.TEXT}),
    Type.INTEGER: frozenset({Type.BOOLEAN, Type.INTEGER, Type.DECIMAL, Type.FLOAT, Type.TEXT}),
    Type.DECIMAL: frozenset({Type.BOOLEAN, Type.INTEGER, Type.DECIMAL, Type.FLOAT, Type.TEXT}),
    Type.FLOAT: frozenset({Type.BOOLEAN, Type.INTEGER, Type.DECIMAL, Type.FLOAT, Type.TEXT}),
    Type.TEXT: frozenset({Type.BOOLEAN, Type.INTEGER, Type.TEXT, Type.DATE}),
    Type.DATE: frozenset({Type.TEXT, Type.DATE, Type.TIMESTAMP}),
    Type.TIMESTAMP: frozenset({Type.TEXT, Type.DATE, Type.TIMESTAMP}),
}
"""What may be cast to a type. Floats and times print differently on every engine, so they never become text."""


def comparison(types: Types) -> Type | None:
    """Two values that are alike: of one type, both numbers, or a date and a time."""
    a, b = types
    alike = a is b or (a.numeric and b.numeric) or {a, b} == {Type.DATE, Type.TIMESTAMP}
    return Type.BOOLEAN if alike else None


def arithmetic(types: Types) -> Type | None:
    """Numbers: whole where all of them are, floats where one of them is, and decimals otherwise."""
    if not all(each.numeric for each in types):
        return None
    if Type.FLOAT in types:
        return Type.FLOAT
    return Type.DECIMAL if Type.DECIMAL in types else Type.INTEGER


def floating(types: Types) -> Type | None:
    """Numbers to a float."""
    return Type.FLOAT if arithmetic(types) else None


def whole(types: Types) -> Type | None:
    """Whole numbers only."""
    return Type.INTEGER if set(types) == {Type.INTEGER} else None


def logic(types: Types) -> Type | None:
    """Conditions only."""
    return Type.BOOLEAN if all(each is Type.BOOLEAN for each in types) else None


def same(types: Types) -> Type | None:
    """Values of one type, or numbers."""
    return types[0] if len(set(types)) == 1 else arithmetic(types)


def case(types: Types) -> Type | None:
    """condition, value, condition, value, ..., else."""
    conditions, values = types[0:-1:2], (*types[1:-1:2], types[-1])
    return same(values) if all(each is Type.BOOLEAN for each in conditions) else None


def membership(types: Types) -> Type | None:
    """A value and others that are like it."""
    return Type.BOOLEAN if all(comparison((types[0], each)) for each in types[1:]) else None


def first(types: Types) -> Type | None:
    """Two values that are alike, to the type of the first; a decimal that is compared with a float is one too."""
    if types == (Type.DECIMAL, Type.FLOAT):
        return Type.FLOAT
    return types[0] if comparison(types) else None


def rounded(types: Types) -> Type | None:
    """A number and, perhaps, how many digits."""
    right = types[0].numeric and types[1:] in ((), (Type.INTEGER,))
    return types[0] if right else None


def to_type(target: Type) -> Signature:
    """Return the rule of a cast."""
    return lambda types: target if types[0] in CASTS[target] else None


def decimal(types: Types) -> Type | None:
    """A value, and how many digits it is to have: in all, and behind the point."""
    right = types[0] in CASTS[Type.DECIMAL] and types[1:] == (Type.INTEGER, Type.INTEGER)
    return Type.DECIMAL if right else None


def exactly(result: Type, *wanted: Type) -> Signature:
    """Return the rule that takes just these types."""
    return lambda types: result if types == wanted else None


def texts(result: Type, least: int, most: int | None = None) -> Signature:
    """Return the rule that takes texts, so many of them or, without `most`, any number more."""

    def rule(types: Types) -> Type | None:
        right = least <= len(types) and (most is None or len(types) <= most) and set(types) == {Type.TEXT}
        return result if right else None

    return rule


def sliced(types: Types) -> Type | None:
    """A text, then one or two whole numbers."""
    return Type.TEXT if types in ((Type.TEXT, Type.INTEGER), (Type.TEXT, Type.INTEGER, Type.INTEGER)) else None


def moments(result: Type | None, *, first: int, shape: int) -> Signature:
    """Return the rule for `shape` arguments of which those from `first` on are dates or times; None keeps the type."""

    def rule(types: Types) -> Type | None:
        given = types[first:]
        right = len(types) == shape and all(each in (Type.DATE, Type.TIMESTAMP) for each in given)
        return (result or given[0]) if right else None

    return rule


def moved(result: Type | None) -> Signature:
    """Return the rule for a date or a time and how far it is moved; None keeps the type."""

    def rule(types: Types) -> Type | None:
        right = types[0] in (Type.DATE, Type.TIMESTAMP) and types[1:] == (Type.INTEGER,)
        return (result or types[0]) if right else None

    return rule


def bucket(types: Types) -> Type | None:
    """A number, two ends and how many buckets there are between them."""
    right = len(types) == 4 and all(each.numeric for each in types) and types[3] is Type.INTEGER
    return Type.INTEGER if right else None
