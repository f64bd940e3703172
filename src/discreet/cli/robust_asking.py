"""The arguments that several commands of `discreet robust` take, and what their texts mean."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from discreet.base.errors import ParameterError
from discreet.cli.learning import split_list
from discreet.cli.options import typed

TableArgument = Annotated[str, typer.Argument(help="The private table.")]
ColumnArgument = Annotated[str, typer.Argument(help="A column with public bounds, or an SQL expression of such.")]
ConditionArgument = Annotated[str, typer.Argument(help="A condition in SQL: 'cost > 500'.")]
PerUnitOption = Annotated[
    str | None,
    typer.Option("--per-unit", help="A person's value: mean, sum, min or max of rows.", show_default="mean"),
]
SumPerUnitOption = Annotated[
    str | None, typer.Option("--per-unit", help="A person's value: sum, mean, min or max of rows.", show_default="sum")
]
RowsPerUnitOption = Annotated[
    str | None,
    typer.Option(
        "--per-unit", help="A person's value: mean, sum, min or max of rows; or rows for all.", show_default="mean"
    ),
]
AnyOption = Annotated[
    str | None, typer.Option("--per-unit", help="It holds in any, or in all, of a person's rows.", show_default="any")
]
ConfidenceOption = Annotated[float, typer.Option("--confidence", help="Of the interval.")]
GroupsOfOption = Annotated[str, typer.Option("--by", help="A column or expression with groups.")]
ByOption = Annotated[str | None, typer.Option("--by", help="A column or expression with groups.", show_default=False)]
BetweenOption = Annotated[
    str | None, typer.Option("--between", metavar="A,B", help="The two groups that are compared.", show_default=False)
]
TwoGroupsOption = Annotated[str, typer.Option("--between", metavar="A,B", help="The two groups: A against B.")]
TimesOption = Annotated[str, typer.Option("--times", metavar="T,T,...", help="Public times that rise: 30,90,365.")]
CutsOption = Annotated[
    str | None,
    typer.Option(
        "--cuts",
        metavar="C,C,...",
        help="Public numbers that rise, between which people are counted.",
        show_default="five equal parts of the bounds",
    ),
]
StepOption = Annotated[float, typer.Option("--step", help="Values are rounded to multiples of it: 0.01 for cents.")]
MethodOption = Annotated[
    str | None,
    typer.Option(
        "--method", help="usual, or universal (Dong and Yi's): `advise-unbounded` says.", show_default="usual"
    ),
]
DeclaredValues = typer.Option(
    metavar="A,B,...", help="Its public values.", show_default="those that the policy declares"
)


def read_values(text: str | None) -> list[Any] | None:
    """Return the values between commas, each as what it means; in single quotes one is always text.

    >>> read_values("icu, 'a,b', 3, true")
    ['icu', 'a,b', 3, True]
    """
    return None if text is None else [typed(each) for each in split_list(text)]


def read_number_list(option: str, text: str | None) -> list[float] | None:
    """Return the numbers between commas, where there are some.

    >>> read_number_list("--times", "30, 90")
    [30.0, 90.0]
    """
    if text is None:
        return None
    try:
        return [float(each) for each in split_list(text)]
    except ValueError:
        raise ParameterError(option, text, "numbers with commas between, such as 30,90,365") from None


def read_shares(text: str | None) -> dict[Any, float] | None:
    """Return values with their shares.

    >>> read_shares("f=0.5, m=0.5")
    {'f': 0.5, 'm': 0.5}
    """
    if text is None:
        return None
    form = "values and shares, such as f=0.5,m=0.5"
    return {typed(name): share for name, share in read_pairs("--shares", text, form).items()}


def read_pairs(option: str, text: str, form: str) -> dict[str, float]:
    """Return names or expressions with a number each, as they are written.

    >>> read_pairs("columns", "age=20, cost / 2=300", "")
    {'age': 20.0, 'cost / 2': 300.0}
    """
    found: dict[str, float] = {}
    for each in split_list(text):
        name, sign, number = each.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            sign = ""
        if not sign or not name.strip() or name.strip() in found:
            raise ParameterError(option, text, form)
        found[name.strip()] = value
    return found
