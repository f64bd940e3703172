"""The options that commands share, and what their texts mean."""

from __future__ import annotations

import datetime as dt
import os
import re
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from discreet.base.errors import ParameterError, PolicyError

POLICY = "policy.toml"
ANALYST = "DISCREET_ANALYST"
"""The environment variable with the name of who asks, where a command does not say."""


class ListFormat(StrEnum):
    """How a listing is written."""

    TABLE = "table"
    JSON = "json"


PolicyOption = Annotated[
    Path | None, typer.Option("--policy", help="The policy.", show_default="policy.toml here or in a folder above")
]
AnalystOption = Annotated[
    str | None, typer.Option("--analyst", help="Who asks, where the policy has analysts.", show_default=False)
]
AskerOption = Annotated[
    str | None,
    typer.Option("--analyst", help="Who asks, where the policy has analysts; or DISCREET_ANALYST.", show_default=False),
]
FormatOption = Annotated[ListFormat, typer.Option("--format", help="How to write it.")]
EpsilonOption = Annotated[
    float | None, typer.Option("--epsilon", "-e", help="What to spend; smaller is more private.", show_default=False)
]
RhoOption = Annotated[float | None, typer.Option("--rho", help="Or what to spend in zCDP.", show_default=False)]
KeyDeltaOption = Annotated[
    float | None, typer.Option("--key-delta", help="The delta of keys taken from the data.", show_default=False)
]
WithinOption = Annotated[
    list[str] | None,
    typer.Option("--within", metavar="NAME=ERROR", help="Or the error wanted: n=50. Repeatable.", show_default=False),
]
ParamOption = Annotated[
    list[str] | None,
    typer.Option("--param", metavar="NAME=VALUE", help="A value for $NAME. Repeatable.", show_default=False),
]
MaxRowsOption = Annotated[int | None, typer.Option("--max-rows", help="Rows kept of a unit.", show_default=False)]
MaxGroupsOption = Annotated[int | None, typer.Option("--max-groups", help="Groups of a unit.", show_default=False)]
MaxPerGroupOption = Annotated[
    int | None, typer.Option("--max-rows-per-group", help="Rows kept of a unit in a group.", show_default=False)
]
KeysOption = Annotated[
    Path | None,
    typer.Option("--keys", metavar="FILE.csv", help="The keys to ask for, their names in line 1.", show_default=False),
]
ClampingOption = Annotated[
    bool, typer.Option("--clamping", help="Also count values outside of their bounds; part of the same price.")
]
LeftOutOption = Annotated[
    str | None,
    typer.Option(
        "--left-out",
        metavar="units|ROWS",
        help="Also count, for a tenth of the price, units over a limit; or rows beyond max_rows, up to ROWS of each.",
        show_default=False,
    ),
]
FileOption = Annotated[
    Path | None, typer.Option("--file", "-f", help="Read the question from this file.", show_default=False)
]
QuestionArgument = Annotated[
    str | None, typer.Argument(help="The question in SQL; - reads standard input.", show_default=False)
]


def find_policy(given: Path | None, name_with: str = " with --policy") -> Path:
    """Return the policy that was named, else policy.toml here or in the nearest folder above."""
    if given is not None:
        return given / POLICY if given.is_dir() else given
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / POLICY).is_file():
            return Path(POLICY) if folder == here else folder / POLICY
    raise PolicyError(
        f"there is no {POLICY} here or in a folder above; `discreet init DATA...` drafts one, or name it{name_with}"
    )


def find_analyst(given: str | None, policy: Path) -> str | None:
    """Return who asks: as named, else by the environment, where the policy has analysts.

    For commands that ask. What owners do is never done in somebody's name that happens to be in the environment.
    """
    named = os.environ.get(ANALYST, "").strip()
    if given is not None or not named:
        return given
    from discreet.policy import load

    return named if load(policy).analysts else None


def parameters(given: list[str] | None) -> dict[str, object]:
    """Return the values of `--param name=value`."""
    return {name: typed(value) for name, value in (_pair("--param", text) for text in given or [])}


def errors_wanted(given: list[str] | None) -> dict[str, float] | None:
    """Return the errors of `--within name=error`, or None where there is none."""
    wanted = {}
    for name, value in (_pair("--within", text) for text in given or []):
        try:
            wanted[name] = float(value)
        except ValueError:
            raise ParameterError("--within", f"{name}={value}", "a column and a number, such as n=50") from None
    return wanted or None


def typed(text: str) -> object:
    """Return the value that a text on the command line means; in single quotes it is always text.

    >>> typed("65"), typed("0.5"), typed("true"), typed("null"), typed("2026-03-01"), typed("north"), typed("'65'")
    (65, Decimal('0.5'), True, None, datetime.date(2026, 3, 1), 'north', '65')
    """
    if len(text) >= 2 and text[0] == text[-1] == "'":
        return text[1:-1]
    words: dict[str, object] = {"true": True, "false": False, "null": None}
    if text.lower() in words:
        return words[text.lower()]
    if re.fullmatch(r"[+-]?\d{1,100}", text, re.ASCII):
        return int(text)
    if re.fullmatch(r"[+-]?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][+-]?\d{1,3})?", text, re.ASCII):
        return Decimal(text)
    if re.fullmatch(r"\d{4}-\d\d-\d\d([T ].+)?", text, re.ASCII):
        try:
            return dt.date.fromisoformat(text) if len(text) == 10 else dt.datetime.fromisoformat(text)
        except ValueError:
            return text
    return text


def _pair(option: str, text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name.strip() or not equals:
        raise ParameterError(option, text, "a name, an equals sign and a value, such as n=50")
    return name.strip(), value


def read_bins(listed: list[str]) -> dict[str, int]:
    """Return how many bins each column is to have, from texts such as age=20."""
    found: dict[str, int] = {}
    for each in listed:
        name, sign, count = each.rpartition("=")
        if not sign or not count.strip().isdecimal():
            raise ParameterError("--bins", each, "NAME=COUNT, such as age=20")
        found[name.strip()] = int(count)
    return found
