"""What some prices would give, for whoever named none: from public facts alone."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from discreet.curator.asking.explain import CONFIDENCE, assume_count
from discreet.curator.asking.within import bound_mean_error
from discreet.curator.estimates.assemble import measure_accuracy
from discreet.plan.beside import list_releases
from discreet.plan.question import AggregateKind, Question
from discreet.plan.words import describe_aggregate
from discreet.policy.model import Policy
from discreet.query.price import Price, find_half_width

OFFERED = ("0.05", "0.2", "1.0")
"""The epsilons whose errors are shown where no price was given."""


def describe_offers(question: Question, prices: Sequence[Price], policy: Policy) -> str:
    """Return how far a question errs at each of the epsilons that are offered, a line for each."""
    lines = []
    for words, priced in zip(OFFERED, prices, strict=True):
        accuracy = measure_accuracy(question, priced)
        told = _list_errors(question, priced, policy) if accuracy is None else accuracy.describe(CONFIDENCE)
        lines.append(f"  epsilon={words}: {told}")
    return "\n".join(lines)


def _list_errors(question: Question, priced: Price, policy: Policy) -> str:
    errors = [
        f"{describe_aggregate(asked)} {_describe_error(one, place, each, policy)}"
        for one, each in zip(list_releases(question).questions, (priced, *priced.beside), strict=True)
        for place, asked in enumerate(one.aggregates)
    ]
    return ", ".join(errors)


def _describe_error(question: Question, place: int, priced: Price, policy: Policy) -> str:
    """Say how far one aggregate errs; of a mean, where it is of as many values as `explain` assumes too."""
    width = find_half_width(priced, place, CONFIDENCE)
    if width is not None:
        return f"+- {width:,.4g}"
    if question.aggregates[place].kind is not AggregateKind.MEAN:
        return "(depends on the data)"
    count = assume_count(question, priced, policy).count
    error = bound_mean_error(priced, place, count)
    return f"{f'+- {error:,.3g}' if isfinite(error) else 'beyond its bounds'} (where it is of {count:,} values)"
