"""Forms that outlive the code: values written out field by field, under names that no refactoring changes.

The ledger keeps hashes of such forms for as long as it lives. So nothing in one comes from a class, a module or an
attribute by itself: every class has a tag and a list of fields with names of their own, and every member of an
enumeration has a code. Renaming a class or an attribute changes no form. A field that stands at its default is left
out, so that adding one with a default changes none either. What a tag, a field or a code means never changes: what
comes to mean something else gets a new tag.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import Enum
from fractions import Fraction

from discreet.base.canonical import Json
from discreet.base.errors import OperationError


@dataclass(frozen=True)
class Forms:
    """The tag and the fields of every class that may stand in a form, and the codes of enumerations.

    `fields` maps the name of a field in the form to the attribute that holds it. `derived` are attributes that follow
    from others.
    """

    classes: Mapping[type, tuple[str, Mapping[str, str]]]
    codes: Mapping[type[Enum], Mapping[str, str]] = field(default_factory=dict)
    derived: Mapping[type, frozenset[str]] = field(default_factory=dict)

    def describe(self, value: object) -> Json:
        """Return the form of a value: equal for equal values, and only for those.

        Subclasses are refused, of numbers and tuples too: one may say one thing here and another where it is used.
        """
        if isinstance(value, Enum):
            return self.codes[type(value)][value.name]
        if type(value) is tuple:
            return [self.describe(each) for each in value]
        kind = type(value)
        if kind not in self.classes:
            return describe_constant(value)
        tag, fields = self.classes[kind]
        defaults = {each.name: each.default for each in dataclasses.fields(value)}  # type: ignore[arg-type]
        found: dict[str, Json] = {}
        for name, attribute in fields.items():
            held = getattr(value, attribute)
            if not _is_default(held, defaults[attribute]):
                found[name] = self.describe(held)
        return {tag: found}

    def list_missing(self) -> list[str]:
        """Return every attribute and member that no form holds: for tests, so that none is forgotten."""
        found = []
        for each, (_, fields) in self.classes.items():
            names = {field.name for field in dataclasses.fields(each)}
            found += [f"{each.__name__}.{name}" for name in names ^ {*fields.values(), *self.derived.get(each, ())}]
        for kind, codes in self.codes.items():
            found += [f"{kind.__name__}.{name}" for name in {member.name for member in kind} ^ set(codes)]
            found += [f"{kind.__name__}: two members have one code"] * (len(set(codes.values())) < len(codes))
        return sorted(found)


def same_names(names: str) -> dict[str, str]:
    """Return fields whose names in the form are those of their attributes today.

    >>> same_names("table rows")
    {'table': 'table', 'rows': 'rows'}
    """
    return {name: name for name in names.split()}


def describe_constant(value: object) -> Json:
    """Return a constant as JSON in which dates, times, fractions and floats are not equal to texts or whole numbers.

    >>> describe_constant(Fraction(1, 2)), describe_constant(0.1), describe_constant(3)
    ({'number': '1/2'}, {'float': '0.1'}, 3)
    """
    if type(value) is Fraction:  # a subclass may say one thing here, and compute another where it is used
        return {"number": str(value)}
    if type(value) is float:
        return {"float": repr(value)}
    if type(value) is datetime:
        return {"timestamp": value.isoformat()}
    if type(value) is date:
        return {"date": value.isoformat()}
    if value is None or type(value) is bool or type(value) is int or type(value) is str:
        return value
    raise OperationError(f"{type(value).__name__} has no form that outlives the code; give one of those that have")


def _is_default(held: object, default: object) -> bool:
    """Say whether a field stands at its default; a required one has none, and the whole number 1 is not True."""
    return default is not dataclasses.MISSING and type(held) is type(default) and held == default
