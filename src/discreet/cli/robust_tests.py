"""The commands of `discreet robust` that test: p-values that are valid under the noise."""

from __future__ import annotations

from typing import Annotated

import typer

from discreet.cli.robust_asking import (
    AnyOption,
    BetweenOption,
    ByOption,
    ColumnArgument,
    ConditionArgument,
    ConfidenceOption,
    CutsOption,
    DeclaredValues,
    GroupsOfOption,
    PerUnitOption,
    TableArgument,
    TimesOption,
    TwoGroupsOption,
    read_number_list,
    read_shares,
    read_values,
)
from discreet.cli.robust_intervals import EventArgument, TimeArgument
from discreet.cli.robust_options import AskOptions, PriceOptions


def t_test(
    table: TableArgument,
    column: ColumnArgument,
    price: PriceOptions,
    output: AskOptions,
    mean: Annotated[float | None, typer.Option(help="Of one group: the mean to test.", show_default=False)] = None,
    by: ByOption = None,
    between: BetweenOption = None,
    per_unit: PerUnitOption = None,
    confidence: ConfidenceOption = 0.95,
) -> None:
    """Test whether values have a mean, or the same mean in two groups.

    Example: discreet robust t-test visits cost --by ward --between icu,north -e 1
    """
    how = {"mean": mean, "by": by, "between": read_values(between), "per_unit": per_unit}
    output.ask("t_test", table, column, **price.read(), **how, confidence=confidence)


def proportion_test(
    table: TableArgument,
    condition: ConditionArgument,
    price: PriceOptions,
    output: AskOptions,
    share: Annotated[float | None, typer.Option(help="Of one group: the share to test.", show_default=False)] = None,
    by: ByOption = None,
    between: BetweenOption = None,
    per_unit: AnyOption = None,
    confidence: ConfidenceOption = 0.95,
) -> None:
    """Test whether a condition holds for a share, or equally often in two groups.

    Example: discreet robust proportion-test visits 'cost > 500' --share 0.5 -e 0.5
    """
    how = {"share": share, "by": by, "between": read_values(between), "per_unit": per_unit}
    output.ask("proportion_test", table, condition, **price.read(), **how, confidence=confidence)


def anova(
    table: TableArgument,
    column: ColumnArgument,
    by: GroupsOfOption,
    price: PriceOptions,
    output: AskOptions,
    groups: Annotated[str | None, DeclaredValues] = None,
    per_unit: PerUnitOption = None,
) -> None:
    """Test whether values have the same mean in several groups.

    Example: discreet robust anova visits cost --by ward -e 1
    """
    output.ask("anova", table, column, **price.read(), by=by, groups=read_values(groups), per_unit=per_unit)


def chi_square(
    table: TableArgument,
    column: Annotated[str, typer.Argument(help="A column with public values, or an SQL expression.")],
    price: PriceOptions,
    output: AskOptions,
    shares: Annotated[
        str | None, typer.Option(metavar="A=P,B=P,...", help="The shares to test.", show_default=False)
    ] = None,
    by: Annotated[str | None, typer.Option(help="Or a column that it may depend on.", show_default=False)] = None,
    values: Annotated[str | None, DeclaredValues] = None,
    by_values: Annotated[str | None, DeclaredValues] = None,
    confidence: ConfidenceOption = 0.95,
) -> None:
    """Test whether values have these shares, or two columns are independent.

    Example: discreet robust chi-square patients sex --shares f=0.5,m=0.5 -e 0.5
    """
    listed = {"values": read_values(values), "by_values": read_values(by_values), "shares": read_shares(shares)}
    output.ask("chi_square_test", table, column, **price.read(), **listed, by=by, confidence=confidence)


def log_rank(
    table: TableArgument,
    time: TimeArgument,
    event: EventArgument,
    times: TimesOption,
    by: GroupsOfOption,
    between: TwoGroupsOption,
    price: PriceOptions,
    output: AskOptions,
) -> None:
    """Test whether two groups survive alike.

    Example: discreet robust log-rank visits stay_days died --times 30,90,365 --by ward --between icu,north -e 2
    """
    how = {"times": read_number_list("--times", times), "by": by, "between": read_values(between)}
    output.ask("log_rank_test", table, time, event, **price.read(), **how)


def kruskal_wallis(
    table: TableArgument,
    column: ColumnArgument,
    by: GroupsOfOption,
    price: PriceOptions,
    output: AskOptions,
    groups: Annotated[str | None, DeclaredValues] = None,
    cuts: CutsOption = None,
    per_unit: PerUnitOption = None,
    confidence: ConfidenceOption = 0.95,
) -> None:
    """Test by ranks whether several groups have the same distribution.

    Example: discreet robust kruskal-wallis visits cost --by ward --cuts 200,400,600,800 -e 1
    """
    how = {"by": by, "groups": read_values(groups), "cuts": read_number_list("--cuts", cuts), "per_unit": per_unit}
    output.ask("kruskal_wallis_test", table, column, **price.read(), **how, confidence=confidence)


def mann_whitney(
    table: TableArgument,
    column: ColumnArgument,
    by: GroupsOfOption,
    between: TwoGroupsOption,
    price: PriceOptions,
    output: AskOptions,
    cuts: CutsOption = None,
    per_unit: PerUnitOption = None,
    confidence: ConfidenceOption = 0.95,
) -> None:
    """Test by ranks whether two groups have the same distribution.

    Example: discreet robust mann-whitney visits cost --by ward --between icu,north --cuts 200,400,600,800 -e 1
    """
    how = {"by": by, "between": read_values(between), "cuts": read_number_list("--cuts", cuts), "per_unit": per_unit}
    output.ask("mann_whitney_test", table, column, **price.read(), **how, confidence=confidence)


def wilcoxon(
    table: TableArgument,
    column: ColumnArgument,
    price: PriceOptions,
    output: AskOptions,
    cuts: Annotated[
        str | None,
        typer.Option(
            metavar="C,C,...", help="Public numbers, symmetric around 0.", show_default="six equal parts around 0"
        ),
    ] = None,
    per_unit: PerUnitOption = None,
    confidence: ConfidenceOption = 0.95,
) -> None:
    """Test by signed ranks whether values are symmetric around 0.

    Example: discreet robust wilcoxon visits 'cost - 500' --cuts=-200,-100,0,100,200 -e 1
    """
    how = {"cuts": read_number_list("--cuts", cuts), "per_unit": per_unit, "confidence": confidence}
    output.ask("wilcoxon_test", table, column, **price.read(), **how)


def kolmogorov_smirnov(
    table: TableArgument,
    column: ColumnArgument,
    price: PriceOptions,
    output: AskOptions,
    by: ByOption = None,
    between: BetweenOption = None,
    shares: Annotated[
        str | None,
        typer.Option(metavar="P,P,...", help="Or public shares of the bins, one more than cuts.", show_default=False),
    ] = None,
    cuts: CutsOption = None,
    per_unit: PerUnitOption = None,
    confidence: ConfidenceOption = 0.95,
) -> None:
    """Test the largest gap between the curves of two groups, or to public shares.

    Example: discreet robust kolmogorov-smirnov visits cost --by ward --between icu,north --cuts 200,400,600 -e 1
    """
    how = {"by": by, "between": read_values(between), "per_unit": per_unit, "confidence": confidence}
    listed = {"shares": read_number_list("--shares", shares), "cuts": read_number_list("--cuts", cuts)}
    output.ask("kolmogorov_smirnov_test", table, column, **price.read(), **how, **listed)
