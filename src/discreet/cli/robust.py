"""`discreet robust`: inference about the population that the people of a table were drawn from."""

from __future__ import annotations

from collections.abc import Callable

import typer

from discreet.cli.robust_intervals import (
    clipped_mean,
    clipped_sum,
    difference,
    mean,
    median,
    proportion,
    quantile,
)
from discreet.cli.robust_tests import anova, chi_square, log_rank, proportion_test, survival, t_test

robust = typer.Typer(
    help="Intervals and tests for a population, for sampling and noise together; sums of heavy tails.",
    no_args_is_help=True,
)

COMMANDS: tuple[Callable[..., None], ...] = (
    mean,
    median,
    quantile,
    proportion,
    difference,
    survival,
    clipped_sum,
    clipped_mean,
    t_test,
    proportion_test,
    anova,
    chi_square,
    log_rank,
)
"""As they are listed: what estimates, then what tests."""

for command in COMMANDS:
    robust.command()(command)
