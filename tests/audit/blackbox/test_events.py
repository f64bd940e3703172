"""Which event is chosen: the one that is sure to show the most, or one that is suspected to exceed a claim."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.audit.blackbox.events import ChosenEvent, RatedOutputs, choose_event, find_excess
from discreet.audit.blackbox.expecting import EventAim
from discreet.audit.blackbox.scores import LearnedScore

OUTPUTS = 200_000
CHANCES = [0.0133, 0.4, 0.5867], [0.0115, 0.3656, 0.6229]
"""Of three outputs on two inputs: a rare one with a ratio of e^0.145, a frequent one with e^0.09, and the others."""


def choose(claim: float | None, smooth: bool = True, stretched: float = 1.0) -> ChosenEvent:
    ratios = np.log(np.divide(*CHANCES)) * stretched
    sides = [np.repeat(ratios, np.rint(np.multiply(chances, OUTPUTS)).astype(int)) for chances in CHANCES]
    score = LearnedScore("the ratio", lambda rows: rows[:, 0], smooth=smooth)
    event = choose_event([RatedOutputs.sort(score, *sides)], EventAim(450_000, 0.0, 0.95, claim))
    assert event is not None
    return event


def test_without_a_claim_the_event_that_is_sure_to_show_the_most_is_chosen() -> None:
    assert choose(None).likely == pytest.approx(0.4133, abs=1e-4)
    assert choose(None).suspicion == -math.inf


def test_an_event_that_is_suspected_is_tried_where_none_is_sure_to_exceed_the_claim() -> None:
    found = choose(0.1)
    assert found.expected < 0.1
    assert found.suspicion > 1.5
    assert found.likely == pytest.approx(0.0133, abs=1e-4)


def test_an_event_that_is_sure_to_exceed_the_claim_needs_no_suspicion() -> None:
    assert choose(0.05).likely == pytest.approx(0.4133, abs=1e-4)


def test_counts_that_chance_may_explain_are_not_suspicious() -> None:
    assert choose(0.1, smooth=False).likely == pytest.approx(0.4133, abs=1e-4)


@pytest.mark.parametrize("stretched", [0.6, 5.0])
def test_a_score_that_says_too_much_is_believed_as_far_as_outputs_bear_it_out(stretched: float) -> None:
    assert choose(0.1, stretched=stretched).suspicion == pytest.approx(choose(0.1).suspicion, rel=0.05)


def test_a_score_that_no_output_bears_out_is_not_suspicious() -> None:
    rated = np.random.default_rng(7).normal(0.0, 1.0, OUTPUTS)
    score = LearnedScore("nothing", lambda rows: rows[:, 0], smooth=True)
    event = choose_event([RatedOutputs.sort(score, rated, rated)], EventAim(450_000, 0.0, 0.95, 0.1))
    assert event is not None
    assert event.suspicion < 0


def test_of_smooth_scores_the_one_that_has_learned_the_most_is_suspected() -> None:
    """The other one promises more by a few outputs, and knows nothing of all the rest."""
    ratios = np.log(np.divide(*CHANCES))
    sides = [np.repeat(ratios, np.rint(np.multiply(chances, OUTPUTS)).astype(int)) for chances in CHANCES]
    few = [np.repeat([1.0, 0.0], [seen, OUTPUTS - seen]) for seen in (300, 110)]
    rated = [
        RatedOutputs.sort(LearnedScore(name, lambda rows: rows[:, 0], smooth=True), *given)
        for name, given in (("the ratio", sides), ("a few", few))
    ]
    aim = EventAim(450_000, 0.0, 0.95, 0.1)
    alone = choose_event(rated[1:], aim)
    found = choose_event(rated, aim)
    assert alone is not None
    assert found is not None
    assert alone.suspicion > found.suspicion
    assert rated[0].gained > rated[1].gained


def test_a_rare_event_that_looks_far_too_good_does_not_keep_a_likely_one_from_being_tried() -> None:
    """110 outputs against 55 promise more than the claim, and may be chance: they are the best of many events."""
    lucky = [np.repeat([3.0, 0.0], [seen, OUTPUTS - seen]) for seen in (110, 55)]
    ratios = np.log(np.divide(*CHANCES))
    sides = [np.repeat(ratios, np.rint(np.multiply(chances, OUTPUTS)).astype(int)) for chances in CHANCES]
    found = choose_event(
        [
            RatedOutputs.sort(LearnedScore("luck", lambda rows: rows[:, 0]), *lucky),
            RatedOutputs.sort(LearnedScore("the ratio", lambda rows: rows[:, 0], smooth=True), *sides),
        ],
        EventAim(450_000, 0.0, 0.95, 0.1),
    )
    assert found is not None
    assert (found.score.name, found.certain) == ("the ratio", False)


def test_a_true_ratio_says_by_how_many_deviations_it_exceeds_a_claim() -> None:
    rated = np.repeat([0.2, -0.2], [OUTPUTS, OUTPUTS])
    likely = 1 / (1 + math.exp(-0.2))
    deviation = math.sqrt(likely * (1 - likely) * (1 + math.exp(0.2)) / 10_000)
    found, threshold = find_excess(rated, rated, 0.1, EventAim(10_000, 0.0, 0.95, 0.1))
    assert found == pytest.approx((likely - math.exp(0.1) * (1 - likely)) / deviation, rel=1e-9)
    assert threshold > -0.2
