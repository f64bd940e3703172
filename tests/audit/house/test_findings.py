"""What is found is told with its certainty: of many claims, one is refuted only where it is among all of them."""

from __future__ import annotations

from dataclasses import replace

from discreet.audit.blackbox.betting import PairCounts
from discreet.audit.blackbox.direct import DirectTest
from discreet.audit.blackbox.lower_bound import LowerBound
from discreet.audit.house.findings import SURE, HouseReport, LossFinding, PartFinding, judge_together


def find_bound(first: int, second: int) -> LowerBound:
    """Return a bound by pairs of which so many were in the event first, or second, alone."""
    counts = PairCounts(0, first, second, 100)
    return LowerBound(0.5, 0.0, 0.0, 0.95, "an event", 1000, evidence=DirectTest(counts, 1))


def make_finding(bound: LowerBound, claim: float = 0.0) -> PartFinding:
    return PartFinding("planted", "part", claim, 0.0, (bound,), 1.0)


def test_a_refutation_ends_an_audit_only_if_it_stands_among_all_bounds() -> None:
    finding = make_finding(find_bound(44, 8))
    value = finding.bound.find_p_value(0.0)
    assert (1 - SURE) / 100 < value <= 1 - SURE
    assert finding.is_refuted_among(1)
    assert not finding.is_refuted_among(100)


def test_refutations_stand_together() -> None:
    weak, strong = make_finding(find_bound(44, 8)), make_finding(find_bound(400, 8))
    others = [make_finding(find_bound(10, 10))] * 99
    assert judge_together([weak])[0].broken
    found = judge_together([weak, strong, *others])
    assert [each.broken for each in found[:2]] == [False, True]


def test_a_loss_that_claims_too_little_stands_in_the_page() -> None:
    report = HouseReport((), (LossFinding("right", -1e-9), LossFinding("wrong", 1e-9)), (), 1.0)
    assert report.broken == ["loss wrong"]
    assert "| wrong | claims too little |" in report.markdown()
    assert "| right | never below them |" in report.markdown()


def test_outputs_on_all_pairs_are_added_up() -> None:
    finding = replace(make_finding(find_bound(1, 1)), bounds=(find_bound(1, 1), find_bound(2, 1)))
    assert finding.samples == 2000
