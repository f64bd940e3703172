"""Runs the audit of the house, and tells what it found: `run(samples)` and `HouseReport.markdown()`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from discreet.audit.blackbox.lower_bound import LowerBound, lower_bound
from discreet.audit.blackbox.several import refute_several
from discreet.audit.house.audited_part import AuditedPart
from discreet.audit.house.losses import LossClaim, list_loss_claims
from discreet.audit.house.mechanisms import list_mechanisms
from discreet.audit.house.questions import list_questions
from discreet.audit.house.replays import RELATIONS, Replayed, replay_questions
from discreet.audit.house.robust_mechanisms import list_robust

WHOLE, LIGHT = 2_000_000, 20_000
"""Outputs of a component that takes no time, in the whole audit and in the light one; fewer of dearer ones."""

FEW_PAIRS = 2
"""Of the inputs that are listed, so many pairs are tried in the light audit."""

FEWEST = 1_000
"""Outputs on each pair of inputs of the dearest components."""

CONFIDENCE, SURE = 0.95, 1 - 1e-6
"""Of all bounds of a component together; and of all refutations of the audit, which is run often."""

MOST_KEYS = 100_000
"""Keys of one question to the curator."""

LONGEST = 600.0
"""Seconds that a batch may take: beyond that a component hangs."""

AuditWatch = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class PartFinding:
    """What the audit found of one component."""

    kind: str
    name: str
    claim: float
    delta: float
    bounds: tuple[LowerBound, ...]
    """Of each pair of inputs; all of them hold together with 95 % confidence."""
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


@dataclass(frozen=True, slots=True)
class LossFinding:
    """By how much a loss claims too little, if it does."""

    claim: LossClaim
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
        found += [f"loss {each.claim.name}" for each in self.losses if each.shortfall > 0]
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
            row = [
                f"{each.kind}: {each.name}",
                f"{each.claim:.3f}",
                f"{each.delta:g}",
                bound,
                f"{each.samples:,}",
            ]
            lines.append(f"| {' | '.join([*row, word])} |")
        lines += ["", "| loss | beside exact distributions |", "|---|---|"]
        for other in self.losses:
            lines.append(
                f"| {other.claim.name} | {'claims too little' if other.shortfall > 0 else 'never below them'} |"
            )
        lines += ["", "| question, replayed | neighbours | mechanisms | |", "|---|---|---|---|"]
        for one in self.replays:
            word = one.report.matter if one.report.ok else f"**FOUND**: {one.report.matter}"
            row = [
                f"`{one.report.operation}`",
                f"{len(one.report.neighbours)}, {one.neighbours}",
                f"{one.report.calls}",
            ]
            lines.append(f"| {' | '.join([*row, word])} |")
        return "\n".join(lines) + "\n"


def list_components(stack: ExitStack, samples: int) -> Iterator[tuple[str, AuditedPart]]:
    """Yield everything that is audited by its outputs, with its kind."""
    yield from (("mechanism", each) for each in list_mechanisms())
    yield from (("robust", each) for each in list_robust())
    yield from (("question", each) for each in list_questions(stack, min(MOST_KEYS, samples // 8)))


def run(samples: int = WHOLE, only: str = "", watch: AuditWatch | None = None, *, stop: bool = False) -> HouseReport:
    """Audit everything, or what has a word in its name, with so many outputs of each component.

    With `stop` the audit ends with the first claim that is surely refuted, whatever the others would have shown.
    """
    start, light, tell = time.perf_counter(), samples <= LIGHT, watch or (lambda line: None)
    losses = tuple(LossFinding(each, each.find_shortfall()) for each in list_loss_claims() if not only)
    sound = all(each.shortfall <= 0 for each in losses)
    replays = tuple(_replay(only, light, stop, tell)) if sound or not stop else ()
    sound = sound and all(each.report.ok for each in replays)
    most = FEW_PAIRS if light or stop else None
    found = tuple(_audit_components(samples, only, most, stop, tell)) if sound or not stop else ()
    return HouseReport(_judge(found), losses, replays, time.perf_counter() - start)


def _replay(only: str, light: bool, stop: bool, tell: AuditWatch) -> Iterator[Replayed]:
    for one in replay_questions(only, RELATIONS[:1] if light else RELATIONS):
        tell(f"replay {one.name}: {'nothing found' if one.report.ok else 'FOUND'}")
        yield one
        if stop and not one.report.ok:
            return


def _audit_components(samples: int, only: str, most: int | None, stop: bool, tell: AuditWatch) -> Iterator[PartFinding]:
    with ExitStack() as stack:
        wanted = [
            (kind, each)
            for kind, each in list_components(stack, samples)
            if only.casefold() in f"{kind} {each.name}".casefold()
        ]
        bounds = sum(len(each.pairs[:most]) for _, each in wanted)
        for kind, component in wanted:
            finding = audit(kind, component, samples // component.dear, most)
            tell(f"{finding.kind} {finding.name}: {finding.bound.epsilon:.3f} of {finding.claim:.3f}")
            yield finding
            if stop and any(each.find_p_value(finding.claim) <= (1 - SURE) / bounds for each in finding.bounds):
                return


def audit(kind: str, component: AuditedPart, samples: int, most: int | None = None) -> PartFinding:
    """Audit one component: pairs of inputs, each with its part of the outputs and of the chance to be wrong."""
    start, pairs = time.perf_counter(), component.pairs[:most]
    confidence = 1 - (1 - CONFIDENCE) / len(pairs)
    bounds = [
        lower_bound(
            component.draw,
            *pair,
            delta=component.delta,
            confidence=confidence,
            samples=max(FEWEST, samples // len(pairs)),
            longest=LONGEST,
        )
        for pair in pairs
    ]
    return PartFinding(
        kind, component.name, component.claim, component.delta, tuple(bounds), time.perf_counter() - start
    )


def _judge(found: Sequence[PartFinding]) -> tuple[PartFinding, ...]:
    refuted = iter(refute_several([(bound, each.claim) for each in found for bound in each.bounds], SURE))
    return tuple(replace(each, broken=any(tuple(next(refuted) for _ in each.bounds))) for each in found)
