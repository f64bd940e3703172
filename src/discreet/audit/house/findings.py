"""What the audit of the house found, and how it is told: `HouseReport.markdown()`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from discreet.audit.blackbox.lower_bound import LowerBound
from discreet.audit.blackbox.several import refute_several
from discreet.audit.house.choosing import write_name
from discreet.audit.house.replays import Replayed

SURE = 1 - 1e-6
"""Of all refutations of one audit together: it is run often."""


@dataclass(frozen=True, slots=True)
class PartFinding:
    """What the audit found of one component."""

    kind: str
    name: str
    claim: float
    delta: float
    bounds: tuple[LowerBound, ...]
    """Of each pair of inputs that was certified; all of them hold together with 95 % confidence."""
    seconds: float
    broken: bool = False
    """Whether the claim is refuted, so surely that of a million audits one may refute a claim that holds."""

    @property
    def bound(self) -> LowerBound:
        """The bound of the pair that shows the most; a fault is more than any."""
        return max(self.bounds, key=lambda each: (each.fault is not None, each.epsilon))

    @property
    def samples(self) -> int:
        """Outputs on all inputs, learning included."""
        return sum(each.samples for each in self.bounds)

    def is_refuted_among(self, many: int) -> bool:
        """Say whether a bound refutes the claim so surely that it does among so many, whatever the others show."""
        return any(each.find_p_value(self.claim) <= (1 - SURE) / many for each in self.bounds)


@dataclass(frozen=True, slots=True)
class LossFinding:
    """By how much a loss claims too little, if it does."""

    name: str
    shortfall: float


@dataclass(frozen=True, slots=True)
class HouseReport:
    """Everything that was found."""

    findings: tuple[PartFinding, ...]
    losses: tuple[LossFinding, ...]
    replays: tuple[Replayed, ...]
    seconds: float

    @property
    def broken(self) -> list[str]:
        """The components whose claims do not hold."""
        found = [f"{each.kind} {each.name}" for each in self.findings if each.broken]
        found += [f"loss {each.name}" for each in self.losses if each.shortfall > 0]
        return found + [f"replay {each.name}" for each in self.replays if not each.report.ok]

    def markdown(self) -> str:
        """Return the report as three tables."""
        lines = [
            "| component | claimed epsilon | at delta | certified lower bound | outputs | |",
            "|---|---|---|---|---|---|",
        ]
        for each in self.findings:
            bound = str(each.bound.fault) if each.bound.fault else f"{each.bound.epsilon:.3f}"
            word = "**REFUTED**" if each.broken else "holds"
            row = [write_name(each.kind, each.name), f"{each.claim:.3f}", f"{each.delta:g}", bound, f"{each.samples:,}"]
            lines.append(f"| {' | '.join([*row, word])} |")
        lines += ["", "| loss | beside exact distributions |", "|---|---|"]
        for other in self.losses:
            lines.append(f"| {other.name} | {'claims too little' if other.shortfall > 0 else 'never below them'} |")
        lines += ["", "| replayed | neighbours | mechanisms | |", "|---|---|---|---|"]
        for one in self.replays:
            word = one.report.matter if one.report.ok else f"**FOUND**: {one.report.matter}"
            tried = f"{len(one.report.neighbours)}, {one.neighbours}"
            lines.append(f"| {' | '.join([f'`{one.report.operation}`', tried, f'{one.report.calls}', word])} |")
        return "\n".join(lines) + "\n"


def judge_together(found: Sequence[PartFinding]) -> tuple[PartFinding, ...]:
    """Return findings that say whether their claims are refuted, all refutations together by Holm's rule."""
    refuted = iter(refute_several([(bound, each.claim) for each in found for bound in each.bounds], SURE))
    return tuple(replace(each, broken=any(tuple(next(refuted) for _ in each.bounds))) for each in found)
