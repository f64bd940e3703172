"""What the commands of `discreet robust` share: their options, how texts are read, and how a result is shown."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.base.errors import DiscreetError, ParameterError
from discreet.cli.learning import split_list
from discreet.cli.options import ListFormat, find_analyst, find_policy, parameters, typed
from discreet.cli.output import PICTURES, check_writable, progress

TableArgument = Annotated[str, typer.Argument(help="The private table.")]
ColumnArgument = Annotated[str, typer.Argument(help="A column with public bounds, or an SQL expression of such.")]
ConditionArgument = Annotated[str, typer.Argument(help="A condition in SQL: 'cost > 500'.")]
WhereOption = Annotated[
    str | None, typer.Option("--where", help="Of rows that fulfil this alone: 'age >= 18'.", show_default=False)
]
PerUnitOption = Annotated[
    str | None,
    typer.Option("--per-unit", help="A person's value: mean, sum, min or max of rows.", show_default="mean"),
]
SumPerUnitOption = Annotated[
    str | None, typer.Option("--per-unit", help="A person's value: sum, mean, min or max of rows.", show_default="sum")
]
AnyOption = Annotated[
    str | None, typer.Option("--per-unit", help="It holds in any, or in all, of a person's rows.", show_default="any")
]
ConfidenceOption = Annotated[float, typer.Option("--confidence", help="Of the interval.")]
ByOption = Annotated[str | None, typer.Option("--by", help="A column or expression with groups.", show_default=False)]
BetweenOption = Annotated[
    str | None, typer.Option("--between", metavar="A,B", help="The two groups that are compared.", show_default=False)
]
TimesOption = Annotated[str, typer.Option("--times", metavar="T,T,...", help="Public times that rise: 30,90,365.")]
FreshOption = Annotated[bool, typer.Option("--fresh", help="Pay for new noise.")]
JsonOption = Annotated[bool, typer.Option("--json", help="The same as --format json.")]
PlotOption = Annotated[
    Path | None, typer.Option("--plot", help="Draw it, too: .png, .pdf or .svg.", show_default=False)
]


@dataclass(frozen=True)
class RobustRequest:
    """What a command was told beside its question: who asks under which policy, and how the result is shown."""

    policy: Path | None
    analyst: str | None
    format: ListFormat
    json: bool
    plot: Path | None = None

    def show(self, name: str, arguments: tuple[Any, ...], **how: Any) -> None:
        """Call a function of `discreet.robust` and print what it returns; options that were not given are left out.

        What could make showing it fail is looked at before anything is charged.
        """
        if (how["epsilon"] is None) == (how["rho"] is None):
            raise DiscreetError("say what to spend, and once: -e 1, or --rho 0.5")
        if self.plot is not None:
            check_writable(self.plot)
            if self.plot.suffix.lower() not in PICTURES:
                raise ParameterError("--plot", str(self.plot), f"a file that ends in {', '.join(PICTURES)}")
            from discreet.answers.arrow import require_module

            require_module("matplotlib.figure", "discreet[plot]")
        from discreet import robust
        from discreet.curator import Curator

        given = {option: value for option, value in how.items() if value is not None}
        path = find_policy(self.policy)
        with Curator.open(path, find_analyst(self.analyst, path)) as curator, progress("measuring"):
            found = getattr(robust, name)(curator, *arguments, **given)
        if self.json or self.format is ListFormat.JSON:
            typer.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
        else:
            typer.echo(str(found))
        if self.plot is not None:
            found.plot(self.plot)
            typer.echo(f"wrote {self.plot}", err=True)


def read_values(text: str | None) -> list[Any] | None:
    """Return the values between commas, each as what it means; in single quotes one is always text.

    >>> read_values("icu, 'a,b', 3, true")
    ['icu', 'a,b', 3, True]
    """
    return None if text is None else [typed(each) for each in split_list(text)]


def read_number_list(option: str, text: str) -> list[float]:
    """Return the numbers between commas."""
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
    found: dict[Any, float] = {}
    for each in split_list(text):
        name, sign, share = each.rpartition("=")
        try:
            value = float(share)
        except ValueError:
            sign = ""
        if not sign or not name.strip():
            raise ParameterError("--shares", text, "values and shares, such as f=0.5,m=0.5")
        found[typed(name.strip())] = value
    return found


def read_params(given: list[str] | None) -> dict[str, object] | None:
    """Return the values of `--param`, where there are some."""
    return parameters(given) or None
