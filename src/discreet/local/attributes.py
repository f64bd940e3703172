"""Tallies of single attributes, out of one tally of records."""

from __future__ import annotations

from discreet.base.errors import ParameterError
from discreet.local.client import Metric, Records
from discreet.local.oracles.find import find_oracle
from discreet.local.oracles.sampled import SampledOracle
from discreet.local.tally import Tally


def split_attributes(tally: Tally) -> dict[str, Tally]:
    """Return a tally for each attribute of sampled records, to be estimated as if nothing else had been collected.

    Each person told one attribute, drawn evenly and without looking. So those who told an attribute are a random part
    of all people, and what holds of them on average holds of all: give the number of all reports as `people` to
    `estimate` or `estimate_texts`, so that errors include the draw. `estimate_mean` includes it anyway.
    """
    oracle, domain, metric = find_oracle(tally.metric.mechanism), tally.metric.domain, tally.metric
    if not isinstance(oracle, SampledOracle) or not isinstance(domain, Records):
        raise ParameterError("tally", metric.mechanism.kind, "a tally of sampled records")
    found = {}
    for place, (name, counted) in enumerate(zip(domain.names, oracle.split(tally.counts), strict=True)):
        mechanism = oracle.mechanism.parts[place]
        one = Metric(name, domain.domains[place], mechanism, metric.lifetime, metric.daily, metric.version)
        found[name] = Tally(one, counted.reports, counted.counts)
    return found
