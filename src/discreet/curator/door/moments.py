"""Moments over a plan's rows: which of them a desk may compute, and how far one unit moves them. For the desk alone."""

from __future__ import annotations

from discreet.base.errors import OperationError
from discreet.curator.door.clipping import MOST_ENTRIES
from discreet.curator.door.unit_time import check_unit_time
from discreet.gradients.errors import PredictionErrors
from discreet.gradients.groups import FeatureSums
from discreet.gradients.moments import FeatureMoments
from discreet.mechanisms import Laplace
from discreet.plan.rows_plan import RowsPlan
from discreet.query.draws import VectorNoise

RowMoments = FeatureMoments | FeatureSums | PredictionErrors
"""The closed list: a unit's share is a function of its own rows, in whole numbers."""


def check_moments(plan: RowsPlan, moments: RowMoments, noise: VectorNoise) -> int:
    """Return how far one unit moves the sum in L2, or refuse what does not fit the plan, or is not of the closed list.

    A unit moves it by at most the clip (`gradients/moments.py`, `gradients/groups.py`, `gradients/errors.py`); under
    replace neighbours one unit leaves and another enters, which moves the sum by at most twice that.
    """
    if type(moments) not in (FeatureMoments, FeatureSums, PredictionErrors):
        raise OperationError("moments are FeatureMoments, FeatureSums or PredictionErrors, none of a caller's own")
    if moments.encoding.columns > len(plan.columns):
        raise OperationError(
            f"the features are of {moments.encoding.columns} columns, and the plan has {len(plan.columns)}"
        )
    if moments.entries > MOST_ENTRIES:
        raise OperationError(f"moments have at most {MOST_ENTRIES:,} entries, not {moments.entries:,}")
    check_unit_time(plan, moments.row_time)
    if isinstance(noise, Laplace) or not isinstance(noise, VectorNoise):
        raise OperationError("moments are bounded in L2: give Gaussian noise")
    return plan.factor * moments.clip
