"""The commands of `discreet robust` that test, and survival curves."""

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
    BetweenOption,
    ByOption,
    ColumnArgument,
    ConditionArgument,
    ConfidenceOption,
    FreshOption,
    JsonOption,
    PerUnitOption,
    PlotOption,
    RobustRequest,
    TableArgument,
    TimesOption,
    WhereOption,
    read_number_list,
    read_params,
    read_shares,
    read_values,
)

TimeArgument = Annotated[str, typer.Argument(help="How long a person was seen: a column or an expression.")]
EventArgument = Annotated[str, typer.Argument(help="A condition in SQL: what may have happened.")]
ListOption = typer.Option(metavar="A,B,...", help="Its public values.", show_default="those that the policy declares")


def t_test(
    table: TableArgument,
    column: ColumnArgument,
    mean: Annotated[float | None, typer.Option(help="Of one group: the mean to test.", show_default=False)] = None,
    by: ByOption = None,
    between: BetweenOption = None,
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
    """Test whether people's values have a mean, or the same mean in two groups.

    Example: discreet robust t-test visits cost --by ward --between icu,north -e 1
    """
    with show_errors():
        how = {"epsilon": epsilon, "rho": rho, "where": where, "params": read_params(param), "fresh": fresh}
        RobustRequest(policy, analyst, format, json).show(
            "t_test",
            (table, column),
            **how,
            confidence=confidence,
            per_unit=per_unit,
            mean=mean,
            by=by,
            between=read_values(between),
        )


def proportion_test(
    table: TableArgument,
    condition: ConditionArgument,
    share: Annotated[float | None, typer.Option(help="Of one group: the share to test.", show_default=False)] = None,
    by: ByOption = None,
    between: BetweenOption = None,
    epsilon: EpsilonOption = None,
    rho: RhoOption = None,
    where: WhereOption = None,
    per_unit: AnyOption = None,
    confidence: ConfidenceOption = 0.95,
    param: ParamOption = None,
    fresh: FreshOption = False,
    format: FormatOption = ListFormat.TABLE,
    json: JsonOption = False,
    policy: PolicyOption = None,
    analyst: AskerOption = None,
) -> None:
    """Test whether a condition holds for a share of people, or equally often in two groups.

    Example: discreet robust proportion-test visits 'cost > 500' --share 0.5 -e 0.5
    """
    with show_errors():
        how = {"epsilon": epsilon, "rho": rho, "where": where, "params": read_params(param), "fresh": fresh}
        RobustRequest(policy, analyst, format, json).show(
            "proportion_test",
            (table, condition),
            **how,
            confidence=confidence,
            per_unit=per_unit,
            share=share,
            by=by,
            between=read_values(between),
        )


def anova(
    table: TableArgument,
    column: ColumnArgument,
    by: Annotated[str, typer.Option(help="A column or expression with groups.")],
    groups: Annotated[str | None, ListOption] = None,
    epsilon: EpsilonOption = None,
    rho: RhoOption = None,
    where: WhereOption = None,
    per_unit: PerUnitOption = None,
    param: ParamOption = None,
    fresh: FreshOption = False,
    format: FormatOption = ListFormat.TABLE,
    json: JsonOption = False,
    policy: PolicyOption = None,
    analyst: AskerOption = None,
) -> None:
    """Test whether people's values have the same mean in several groups.

    Example: discreet robust anova visits cost --by ward -e 1
    """
    with show_errors():
        how = {"epsilon": epsilon, "rho": rho, "where": where, "params": read_params(param), "fresh": fresh}
        RobustRequest(policy, analyst, format, json).show(
            "anova", (table, column), **how, per_unit=per_unit, by=by, groups=read_values(groups)
        )


def chi_square(
    table: TableArgument,
    column: Annotated[str, typer.Argument(help="A column with public values, or an SQL expression.")],
    shares: Annotated[
        str | None, typer.Option(metavar="A=P,B=P,...", help="The shares to test.", show_default=False)
    ] = None,
    by: Annotated[str | None, typer.Option(help="Or a column that it may depend on.", show_default=False)] = None,
    values: Annotated[str | None, ListOption] = None,
    by_values: Annotated[str | None, ListOption] = None,
    epsilon: EpsilonOption = None,
    rho: RhoOption = None,
    where: WhereOption = None,
    confidence: ConfidenceOption = 0.95,
    param: ParamOption = None,
    fresh: FreshOption = False,
    format: FormatOption = ListFormat.TABLE,
    json: JsonOption = False,
    policy: PolicyOption = None,
    analyst: AskerOption = None,
) -> None:
    """Test whether values have these shares, or two columns are independent.

    Example: discreet robust chi-square patients sex --shares f=0.5,m=0.5 -e 0.5
    """
    with show_errors():
        how = {"epsilon": epsilon, "rho": rho, "where": where, "params": read_params(param), "fresh": fresh}
        RobustRequest(policy, analyst, format, json).show(
            "chi_square_test",
            (table, column),
            **how,
            confidence=confidence,
            shares=read_shares(shares),
            by=by,
            values=read_values(values),
            by_values=read_values(by_values),
        )


def survival(
    table: TableArgument,
    time: TimeArgument,
    event: EventArgument,
    times: TimesOption,
    epsilon: EpsilonOption = None,
    rho: RhoOption = None,
    where: WhereOption = None,
    confidence: ConfidenceOption = 0.95,
    param: ParamOption = None,
    fresh: FreshOption = False,
    plot: PlotOption = None,
    format: FormatOption = ListFormat.TABLE,
    json: JsonOption = False,
    policy: PolicyOption = None,
    analyst: AskerOption = None,
) -> None:
    """Tell the share of people without an event after each of some times.

    Example: discreet robust survival visits stay_days died --times 30,90,365 -e 2
    """
    with show_errors():
        how = {"epsilon": epsilon, "rho": rho, "where": where, "params": read_params(param), "fresh": fresh}
        RobustRequest(policy, analyst, format, json, plot).show(
            "survival_curve",
            (table, time, event),
            **how,
            confidence=confidence,
            times=read_number_list("--times", times),
        )


def log_rank(
    table: TableArgument,
    time: TimeArgument,
    event: EventArgument,
    times: TimesOption,
    by: Annotated[str, typer.Option(help="A column or expression with groups.")],
    between: Annotated[str, typer.Option(metavar="A,B", help="The two groups.")],
    epsilon: EpsilonOption = None,
    rho: RhoOption = None,
    where: WhereOption = None,
    param: ParamOption = None,
    fresh: FreshOption = False,
    format: FormatOption = ListFormat.TABLE,
    json: JsonOption = False,
    policy: PolicyOption = None,
    analyst: AskerOption = None,
) -> None:
    """Test whether two groups survive alike.

    Example: discreet robust log-rank visits stay_days died --times 30,90,365 --by ward --between icu,north -e 2
    """
    with show_errors():
        how = {"epsilon": epsilon, "rho": rho, "where": where, "params": read_params(param), "fresh": fresh}
        RobustRequest(policy, analyst, format, json).show(
            "log_rank_test",
            (table, time, event),
            **how,
            times=read_number_list("--times", times),
            by=by,
            between=read_values(between),
        )
