"""Heavy hitters: the most frequent words, found by extending frequent prefixes group by group."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.local.client import AlphabetWords, PrefixExtending
from discreet.local.estimates import Frequencies, Solved, find_quantile, solve
from discreet.local.oracles.find import find_oracle
from discreet.local.oracles.prefix import PrefixOracle
from discreet.local.oracles.sketch import estimate_squares
from discreet.local.tally import Tally

MOST_CANDIDATES = 1 << 24


def find_heavy_hitters(
    tally: Tally, count: int, width: int | None = None, confidence: float = 0.95, people: int | None = None
) -> Frequencies:
    """Return so many words that seem the most frequent ones, with their frequencies among all people.

    Of each group's prefixes, the `width` most frequent ones (twice the count, if left out) are extended by all bits
    that the next group's have more. The last group estimates whole words: its reports alone, so that the choice of the
    candidates, made by others, biases nothing. Choosing the best of them does; `all_low` to `all_high` allow for it,
    since they hold all candidates of the last group at once. `find_reach` says how frequent a word must be to be found.
    `people` are those of whom all reports are a random part, if there are more.
    """
    oracle, domain = find_oracle(tally.metric.mechanism), tally.metric.domain
    if not isinstance(oracle, PrefixOracle) or not isinstance(domain, AlphabetWords):
        raise ParameterError("tally", tally.metric.mechanism.kind, "a tally of the prefix extending method over words")
    check.integer("count", count, least=1)
    width = check.integer("width", 2 * count if width is None else width, least=count)
    lengths = oracle.mechanism.lengths
    widest = max((after - before for before, after in pairwise(lengths)), default=0)
    check.integer("candidates of a group", width << widest, most=MOST_CANDIDATES)
    found = np.arange(1 << lengths[0], dtype=np.uint64)
    for group, length in enumerate(lengths):
        if group:
            more = np.uint64(length - lengths[group - 1])
            found = (found[:, None] << more | np.arange(1 << int(more), dtype=np.uint64)).ravel()
        solved, spread = _solve(oracle, tally, group, found, people)
        if group < len(lengths) - 1:
            found = found[np.argsort(-solved.raw, kind="stable")[:width]]
    names = [domain.spell(int(word)) for word in found]
    stated = solved.state(["" if name is None else name for name in names], confidence, spread, complete=False)
    spelled = [place for place in np.argsort(-solved.raw, kind="stable") if names[place] is not None]
    return stated.pick(np.array(spelled[:count], dtype=np.int64))


def find_reach(
    mechanism: PrefixExtending,
    people: int,
    count: int,
    width: int | None = None,
    confidence: float = 0.95,
    squares: float = 1.0,
) -> float:
    """Return the frequency from which on a word is sure to be found at a confidence, whatever the others have.

    Say that no estimate of any candidate of any group errs by more than e: so it is at this confidence, with e so many
    standard errors. A prefix of frequency f is dropped only if `width` others seem as frequent, and a word if `count`
    others do, which are fewer; the rarest of these has (1 - f) / count at most. So it stays if f - (1 - f) / count
    > 2 e. Noise counts as normal, and groups as equal; the draw of groups is taken at its worst, and so are collisions
    of functions, unless `squares`, the sum of all squared frequencies, is known to be less than 1.
    """
    check.integer("people", people, least=1)
    check.integer("count", count, least=1)
    width = check.integer("width", 2 * count if width is None else width, least=count)
    check.real("confidence", confidence, above=0, below=1)
    check.real("squares", squares, least=0, most=1)
    lengths, hashing = mechanism.lengths, mechanism.hashing
    steps = [after - before for before, after in pairwise(lengths)]
    candidates = (1 << lengths[0]) + sum(width << step for step in steps)
    each = people / len(lengths)
    worst = max(hashing.variance(0.0), hashing.variance(1.0)) + 0.25
    error = np.sqrt(worst / each + squares / (hashing.pool * (hashing.buckets - 1)))
    apart = 2 * find_quantile(confidence, candidates) * float(error)
    return (apart + 1 / count) / (1 + 1 / count)


def _solve(oracle: PrefixOracle, tally: Tally, group: int, prefixes: Any, people: int | None) -> tuple[Solved, Floats]:
    """Return the frequencies of prefixes in a group, and the variance that collisions of hash functions add."""
    hashing = oracle.mechanism.hashing
    counts: Ints = tally.counts[group]
    supports = oracle.find_supports_of(tally.counts, group, prefixes)
    own, stray = float(hashing.supported), float(hashing.strayed)
    solved = solve(supports, int(counts.sum()), own, stray, tally.reports if people is None else people)
    squares = estimate_squares(counts, counts.sum(axis=1), own, (1 - own) / (hashing.buckets - 1))
    others = np.maximum(squares - np.clip(solved.raw, 0.0, 1.0) ** 2, 0.0)
    return solved, others / (hashing.pool * (hashing.buckets - 1))
