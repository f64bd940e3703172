"""Many claims at once: of a hundred tests at 95 %, five flag what is right. These rules do not."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.audit.blackbox.lower_bound import LowerBound
from discreet.base import check


def refute_several(findings: Sequence[tuple[LowerBound, float]], confidence: float = 0.95) -> list[bool]:
    """Say of each bound whether it refutes the epsilon beside it, so that all refutations hold together.

    Theorem (Holm 1979): the k-th smallest of m p-values is compared with miss / (m - k + 1), up to the first that is
    larger. With this confidence not one claim that holds is refuted, however the tests depend on one another. A fault
    is seen, not inferred: it refutes every claim.
    """
    check.confidence(confidence)
    values = [bound.find_p_value(claim) for bound, claim in findings]
    refuted = [False] * len(values)
    for rank, place in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        if values[place] > (1 - confidence) / (len(values) - rank):
            break
        refuted[place] = True
    return refuted
