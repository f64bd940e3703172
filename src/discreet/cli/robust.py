"""`discreet robust`: inference about the population that the people of a table were drawn from."""

from __future__ import annotations

from collections.abc import Callable

import typer

from discreet.cli import robust_estimators as estimators
from discreet.cli import robust_intervals as intervals
from discreet.cli import robust_planning as planning
from discreet.cli import robust_tests as tests
from discreet.cli.robust_options import with_options

robust = typer.Typer(
    help="Intervals and tests for a population, for sampling and noise together; statistics of heavy tails; planning.",
    no_args_is_help=True,
)

PANELS: dict[str, tuple[Callable[..., None], ...]] = {
    "Intervals for the population: sampling and noise together": (
        intervals.mean,
        intervals.median,
        intervals.quantile,
        intervals.proportion,
        intervals.difference,
        intervals.survival,
        intervals.regression,
        intervals.correlation,
        intervals.ratio,
    ),
    "Tests about the population": (
        tests.t_test,
        tests.proportion_test,
        tests.anova,
        tests.chi_square,
        tests.log_rank,
        tests.kruskal_wallis,
        tests.mann_whitney,
        tests.wilcoxon,
        tests.kolmogorov_smirnov,
    ),
    "Statistics of the people in the table: intervals of the noise alone": (
        estimators.sample_median,
        estimators.sample_quantile,
        estimators.trimmed_mean,
        estimators.unbounded_mean,
        estimators.unbounded_variance,
        estimators.interquartile_range,
        estimators.multivariate_mean,
        estimators.clipped_sum,
        estimators.clipped_mean,
    ),
    "Planning: free, from public guesses": (
        planning.power,
        planning.people_needed,
        planning.advise,
        planning.advise_unbounded,
    ),
}
"""As they are listed."""

for panel, commands in PANELS.items():
    for command in commands:
        robust.command(rich_help_panel=panel)(with_options(command))
