"""The commands of `discreet robust` with intervals for a population, for sampling and noise together."""

from __future__ import annotations

from typing import Annotated

import typer

from discreet.cli.learning import split_list
from discreet.cli.robust_asking import (
    AnyOption,
    ColumnArgument,
    ConditionArgument,
    ConfidenceOption,
    GroupsOfOption,
    PerUnitOption,
    TableArgument,
    TimesOption,
    TwoGroupsOption,
    read_number_list,
    read_values,
)
from discreet.cli.robust_options import PictureOptions, PriceOptions, ResampleOptions

TimeArgument = Annotated[str, typer.Argument(help="How long a person was seen: a column or an expression.")]
EventArgument = Annotated[str, typer.Argument(help="A condition in SQL: what may have happened.")]


def mean(
    table: TableArgument,
    column: ColumnArgument,
    price: PriceOptions,
    output: PictureOptions,
    per_unit: PerUnitOption = None,
    confidence: ConfidenceOption = 0.95,
) -> None:
    """Tell the mean of people's values.

    Example: discreet robust mean visits cost --where 'age >= 18' -e 1
    """
    output.ask("mean_interval", table, column, **price.read(), per_unit=per_unit, confidence=confidence)


def median(
    table: TableArgument,
    column: ColumnArgument,
    price: PriceOptions,
    output: PictureOptions,
    per_unit: PerUnitOption = None,
    confidence: ConfidenceOption = 0.95,
) -> None:
    """Tell the median of people's values, whatever their tails and bounds.

    Example: discreet robust median visits cost -e 1
    """
    output.ask("median_interval", table, column, **price.read(), per_unit=per_unit, confidence=confidence)


def quantile(
    table: TableArgument,
    column: ColumnArgument,
    price: PriceOptions,
    output: PictureOptions,
    share: Annotated[float, typer.Option(help="Of people, whose values lie below it.")] = 0.9,
    per_unit: PerUnitOption = None,
    confidence: ConfidenceOption = 0.95,
) -> None:
    """Tell the value that a share of people's values lies below.

    Example: discreet robust quantile visits cost --share 0.9 -e 1
    """
    how = {"share": share, "per_unit": per_unit, "confidence": confidence}
    output.ask("quantile_interval", table, column, **price.read(), **how)


def proportion(
    table: TableArgument,
    condition: ConditionArgument,
    price: PriceOptions,
    output: PictureOptions,
    per_unit: AnyOption = None,
    confidence: ConfidenceOption = 0.95,
) -> None:
    """Tell the share of people for whom a condition holds.

    Example: discreet robust proportion visits 'cost > 500' -e 0.5
    """
    output.ask("proportion_interval", table, condition, **price.read(), per_unit=per_unit, confidence=confidence)


def difference(
    table: TableArgument,
    by: GroupsOfOption,
    between: TwoGroupsOption,
    price: PriceOptions,
    output: PictureOptions,
    column: Annotated[
        str | None, typer.Argument(help="A column with public bounds; or else --condition.", show_default=False)
    ] = None,
    condition: Annotated[str | None, typer.Option(help="Compare shares with this.", show_default=False)] = None,
    per_unit: Annotated[
        str | None, typer.Option("--per-unit", help="As for mean, or for proportion.", show_default=False)
    ] = None,
    confidence: ConfidenceOption = 0.95,
) -> None:
    """Tell how much larger a mean, or a share, is in one group than in another.

    Example: discreet robust difference visits cost --by ward --between icu,north -e 1
    """
    how = {"by": by, "between": read_values(between), "condition": condition, "per_unit": per_unit}
    output.ask("difference_interval", table, column, **price.read(), **how, confidence=confidence)


def survival(
    table: TableArgument,
    time: TimeArgument,
    event: EventArgument,
    times: TimesOption,
    price: PriceOptions,
    output: PictureOptions,
    confidence: ConfidenceOption = 0.95,
) -> None:
    """Tell the share of people without an event after each of some times.

    Example: discreet robust survival visits stay_days died --times 30,90,365 -e 2
    """
    ends = read_number_list("--times", times)
    output.ask("survival_curve", table, time, event, **price.read(), times=ends, confidence=confidence)


def regression(
    table: TableArgument,
    target: Annotated[str, typer.Argument(help="What is explained: a column with public bounds, or an expression.")],
    features: Annotated[str, typer.Argument(metavar="A,B,...", help="By what: columns or expressions.")],
    price: ResampleOptions,
    output: PictureOptions,
    even_errors: Annotated[
        bool, typer.Option("--even-errors", help="Take errors to spread equally, whatever the features are.")
    ] = False,
    per_unit: PerUnitOption = None,
    confidence: ConfidenceOption = 0.95,
) -> None:
    """Tell the coefficients of a linear regression over people.

    Example: discreet robust regression visits cost age,quantity -e 4 --delta 1e-10
    """
    how = {"even_errors": even_errors, "per_unit": per_unit, "confidence": confidence}
    output.ask("regression_interval", table, target, split_list(features), **price.read(), **how)


def correlation(
    table: TableArgument,
    first: ColumnArgument,
    second: Annotated[str, typer.Argument(help="Another one.")],
    price: ResampleOptions,
    output: PictureOptions,
    per_unit: PerUnitOption = None,
    confidence: ConfidenceOption = 0.95,
) -> None:
    """Tell the correlation of two columns over people.

    Example: discreet robust correlation visits age cost -e 4 --delta 1e-10
    """
    how = {"per_unit": per_unit, "confidence": confidence}
    output.ask("correlation_interval", table, first, second, **price.read(), **how)


def ratio(
    table: TableArgument,
    numerator: ColumnArgument,
    denominator: Annotated[str, typer.Argument(help="The column whose mean is divided by.")],
    price: ResampleOptions,
    output: PictureOptions,
    per_unit: PerUnitOption = None,
    confidence: ConfidenceOption = 0.95,
) -> None:
    """Tell the mean of one column over that of another.

    Example: discreet robust ratio visits cost quantity -e 2 --delta 1e-10
    """
    how = {"per_unit": per_unit, "confidence": confidence}
    output.ask("ratio_interval", table, numerator, denominator, **price.read(), **how)
