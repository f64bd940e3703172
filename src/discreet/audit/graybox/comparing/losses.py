"""What mechanisms lose on two databases: on inputs as far apart as they were, all calls together."""

from __future__ import annotations

import functools
import operator
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from discreet.audit.graybox.comparing.distances import measure_alone
from discreet.audit.graybox.comparing.gaps import is_round, join_runs, list_input_gaps, measure_spread
from discreet.audit.graybox.recording.forms import write_form
from discreet.audit.graybox.recording.tape import TapeEntry
from discreet.base.rounding import ball, rounded_up
from discreet.local.client.mechanism import Mechanism
from discreet.mechanisms import CountingQueries, RandomizedResponse, SparseVector, TruncatedLaplace
from discreet.mechanisms.additive import Additive
from discreet.mechanisms.selection import Selection
from discreet.privacy import Loss, PureLoss


def add_losses(pairs: Iterable[tuple[TapeEntry, TapeEntry]]) -> Loss | None:
    """Return what all calls lose that nobody but their caller watches; None where nothing is lost.

    Calls of desks have a meter. What has no loss here, since it is a function of others or has no number, is said
    elsewhere: as moved without a declaration, and as a finding.
    """
    alike = list(pairs)
    losses = [find_loss(one, other) for one, other in join_runs(alike) if one.asked is not None and ":" not in one.name]
    losses += _list_local_losses([pair for pair in alike if pair[0].name.startswith("local: ")])
    found = [loss for loss in losses if loss is not None]
    return functools.reduce(operator.add, found) if found else None


def find_loss(one: TapeEntry, other: TapeEntry) -> Loss | None:
    """Return what one mechanism loses on what went into it on both databases; None where that is the same.

    In steps of its grid, so that nothing is added for rounding: it was rounded already.
    """
    made: Any = one.asked
    if isinstance(made, PRICED):
        try:
            gaps = list_input_gaps(one, other)
            return _price(made, gaps, one) if any(gaps) else None
        except Exception:  # too far apart to be priced, or without a number
            return PureLoss(BEYOND)
    if write_form(one.value) == write_form(other.value):
        return None
    if isinstance(made, RandomizedResponse):
        moved = measure_alone(one, other, None)
        return made.loss() * int(moved[0].observed) if moved and moved[0].observed else None
    loss: Loss | None = made.loss() if hasattr(made, "loss") else None
    return loss


BEYOND = 1e9
"""An epsilon that is more than anybody declares, for what cannot be priced."""

PRICED = (Additive, TruncatedLaplace, CountingQueries, Selection, SparseVector)
"""Mechanisms that lose less, the less their inputs move."""


def _price(made: Any, gaps: list[int], entry: TapeEntry) -> Loss:
    """Return the loss of a mechanism whose inputs move by so many steps.

    A choice is the same if all scores rise alike, so that its price is how far two of them move apart: as much as that
    of monotone scores which move by so much. Of a run, that price holds where all questions move in one direction.
    """
    many = sum(map(bool, gaps))
    noise = made.noise if isinstance(made, CountingQueries) else made
    plain = replace(noise, grid=None) if hasattr(noise, "grid") else noise
    loss: Loss
    if isinstance(made, Selection):
        loss = replace(plain, monotone=True).loss(max(gaps) - min(gaps)) if max(gaps) > min(gaps) else PureLoss(0)
        return loss * int(entry.public["count"]) if entry.method == "release_several" else loss
    if isinstance(made, SparseVector):
        one_way = measure_spread(gaps) == max(map(abs, gaps))
        loss = replace(plain, monotone=one_way).loss(max(map(abs, gaps)))
    elif is_round(noise):
        loss = plain.loss(rounded_up(lambda: ball(sum(gap * gap for gap in gaps)).sqrt()), dim=many)
    else:
        loss = plain.loss(sum(map(abs, gaps)), dim=many)
    return loss


def _list_local_losses(pairs: list[tuple[TapeEntry, TapeEntry]]) -> list[Loss]:
    """Return what reports of other values tell together: those of one mechanism, with permanent noise where it has it.

    Reports of one secret are one person's, and permanent noise is shared by all of them, the equal ones too: many of
    these show it. Reports without are added up where they differ, as if they were one person's.
    """
    sequences: dict[Any, list[TapeEntry]] = defaultdict(list)
    changed: Counter[Any] = Counter()
    for one, other in pairs:
        whose = one.name, one.parameters, one.method, one.public.get("secret")
        sequences[whose].append(one)
        changed[whose] += write_form(one.value) != write_form(other.value)
    return [PureLoss(_sum_reports(sequences[whose], many)) for whose, many in changed.items() if many]


def _sum_reports(reports: list[TapeEntry], changed: int) -> Fraction:
    made, is_memoised = reports[0].asked, type(reports[0].asked).sum_epsilon is not Mechanism.sum_epsilon
    if reports[0].method == "recall":
        return Fraction(made.sum_epsilon(len(reports) if is_memoised else changed))
    return changed * Fraction(made.epsilon)
