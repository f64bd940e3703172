"""Gradients over a plan's rows: what a desk may compute, and how far one unit moves it. For the desk alone."""

from __future__ import annotations

from discreet.base.errors import OperationError
from discreet.curator.door.clipping import MOST_ENTRIES
from discreet.curator.door.unit_time import check_unit_time
from discreet.gradients.sums import LinearGradients, Weights
from discreet.mechanisms import Laplace
from discreet.plan.rows_plan import RowsPlan
from discreet.query.draws import VectorNoise

ROW_TIME, OUTPUT_TIME, FEATURE_TIME = 300, 160, 15
"""Nanoseconds that a row takes, more for each output, and for each output and feature: measured, rounded up."""


def check_gradients(plan: RowsPlan, gradients: LinearGradients, weights: Weights, noise: VectorNoise) -> int:
    """Return how far one unit moves the sum in L2, or refuse what does not fit the plan, or is not of the closed list.

    A unit's gradient is no longer than the clip (`gradients/sums.py`); under replace neighbours one unit leaves and
    another enters, which moves the sum by at most twice that.
    """
    if type(gradients) is not LinearGradients:
        raise OperationError("gradients are LinearGradients: an encoding, a residual and a clip")
    if gradients.encoding.columns > len(plan.columns):
        raise OperationError(
            f"the features are of {gradients.encoding.columns} columns, and the plan has {len(plan.columns)}"
        )
    if gradients.entries > MOST_ENTRIES:
        raise OperationError(f"a gradient has at most {MOST_ENTRIES:,} entries, not {gradients.entries:,}")
    check_unit_time(plan, find_row_time(gradients))
    if isinstance(noise, Laplace) or not isinstance(noise, VectorNoise):
        raise OperationError("a gradient's length is bounded in L2: give Gaussian noise")
    gradients.check_weights(weights)
    return plan.factor * gradients.clip


def find_row_time(gradients: LinearGradients) -> int:
    """Return the nanoseconds that a row may take."""
    return ROW_TIME + gradients.residual.outputs * (OUTPUT_TIME + FEATURE_TIME * len(gradients.encoding.features))
