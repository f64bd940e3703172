"""The commands of `discreet robust` about the people in the table: statistics where the worst case is hopeless."""

from __future__ import annotations

from typing import Annotated

import typer

from discreet.cli.options import MaxRowsOption
from discreet.cli.robust_asking import (
    ColumnArgument,
    ConfidenceOption,
    MethodOption,
    PerUnitOption,
    RowsPerUnitOption,
    StepOption,
    SumPerUnitOption,
    TableArgument,
    read_pairs,
)
from discreet.cli.robust_options import AskOptions, EpsilonOptions, MechanismOptions, PriceOptions, RhoOptions

DEVIATIONS = "columns with a public guess of the deviation each, such as age=20,cost=300"


def sample_median(
    table: TableArgument,
    column: ColumnArgument,
    price: MechanismOptions,
    output: AskOptions,
    per_unit: RowsPerUnitOption = None,
    max_rows: MaxRowsOption = None,
    confidence: ConfidenceOption = 0.95,
) -> None:
    """Tell the median of the people in the table.

    Example: discreet robust sample-median visits cost -e 0.5
    """
    how = {"per_unit": per_unit, "max_rows": max_rows, "confidence": confidence}
    output.ask("median", table, column, **price.read(), **how)


def sample_quantile(
    table: TableArgument,
    column: ColumnArgument,
    price: MechanismOptions,
    output: AskOptions,
    share: Annotated[float, typer.Option(help="Of people, whose values lie below it; 0 and 1 are the ends.")] = 0.9,
    per_unit: RowsPerUnitOption = None,
    max_rows: MaxRowsOption = None,
    confidence: ConfidenceOption = 0.95,
) -> None:
    """Tell the value that a share of the people in the table lies below.

    Example: discreet robust sample-quantile visits cost --share 0.9 -e 0.5
    """
    how = {"per_unit": per_unit, "max_rows": max_rows, "confidence": confidence}
    output.ask("quantile", table, column, share, **price.read(), **how)


def trimmed_mean(
    table: TableArgument,
    column: ColumnArgument,
    price: MechanismOptions,
    output: AskOptions,
    trim: Annotated[float, typer.Option(help="The share that is left out on either side.")] = 0.1,
    per_unit: RowsPerUnitOption = None,
    max_rows: MaxRowsOption = None,
    confidence: ConfidenceOption = 0.95,
) -> None:
    """Tell the mean without the least and the largest values.

    Example: discreet robust trimmed-mean visits cost --trim 0.1 -e 1
    """
    how = {"trim": trim, "per_unit": per_unit, "max_rows": max_rows, "confidence": confidence}
    output.ask("trimmed_mean", table, column, **price.read(), **how)


def unbounded_mean(
    table: TableArgument,
    column: ColumnArgument,
    step: StepOption,
    price: EpsilonOptions,
    output: AskOptions,
    method: MethodOption = None,
    per_unit: PerUnitOption = None,
) -> None:
    """Tell the mean of values that nobody bounded.

    Example: discreet robust unbounded-mean visits cost --step 0.01 --method universal -e 1
    """
    output.ask("unbounded_mean", table, column, **price.read(), step=step, method=method, per_unit=per_unit)


def unbounded_variance(
    table: TableArgument,
    column: ColumnArgument,
    step: StepOption,
    price: EpsilonOptions,
    output: AskOptions,
    per_unit: PerUnitOption = None,
) -> None:
    """Tell variance and deviation of values that nobody bounded.

    Example: discreet robust unbounded-variance visits cost --step 0.01 -e 1
    """
    output.ask("unbounded_variance", table, column, **price.read(), step=step, per_unit=per_unit)


def interquartile_range(
    table: TableArgument,
    column: ColumnArgument,
    step: StepOption,
    price: EpsilonOptions,
    output: AskOptions,
    method: MethodOption = None,
    per_unit: PerUnitOption = None,
) -> None:
    """Tell how far the quartiles of values are apart, without bounds.

    Example: discreet robust interquartile-range visits cost --step 0.01 -e 1
    """
    output.ask("interquartile_range", table, column, **price.read(), step=step, method=method, per_unit=per_unit)


def multivariate_mean(
    table: TableArgument,
    columns: Annotated[
        str, typer.Argument(metavar="NAME=DEVIATION,...", help="Columns, and how far people spread at the most.")
    ],
    price: RhoOptions,
    output: AskOptions,
    steps: Annotated[int, typer.Option(help="How often people are looked for more closely.")] = 3,
    per_unit: PerUnitOption = None,
) -> None:
    """Tell the means of several columns, with noise for their deviations.

    Example: discreet robust multivariate-mean visits age=25,cost=400 --rho 0.1
    """
    wanted = read_pairs("columns", columns, DEVIATIONS)
    output.ask("multivariate_mean", table, wanted, **price.read(), steps=steps, per_unit=per_unit)


def clipped_sum(
    table: TableArgument,
    column: ColumnArgument,
    price: PriceOptions,
    output: AskOptions,
    per_unit: SumPerUnitOption = None,
    confidence: ConfidenceOption = 0.95,
) -> None:
    """Tell the sum of values, clamped where they usually end: for heavy tails.

    Example: discreet robust clipped-sum visits cost -e 1
    """
    output.ask("clipped_sum", table, column, **price.read(), per_unit=per_unit, confidence=confidence)


def clipped_mean(
    table: TableArgument,
    column: ColumnArgument,
    price: PriceOptions,
    output: AskOptions,
    per_unit: PerUnitOption = None,
    confidence: ConfidenceOption = 0.95,
) -> None:
    """Tell the mean of values, clamped where they usually end: for heavy tails.

    Example: discreet robust clipped-mean visits cost -e 1
    """
    output.ask("clipped_mean", table, column, **price.read(), per_unit=per_unit, confidence=confidence)
