"""What holds until it is set again: the price of questions, and how answers are shown. There is no price at first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Any

from discreet.answers.answer import CONFIDENCE
from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.cli.options import errors_wanted, typed

PRICES = ("epsilon", "rho", "within")
"""Of these one is set: setting another takes its place."""

WORDS = {"on": True, "true": True, "off": False, "false": False}
FORMATS = ("table", "csv", "json")


@dataclass(frozen=True)
class Settings:
    """All of them, as texts that were checked. Nobody pays a price that they did not set: these have no default."""

    epsilon: str | None = None
    rho: str | None = None
    within: str | None = None
    confidence: float = CONFIDENCE
    simultaneous: bool = False
    format: str = "table"
    params: Mapping[str, object] = field(default_factory=dict)

    @property
    def price(self) -> dict[str, Any]:
        """What is handed over with a question: one price, or none."""
        found: dict[str, Any] = {
            name: Fraction(text) for name in ("epsilon", "rho") if (text := getattr(self, name)) is not None
        }
        return found if self.within is None else found | {"within": errors_wanted(self.within.split())}

    def find_params(self, sql: str) -> dict[str, Any]:
        """Return the values of the parameters that stand in a question, as it is handed over."""
        used = {name: value for name, value in self.params.items() if re.search(rf"\${name}\b", sql)}
        return {"params": used} if used else {}

    def put(self, name: str, text: str) -> Settings:
        """Return the settings with one of them changed, or refuse it; `$age` is the parameter of that name."""
        if name.startswith("$") and name[1:].isidentifier() and text:
            return replace(self, params={**self.params, name[1:]: typed(text)})
        if name in PRICES:
            value = " ".join(text.split())
            if name == "within":
                if not errors_wanted(value.split()):
                    raise ParameterError("within", text, "columns and errors, such as n=50")
            else:
                _read_amount(name, value)
            alone: dict[str, Any] = {each: value if each == name else None for each in PRICES}
            return replace(self, **alone)
        if name == "confidence":
            return replace(self, confidence=float(check.confidence(_read_number(name, text))))
        if name == "simultaneous":
            return replace(self, simultaneous=WORDS[check.choice(name, text.lower(), tuple(WORDS))])
        if name == "format":
            return replace(self, format=check.choice(name, text.lower(), FORMATS))
        raise ParameterError("setting", name, f"one of {', '.join(NAMES)}, or $name for a parameter")

    def clear(self, name: str) -> Settings:
        """Return the settings with one of them as it was at first."""
        if name.startswith("$"):
            return replace(self, params={each: value for each, value in self.params.items() if each != name[1:]})
        check.choice("setting", name, NAMES)
        return replace(self, **{name: getattr(Settings(), name)})

    def describe(self, lead: str = "\\") -> str:
        """Return all settings in lines; `lead` is what commands begin with."""
        unset = f"not set: {lead}set epsilon 0.1 sets one"
        price = [f"{name:<13} {value}" for name in PRICES if (value := getattr(self, name)) is not None]
        shown = {"confidence": f"{self.confidence:g}", "simultaneous": "on" if self.simultaneous else "off"}
        lines = [f"{name:<13} {value}" for name, value in {**shown, "format": self.format}.items()]
        params = [f"{f'${name}':<13} {value!r}" for name, value in self.params.items()]
        return "\n".join([*(price or [f"{'price':<13} {unset}"]), *lines, *params])


NAMES = tuple(each.name for each in fields(Settings) if each.name != "params")


def _read_number(name: str, text: str) -> Fraction:
    try:
        if len(text) > 40:
            raise ValueError
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise ParameterError(name, text, "a number, such as 0.1") from None


def _read_amount(name: str, text: str) -> Fraction:
    found = _read_number(name, text)
    if found <= 0:
        raise ParameterError(name, text, "a number above 0, such as 0.1")
    return found
