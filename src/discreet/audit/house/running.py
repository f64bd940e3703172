"""Runs the audit of the house: `run(samples)` in this process, or in several."""

from __future__ import annotations

import atexit
import multiprocessing
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache

from discreet.audit.blackbox.lower_bound import lower_bound
from discreet.audit.blackbox.search import find_worst
from discreet.audit.house.audited_part import AuditedPart, choose_pairs
from discreet.audit.house.choosing import has_word, write_name
from discreet.audit.house.findings import HouseReport, LossFinding, PartFinding, judge_together
from discreet.audit.house.keyed_draws import KeyedTables
from discreet.audit.house.local_reports import list_local
from discreet.audit.house.losses import list_loss_claims
from discreet.audit.house.mechanisms import list_mechanisms
from discreet.audit.house.questions import FEWEST, list_questions
from discreet.audit.house.replays import RELATIONS, Replayed, list_names, replay_all
from discreet.audit.house.robust_mechanisms import list_robust
from discreet.audit.house.wings import list_wings
from discreet.base import check
from discreet.base.errors import ParameterError

WHOLE, LIGHT = 2_000_000, 20_000
"""Outputs of a component that takes no time, in the whole audit and in the light one; fewer of dearer ones."""

FEW_PAIRS = 2
"""Of the inputs that are listed, so many pairs are tried in the light audit."""

SEARCHED = 6_000
"""Outputs for each pair from which on the worst pair is looked for first; with fewer, all pairs are certified."""

CONFIDENCE = 0.95
"""Of all bounds of a component together."""

DEAREST = 100
"""How dear components are from which on the light audit tries one pair of inputs alone."""

ORDER = ("loss", "replay", "question", "mechanism", "wing", "local report", "robust")
"""What comes first where the audit may stop early, behind all components that take no time."""

LONGEST = 600.0
"""Seconds that a batch may take: beyond that a component hangs."""

AuditWatch = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class AuditSize:
    """How much is drawn: outputs of a component that takes no time, and how many pairs are tried where not all are."""

    samples: int
    most: int | None = None

    @classmethod
    def choose(cls, samples: int) -> AuditSize:
        """Return all pairs, or a few in the light audit."""
        return cls(samples, FEW_PAIRS if samples <= LIGHT else None)


AuditedParts = dict[tuple[str, str], AuditedPart]
"""Components by their kind and name."""

AuditFinding = LossFinding | Replayed | PartFinding


@dataclass(frozen=True, slots=True)
class AuditTask:
    """A part of the audit that may be done in any process: all losses, the replays of one relation, or a component."""

    kind: str
    name: str
    dear: int = 0
    bounds: int = 0
    """How many bounds are certified at the most."""

    def perform(self, components: AuditedParts, size: AuditSize, only: str = "") -> Iterator[AuditFinding]:
        """Yield what is found."""
        if self.kind == "loss":
            claims = [each for each in list_loss_claims() if has_word(only, "loss", each.name)]
            yield from (LossFinding(each.name, each.find_shortfall()) for each in claims)
        elif self.kind == "replay":
            yield from replay_all(only, (self.name,), light=size.most is not None)
        else:
            component = components[self.kind, self.name]
            yield audit(self.kind, component, size.samples // component.dear, size.most)


def list_components(stack: ExitStack, size: AuditSize) -> Iterator[tuple[str, AuditedPart]]:
    """Yield everything that is audited by its outputs, with its kind."""
    tables = KeyedTables(stack)
    yield from (("mechanism", each) for each in list_mechanisms())
    yield from (("local report", each) for each in list_local())
    yield from (("robust", each) for each in list_robust())
    yield from (("question", each) for each in list_questions(tables, size.samples, size.most))
    yield from (("wing", each) for each in list_wings(tables, size.samples, size.most))


def list_tasks(components: AuditedParts, size: AuditSize, only: str = "") -> list[AuditTask]:
    """Return all that is to be done, or what has a word in its name."""
    found = [
        AuditTask(kind, name, each.dear, len(choose_pairs(each.pairs, each.dear, size.most)))
        for (kind, name), each in components.items()
        if has_word(only, kind, name)
    ]
    losses = [AuditTask("loss", "all")] if any(has_word(only, "loss", each.name) for each in list_loss_claims()) else []
    relations = RELATIONS if size.most is None else RELATIONS[:2]
    replays = [
        AuditTask("replay", each)
        for each in relations
        if any(has_word(only, "replay", name, each) for name in list_names(each))
    ]
    return [*losses, *replays, *found]


def check_found(tasks: list[AuditTask], components: AuditedParts, only: str) -> None:
    """Refuse a word that is in no name, and say what there is."""
    if tasks:
        return
    names = [write_name(kind, name) for kind, name in components]
    names += [write_name("loss", each.name) for each in list_loss_claims()]
    names += dict.fromkeys(write_name("replay", name) for each in RELATIONS for name in list_names(each))
    raise ParameterError("only", only, f"a word in one of these names: {'; '.join(names)}")


def run(
    samples: int = WHOLE, only: str = "", watch: AuditWatch | None = None, *, stop: bool = False, workers: int = 1
) -> HouseReport:
    """Audit everything, or what has a word in its name, with so many outputs of each component.

    With `stop` the audit begins with what is cheap and ends with the first claim that is surely refuted, whatever the
    others would have shown. With several `workers` parts are done in processes of their own.
    """
    check.integer("samples", samples, least=FEWEST)
    check.integer("workers", workers, least=1)
    start, tell = time.perf_counter(), watch or (lambda line: None)
    size, found = AuditSize.choose(samples), list[AuditFinding]()
    with ExitStack() as stack:
        components = {(kind, each.name): each for kind, each in list_components(stack, size)}
        tasks = list_tasks(components, size, only)
        check_found(tasks, components, only)
        bounds = sum(each.bounds for each in tasks)
        for each in _perform(sorted(tasks, key=_rank) if stop else tasks, components, size, only, workers):
            found.append(each)
            tell(_tell(each))
            if stop and _is_surely_wrong(each, bounds):
                break
    parts = {(each.kind, each.name): each for each in found if isinstance(each, PartFinding)}
    return HouseReport(
        judge_together([parts[name] for name in components if name in parts]),
        tuple(each for each in found if isinstance(each, LossFinding)),
        tuple(each for each in found if isinstance(each, Replayed)),
        time.perf_counter() - start,
    )


def audit(kind: str, component: AuditedPart, samples: int, most: int | None = None) -> PartFinding:
    """Audit one component: the worst pair of inputs is looked for and certified, or all pairs where outputs are few.

    Pairs that are all certified have each their part of the outputs and of the chance to be wrong.
    """
    start, claim = time.perf_counter(), component.claim
    pairs = choose_pairs(component.pairs, component.dear, most)
    if len(pairs) > 1 and not component.together and samples >= SEARCHED * len(pairs):
        worst = find_worst(
            component.draw,
            pairs,
            delta=component.delta,
            confidence=CONFIDENCE,
            samples=samples,
            longest=LONGEST,
        )
        bounds = [worst.bound]
    else:
        bounds = [
            lower_bound(
                component.draw,
                *pair,
                delta=component.delta,
                confidence=1 - (1 - CONFIDENCE) / len(pairs),
                samples=max(FEWEST, samples // len(pairs)),
                longest=LONGEST,
            )
            for pair in pairs
        ]
    return PartFinding(kind, component.name, claim, component.delta, tuple(bounds), time.perf_counter() - start)


def _perform(
    tasks: list[AuditTask], components: AuditedParts, size: AuditSize, only: str, workers: int
) -> Iterator[AuditFinding]:
    """Yield what tasks find: here, in their order, or in processes of their own, as they end."""
    if workers == 1:
        for task in tasks:
            yield from task.perform(components, size, only)
        return
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        for done in as_completed([pool.submit(perform_apart, task, size, only) for task in tasks]):
            yield from done.result()


def perform_apart(task: AuditTask, size: AuditSize, only: str) -> list[AuditFinding]:
    """Perform a task with components that this process makes once: their curators are closed at its end."""
    return list(task.perform(_find_components(size), size, only))


@cache
def _find_components(size: AuditSize) -> AuditedParts:
    stack = ExitStack()
    atexit.register(stack.close)
    return {(kind, each.name): each for kind, each in list_components(stack, size)}


def _rank(task: AuditTask) -> tuple[int, int]:
    """Return what is done before what: mechanisms that take no time, then by kind, and by how dear components are."""
    at_once = task.dear == 1 and task.kind == "mechanism"
    return 0 if at_once else 1 + (ORDER.index(task.kind) if task.kind in ORDER else 0), task.dear


def _tell(found: AuditFinding) -> str:
    if isinstance(found, LossFinding):
        return f"loss {found.name}: {'never below' if found.shortfall <= 0 else 'CLAIMS TOO LITTLE'}"
    if isinstance(found, Replayed):
        return f"replay {found.name}: {'nothing found' if found.report.ok else 'FOUND'} ({found.report.seconds:.1f} s)"
    return f"{found.kind} {found.name}: {found.bound.epsilon:.3f} of {found.claim:.3f} ({found.seconds:.1f} s)"


def _is_surely_wrong(found: AuditFinding, bounds: int) -> bool:
    """Say whether a claim does not hold, whatever the rest of the audit would show."""
    if isinstance(found, LossFinding):
        return found.shortfall > 0
    return not found.report.ok if isinstance(found, Replayed) else found.is_refuted_among(bounds)
