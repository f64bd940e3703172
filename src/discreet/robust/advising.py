"""Which mechanism is the right tool, from public facts: free, and without a look at any data."""

from __future__ import annotations

from discreet.base.errors import ParameterError
from discreet.mechanisms.robust.advise import ExpectedError, QuantileFacts, advise_quantile
from discreet.mechanisms.robust.advise_unbounded import UnboundedFacts, advise_unbounded


def advise(facts: QuantileFacts | UnboundedFacts, epsilon: float, delta: float | None = None) -> list[ExpectedError]:
    """Return the mean absolute error that each mechanism is expected to have, the best one first.

    For a quantile the `delta` of those that need one is asked for; ways without bounds are all pure.
    """
    if isinstance(facts, UnboundedFacts):
        if delta is not None:
            raise ParameterError("delta", delta, "left out: ways without bounds are pure")
        return advise_unbounded(facts, epsilon)
    if not isinstance(facts, QuantileFacts):
        raise ParameterError("facts", facts, "QuantileFacts(...) or UnboundedFacts(...)")
    if delta is None:
        raise ParameterError("delta", delta, "given: some of the mechanisms for a quantile need one, such as 1e-6")
    return advise_quantile(facts, epsilon, delta)
