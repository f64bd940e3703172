"""The rules of functions of means, and of operations, each broken once: what intervals cover, what the ledger knows."""

from __future__ import annotations

from mutants.mutant import broken

BOOTSTRAP = "tests/robust/intervals/test_bootstrap.py"
REGRESSION = "tests/robust/intervals/test_regression.py"
OPERATIONS = "tests/robust/test_operations.py"

MUTATIONS = [
    broken(
        "regression: sampling is left out of an interval",
        "robust/intervals/bootstrap_ends.py",
        "np.sqrt(sampled * (1 + 1 / resamples) + noisy / resamples)",
        "np.sqrt(noisy / resamples)",
        BOOTSTRAP,
    ),
    broken(
        "regression: the noise of the average is left out of an interval",
        "robust/intervals/bootstrap_ends.py",
        "np.sqrt(sampled * (1 + 1 / resamples) + noisy / resamples)",
        "np.sqrt(sampled)",
        BOOTSTRAP,
    ),
    broken(
        "regression: a function that noise bends is told all the same",
        "robust/intervals/bootstrap_ends.py",
        "MOST_CURVED = 1.25\n",
        "MOST_CURVED = 1e9\n",
        BOOTSTRAP,
        REGRESSION,
    ),
    broken(
        "regression: the part of the number of people is left out of slopes",
        "robust/intervals/bootstrap_ends.py",
        "-(slopes @ means[..., None])",
        "0 * (slopes @ means[..., None])",
        BOOTSTRAP,
    ),
    broken(
        "regression: a person's part is limited by the residuals of a usual person",
        "robust/intervals/moments.py",
        "np.minimum(widest * left[..., None], usual * largest[..., None] ** 2)",
        "usual * left[..., None]",
        REGRESSION,
    ),
    broken(
        "regression: a correlation's part is limited as if both columns filled their bounds",
        "robust/intervals/correlation.py",
        "largest = (1 + np.abs(single)) ** 2 / np.diagonal(spread, axis1=-2, axis2=-1)",
        "largest = (1 + np.abs(single)) ** 2",
        REGRESSION,
    ),
    broken(
        "regression: products of three are left out of a correlation's part",
        "robust/intervals/correlation.py",
        "for one, other in places\n",
        "for one, other in places if one + other != 3\n",
        REGRESSION,
    ),
    broken(
        "regression: vectors are cut as if halves of products were nothing",
        "robust/intervals/bootstrap.py",
        "quarters = 4 * (entries - halves + 1) + halves",
        "quarters = 4 * (entries - halves + 1)",
        BOOTSTRAP,
    ),
    broken(
        "regression: a noisy matrix that is not positive is solved",
        "robust/intervals/moments.py",
        "            positive &= pivot > 0\n",
        "            positive &= pivot != 0\n",
        REGRESSION,
    ),
    broken(
        "robust operations: one is called otherwise for the ledger",
        "robust/releasing.py",
        'kind: ClassVar[str] = "robust statistic"',
        'kind: ClassVar[str] = "robust"',
        OPERATIONS,
    ),
    broken(
        "robust operations: the noise of coinpress has a twentieth too little",
        "robust/estimators/coinpress.py",
        "ball(sensitivity) / (2 * ball(rho)).sqrt()",
        "ball(sensitivity) / (2 * ball(rho)).sqrt() / 1.05",
        OPERATIONS,
        "tests/robust/estimators/test_coinpress.py",
    ),
]
