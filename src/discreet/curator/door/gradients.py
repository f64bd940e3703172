"""Gradients over a plan's rows: what a desk may compute, and how far one unit moves it. For the desk alone."""

from __future__ import annotations

from discreet.base.errors import OperationError
from discreet.engines.result import ExactRows
from discreet.gradients.encoding import EncodedRows, Encoding
from discreet.gradients.sums import MOST_ROWS, LinearGradients, Weights
from discreet.mechanisms import Laplace
from discreet.plan.rows_plan import RowsPlan
from discreet.query.draws import VectorNoise


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
    if plan.rows > MOST_ROWS:
        raise OperationError(f"gradients are of units of at most {MOST_ROWS:,} rows; keep fewer with max_rows")
    if isinstance(noise, Laplace) or not isinstance(noise, VectorNoise):
        raise OperationError("a gradient's length is bounded in L2: give Gaussian noise")
    gradients.check_weights(weights)
    return plan.factor * gradients.clip


def encode_rows(exact: ExactRows, encoding: Encoding) -> EncodedRows:
    """Return the features of all rows."""
    return encoding.encode(exact.points)
