"""What one tally says, whatever kind of metric it is of: estimates, and what a reader should know beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context
from typing import Any

import numpy as np

from discreet.base.errors import DiscreetError, ParameterError
from discreet.base.wide import Ints
from discreet.local.client import Choices, Metric, RapporStrings, Texts
from discreet.local.estimates import Estimates, Frequencies, estimate
from discreet.local.heavy import find_heavy_hitters, find_reach
from discreet.local.means import estimate_mean
from discreet.local.oracles.find import find_oracle
from discreet.local.oracles.numbers import NumberOracle
from discreet.local.oracles.oracle import ItemOracle, Oracle
from discreet.local.oracles.prefix import PrefixOracle
from discreet.local.oracles.puzzle import PuzzleOracle
from discreet.local.oracles.sketch import SketchOracle
from discreet.local.rappor.candidates import Candidates, hash_candidates
from discreet.local.rappor.decoding import DecodedCandidates
from discreet.local.rappor.decoding import decode as decode_candidates
from discreet.local.rappor.oracle import RapporOracle
from discreet.local.rappor.strings_oracle import RapporStringsOracle
from discreet.local.sketches import estimate_texts, find_visible, find_words
from discreet.local.tally import Tally

UPWARDS = Context(prec=2, rounding=ROUND_CEILING)

FREQUENCY, MEAN = "frequency", "mean"
SOUGHT = 20
"""Words that are looked for, if nobody says how many."""

WHOLE = "consistent: the nearest numbers that are not below 0 and add up to 1; biased, and without intervals"
PART = "consistent: the nearest numbers that are not below 0 and add up to at most 1; biased, and without intervals"
HELD = "consistent means lie between the bounds that numbers were held at; biased, and without intervals"
CHOSEN = "these words were chosen by their own noise: only intervals that hold all at once allow for it"


@dataclass(frozen=True, eq=False)
class TallyReading:
    """What was estimated from one tally, the largest frequency first."""

    metric: Metric
    measure: str
    """What the numbers are: frequencies, or a mean."""
    found: Estimates
    notes: tuple[str, ...]
    chosen: bool = False
    """Whether names were chosen by the noise of their own numbers: then intervals must hold all at once."""

    def show_top(self, top: int | None) -> TallyReading:
        """Return the largest ones alone, so many; intervals of all stay as wide."""
        order: Ints = np.argsort(-self.found.raw, kind="stable")[:top]
        return replace(self, found=self.found.pick(order), chosen=self.chosen or top is not None)

    def compare(self, count: int) -> TallyReading:
        """Return the same with intervals of all that hold so many numbers at once, those of other readings too."""
        return replace(self, found=replace(self.found, compared=count))

    def describe(self, malicious: int) -> list[str]:
        """Return what a reader should know: what stands out, how far liars reach, and how to read what is shown."""
        reports = f"{self.found.reports:,} report{'' if self.found.reports == 1 else 's'}"
        people = f"{malicious:,} malicious report{'' if malicious == 1 else 's'}"
        moved = f"{people} can move a {self.measure} by {round_up(malicious * self.found.shift):.2g} at most"
        least = f"is {self.found.detectable:.2g}"
        if self.measure == MEAN:
            stands = f"the smallest distance from a number fixed before that stands out, half of the times, {least}"
        elif len(self.found.names):
            stands = f"the smallest frequency that stands out of the noise, half of the times, {least}"
        else:
            stands = "no word stands out"
        return [f"{reports} by {self.metric.mechanism.kind}; {stands}", moved, *self.notes]


def take_reading(
    tally: Tally,
    confidence: float = 0.95,
    candidates: Sequence[str] | None = None,
    sought: int | None = None,
    people: int | None = None,
) -> TallyReading:
    """Return what a tally of any metric but one of records says.

    Texts that nobody listed are estimated for `candidates`; of words, so many as are `sought` are found. `people` are
    those of whom the reports are a random part, where there are more.
    """
    metric, oracle = tally.metric, find_oracle(tally.metric.mechanism)
    if not tally.reports:
        raise DiscreetError(f"no sound report of {metric.name} has come yet: there is nothing to estimate from")
    if isinstance(metric.domain, Texts):
        return _read_texts(tally, oracle, confidence, _check_candidates(metric, candidates, people is not None), people)
    if candidates is not None:
        raise DiscreetError(f"{metric.name} has {metric.domain.kind}, which need no candidates: leave them out")
    if isinstance(oracle, ItemOracle) and isinstance(metric.domain, Choices):
        items = estimate(oracle, metric.domain.names, tally.reports, tally.counts, confidence, people)
        return TallyReading(metric, FREQUENCY, items, (WHOLE,))
    if isinstance(oracle, NumberOracle):
        return TallyReading(metric, MEAN, estimate_mean(tally, confidence).state(f"({MEAN})"), (HELD,))
    if isinstance(oracle, PrefixOracle):
        return _read_prefixes(tally, oracle, confidence, SOUGHT if sought is None else sought, people)
    if isinstance(oracle, PuzzleOracle):
        return _read_puzzle(tally, oracle, confidence, people)
    raise DiscreetError(f"{metric.name} has {metric.domain.kind} by {metric.mechanism.kind}: nothing here decodes it")


def _check_candidates(metric: Metric, candidates: Sequence[str] | None, part: bool) -> Sequence[str]:
    if candidates:
        return candidates
    words = f"{metric.name} has texts, and counts do not spell them: name the candidates to look for "
    words += "(--candidates A,B,... or --candidates-file FILE"
    words += f"; of records {metric.name}=A,B,... or {metric.name}=FILE)" if part else ")"
    if isinstance(metric.mechanism, RapporStrings):
        words += ", or find unknown ones in the reports themselves (`discreet local strings`, find_strings)"
    raise DiscreetError(words)


def _read_texts(
    tally: Tally, oracle: Oracle[Any], confidence: float, candidates: Sequence[str], people: int | None
) -> TallyReading:
    if isinstance(oracle, SketchOracle):
        texts = estimate_texts(tally, candidates, confidence, people)
        return TallyReading(tally.metric, FREQUENCY, texts, (PART,))
    if isinstance(oracle, RapporOracle):
        domain = tally.metric.domain
        listed = hash_candidates(oracle.mechanism, candidates, domain if isinstance(domain, Texts) else None)
    else:
        assert isinstance(oracle, RapporStringsOracle)
        listed = hash_whole_texts(oracle.mechanism, candidates)
    return read_rappor(tally.metric, decode_candidates(listed, tally.counts, confidence))


def hash_whole_texts(mechanism: RapporStrings, candidates: Sequence[str]) -> Candidates:
    """Return candidates for the whole texts that reports of fragments carry too."""
    size = mechanism.letters * mechanism.pieces
    for text in candidates:
        if len(text.encode()) > size:
            raise ParameterError("candidates", text, f"texts of at most {size} bytes: clients cut off what is longer")
    return hash_candidates(mechanism.part, candidates)


def read_rappor(metric: Metric, decoded: DecodedCandidates) -> TallyReading:
    """Return what RAPPOR's regression says, and what it leaves unexplained."""
    there = int(decoded.find_significant(1 - decoded.confidence).sum())
    notes = [
        f"{there:,} of {len(decoded.names):,} candidates are there at all "
        f"(Bonferroni, {100 * (1 - decoded.confidence):.3g} %)",
        f"texts that are not listed, or not modelled, have {decoded.unallocated:.2g} of all reports, with a standard "
        f"error of {decoded.total_error:.1g}",
    ]
    missing = "frequent texts are missing among the candidates"
    if decoded.misfit > 2:
        notes.append(f"bits vary {decoded.misfit:.2g} times as much as noise explains: {missing}")
    if decoded.rows_apart:
        notes.append(f"{decoded.rows_apart:,} bits that no candidate explains were left out: {missing}")
    found = Frequencies(
        decoded.names,
        decoded.reports,
        decoded.confidence,
        decoded.raw,
        decoded.errors,
        decoded.consistent,
        decoded.detectable,
        decoded.shift,
        len(decoded.names),
    )
    return TallyReading(metric, FREQUENCY, found, (*notes, PART))


def _read_prefixes(
    tally: Tally, oracle: PrefixOracle, confidence: float, sought: int, people: int | None
) -> TallyReading:
    found = find_heavy_hitters(tally, sought, None, confidence, people)
    sure = find_reach(oracle.mechanism, tally.reports, sought, None, confidence)
    reach = f"words from a frequency of {sure:.2g} on are among {sought:,} for certain, at this confidence; rarer ones "
    reach += f"may be. The {found.reports:,} reports of whole words, of {tally.reports:,}, give the frequencies"
    return TallyReading(tally.metric, FREQUENCY, found, (reach, CHOSEN, PART), chosen=True)


def _read_puzzle(tally: Tally, oracle: PuzzleOracle, confidence: float, people: int | None) -> TallyReading:
    found = find_words(tally, confidence, people=people)
    seen = find_visible(oracle.mechanism, tally.reports)
    reach = (
        f"a word is found where all its fragments stand out, each about half of the times at a frequency of {seen:.2g}"
    )
    return TallyReading(tally.metric, FREQUENCY, found, (reach, CHOSEN, PART), chosen=True)


def round_up(value: float) -> float:
    """Return a bound with two digits, which is never the lower one.

    >>> round_up(0.0381), round_up(0.038), round_up(0.0)
    (0.039, 0.038, 0.0)
    """
    return float(UPWARDS.create_decimal(repr(value)))
