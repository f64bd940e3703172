"""Robust statistics: inference about the population that the people of a table were drawn from."""

from discreet.mechanisms.robust.advise import ExpectedError, QuantileFacts
from discreet.mechanisms.robust.advise_unbounded import UnboundedFacts
from discreet.robust.advising import advise
from discreet.robust.designs.group_designs import SurvivalDesign, VarianceDesign
from discreet.robust.designs.planning import MeanDesign, ShareDesign, people_needed, plot_power, power
from discreet.robust.designs.table_designs import TableDesign
from discreet.robust.estimators.clipped_sums import ClippedEstimate, clipped_mean, clipped_sum
from discreet.robust.estimators.coinpress import MultivariateMean, multivariate_mean
from discreet.robust.estimators.estimators import median, quantile, trimmed_mean
from discreet.robust.estimators.grouping import aggregate
from discreet.robust.estimators.spanning_trees import SpanningTreeEstimate, spanning_tree_cost
from discreet.robust.estimators.unbounded import (
    UnboundedEstimate,
    interquartile_range,
    unbounded_mean,
    unbounded_variance,
)
from discreet.robust.intervals.bootstrap import bootstrap_interval
from discreet.robust.intervals.intervals import difference_interval, mean_interval, proportion_interval
from discreet.robust.intervals.medians import median_interval, quantile_interval
from discreet.robust.intervals.regression import (
    Coefficient,
    RegressionIntervals,
    correlation_interval,
    ratio_interval,
    regression_interval,
)
from discreet.robust.releasing import RobustEstimate
from discreet.robust.results import PopulationInterval, plot_intervals
from discreet.robust.survival.survival import SurvivalCurve, log_rank_test, survival_curve
from discreet.robust.testing.hypotheses import anova, chi_square_test, proportion_test, t_test
from discreet.robust.testing.rank_tests import (
    kolmogorov_smirnov_test,
    kruskal_wallis_test,
    mann_whitney_test,
    wilcoxon_test,
)
from discreet.robust.testing.verdicts import PopulationTest

__all__ = [
    "ClippedEstimate",
    "Coefficient",
    "ExpectedError",
    "MeanDesign",
    "MultivariateMean",
    "PopulationInterval",
    "PopulationTest",
    "QuantileFacts",
    "RegressionIntervals",
    "RobustEstimate",
    "ShareDesign",
    "SpanningTreeEstimate",
    "SurvivalCurve",
    "SurvivalDesign",
    "TableDesign",
    "UnboundedEstimate",
    "UnboundedFacts",
    "VarianceDesign",
    "advise",
    "aggregate",
    "anova",
    "bootstrap_interval",
    "chi_square_test",
    "clipped_mean",
    "clipped_sum",
    "correlation_interval",
    "difference_interval",
    "interquartile_range",
    "kolmogorov_smirnov_test",
    "kruskal_wallis_test",
    "log_rank_test",
    "mann_whitney_test",
    "mean_interval",
    "median",
    "median_interval",
    "multivariate_mean",
    "people_needed",
    "plot_intervals",
    "plot_power",
    "power",
    "proportion_interval",
    "proportion_test",
    "quantile",
    "quantile_interval",
    "ratio_interval",
    "regression_interval",
    "spanning_tree_cost",
    "survival_curve",
    "t_test",
    "trimmed_mean",
    "unbounded_mean",
    "unbounded_variance",
    "wilcoxon_test",
]
