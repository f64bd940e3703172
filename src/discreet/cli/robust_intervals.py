"""The commands of `discreet robust` that estimate: means, medians, shares, differences, and sums with a clip."""

from __future__ import annotations

from typing import Annotated

import typer

from discreet.cli.errors import show_errors
from discreet.cli.options import (
    AskerOption,
    EpsilonOption,
    FormatOption,
    ListFormat,
    ParamOption,
    PolicyOption,
    RhoOption,
)
from discreet.cli.robust_asking import (
    AnyOption,
    ColumnArgument,
    ConditionArgument,
    ConfidenceOption,
    FreshOption,
    JsonOption,
    PerUnitOption,
    PlotOption,
    RobustRequest,
    SumPerUnitOption,
    TableArgument,
    WhereOption,
    read_params,
    read_values,
)


def mean(
    table: TableArgument,
    column: ColumnArgument,
    epsilon: EpsilonOption = None,
    rho: RhoOption = None,
    where: WhereOption = None,
    per_unit: PerUnitOption = None,
    confidence: ConfidenceOption = 0.95,
    param: ParamOption = None,
    fresh: FreshOption = False,
    plot: PlotOption = None,
    format: FormatOption = ListFormat.TABLE,
    json: JsonOption = False,
    policy: PolicyOption = None,
    analyst: AskerOption = None,
) -> None:
    """Tell the mean of people's values, with an interval for sampling and noise together.

    Example: discreet robust mean visits cost --where 'age >= 18' -e 1
    """
    with show_errors():
        how = {"epsilon": epsilon, "rho": rho, "where": where, "params": read_params(param), "fresh": fresh}
        RobustRequest(policy, analyst, format, json, plot).show(
            "mean_interval", (table, column), **how, confidence=confidence, per_unit=per_unit
        )


def median(
    table: TableArgument,
    column: ColumnArgument,
    epsilon: EpsilonOption = None,
    rho: RhoOption = None,
    where: WhereOption = None,
    per_unit: PerUnitOption = None,
    confidence: ConfidenceOption = 0.95,
    param: ParamOption = None,
    fresh: FreshOption = False,
    plot: PlotOption = None,
    format: FormatOption = ListFormat.TABLE,
    json: JsonOption = False,
    policy: PolicyOption = None,
    analyst: AskerOption = None,
) -> None:
    """Tell the median of people's values: no heavy tail and no wide bounds disturb it.

    Example: discreet robust median visits cost -e 1
    """
    with show_errors():
        how = {"epsilon": epsilon, "rho": rho, "where": where, "params": read_params(param), "fresh": fresh}
        RobustRequest(policy, analyst, format, json, plot).show(
            "median_interval", (table, column), **how, confidence=confidence, per_unit=per_unit
        )


def quantile(
    table: TableArgument,
    column: ColumnArgument,
    share: Annotated[float, typer.Option(help="Of people, whose values lie below it.")] = 0.9,
    epsilon: EpsilonOption = None,
    rho: RhoOption = None,
    where: WhereOption = None,
    per_unit: PerUnitOption = None,
    confidence: ConfidenceOption = 0.95,
    param: ParamOption = None,
    fresh: FreshOption = False,
    plot: PlotOption = None,
    format: FormatOption = ListFormat.TABLE,
    json: JsonOption = False,
    policy: PolicyOption = None,
    analyst: AskerOption = None,
) -> None:
    """Tell the value that a share of people's values lies below.

    Example: discreet robust quantile visits cost --share 0.9 -e 1
    """
    with show_errors():
        how = {"epsilon": epsilon, "rho": rho, "where": where, "params": read_params(param), "fresh": fresh}
        RobustRequest(policy, analyst, format, json, plot).show(
            "quantile_interval", (table, column), **how, confidence=confidence, per_unit=per_unit, share=share
        )


def proportion(
    table: TableArgument,
    condition: ConditionArgument,
    epsilon: EpsilonOption = None,
    rho: RhoOption = None,
    where: WhereOption = None,
    per_unit: AnyOption = None,
    confidence: ConfidenceOption = 0.95,
    param: ParamOption = None,
    fresh: FreshOption = False,
    plot: PlotOption = None,
    format: FormatOption = ListFormat.TABLE,
    json: JsonOption = False,
    policy: PolicyOption = None,
    analyst: AskerOption = None,
) -> None:
    """Tell the share of people for whom a condition holds.

    Example: discreet robust proportion visits 'cost > 500' -e 0.5
    """
    with show_errors():
        how = {"epsilon": epsilon, "rho": rho, "where": where, "params": read_params(param), "fresh": fresh}
        RobustRequest(policy, analyst, format, json, plot).show(
            "proportion_interval", (table, condition), **how, confidence=confidence, per_unit=per_unit
        )


def difference(
    table: TableArgument,
    by: Annotated[str, typer.Option(help="A column or expression with groups.")],
    between: Annotated[str, typer.Option(metavar="A,B", help="The two groups: A minus B.")],
    column: Annotated[
        str | None, typer.Argument(help="A column with public bounds; or else --condition.", show_default=False)
    ] = None,
    condition: Annotated[str | None, typer.Option(help="Compare shares with this.", show_default=False)] = None,
    epsilon: EpsilonOption = None,
    rho: RhoOption = None,
    where: WhereOption = None,
    per_unit: Annotated[
        str | None, typer.Option("--per-unit", help="As for mean, or for proportion.", show_default=False)
    ] = None,
    confidence: ConfidenceOption = 0.95,
    param: ParamOption = None,
    fresh: FreshOption = False,
    plot: PlotOption = None,
    format: FormatOption = ListFormat.TABLE,
    json: JsonOption = False,
    policy: PolicyOption = None,
    analyst: AskerOption = None,
) -> None:
    """Tell how much larger a mean, or a share, is in one group than in another.

    Example: discreet robust difference visits cost --by ward --between icu,north -e 1
    """
    with show_errors():
        how = {"epsilon": epsilon, "rho": rho, "where": where, "params": read_params(param), "fresh": fresh}
        RobustRequest(policy, analyst, format, json, plot).show(
            "difference_interval",
            (table, column),
            **how,
            confidence=confidence,
            by=by,
            between=read_values(between),
            condition=condition,
            per_unit=per_unit,
        )


def clipped_sum(
    table: TableArgument,
    column: ColumnArgument,
    epsilon: EpsilonOption = None,
    rho: RhoOption = None,
    where: WhereOption = None,
    per_unit: SumPerUnitOption = None,
    confidence: ConfidenceOption = 0.95,
    param: ParamOption = None,
    fresh: FreshOption = False,
    format: FormatOption = ListFormat.TABLE,
    json: JsonOption = False,
    policy: PolicyOption = None,
    analyst: AskerOption = None,
) -> None:
    """Tell the sum of people's values, clamped where they usually end: for heavy tails.

    Example: discreet robust clipped-sum visits cost -e 1
    """
    with show_errors():
        how = {"epsilon": epsilon, "rho": rho, "where": where, "params": read_params(param), "fresh": fresh}
        RobustRequest(policy, analyst, format, json).show(
            "clipped_sum", (table, column), **how, confidence=confidence, per_unit=per_unit
        )


def clipped_mean(
    table: TableArgument,
    column: ColumnArgument,
    epsilon: EpsilonOption = None,
    rho: RhoOption = None,
    where: WhereOption = None,
    per_unit: PerUnitOption = None,
    confidence: ConfidenceOption = 0.95,
    param: ParamOption = None,
    fresh: FreshOption = False,
    format: FormatOption = ListFormat.TABLE,
    json: JsonOption = False,
    policy: PolicyOption = None,
    analyst: AskerOption = None,
) -> None:
    """Tell the mean of people's values, clamped where they usually end: for heavy tails.

    Example: discreet robust clipped-mean visits cost -e 1
    """
    with show_errors():
        how = {"epsilon": epsilon, "rho": rho, "where": where, "params": read_params(param), "fresh": fresh}
        RobustRequest(policy, analyst, format, json).show(
            "clipped_mean", (table, column), **how, confidence=confidence, per_unit=per_unit
        )
