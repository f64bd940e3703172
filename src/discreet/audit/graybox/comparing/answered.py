"""Whether a desk answers what its mechanisms said, and nothing else: exact numbers must not get past them.

A desk's answer is said again on a neighbour like any other, so that exact numbers in it would differ nowhere. It is
held against what was said inside, on each database by itself; where all of that is the same on both, so is the answer.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, is_dataclass
from typing import Any

import numpy as np

from discreet.audit.graybox.comparing.report import FindingKind
from discreet.audit.graybox.comparing.verdicts import Verdicts
from discreet.audit.graybox.recording.forms import write_form
from discreet.audit.graybox.recording.tape import TapeEntry
from discreet.curator.release.released import Released, ReleasedSet
from discreet.engines.result import GroupedSums
from discreet.mechanisms.quantile import Drawn

UNLIKE = ("desk: descend",)
"""Calls whose answer follows from rows beside noise that no mechanism adds: steps of a compiled descent."""


def judge_answers(verdicts: Verdicts, one: TapeEntry, other: TapeEntry) -> None:
    """Judge what a desk answers on both databases, as it was drawn there."""
    for entry in (one, other):
        rule = RULES.get(entry.name.removeprefix("desk: "))
        words = rule(entry) if rule is not None else None
        if words is not None:
            verdicts.find(FindingKind.RESULT, f"{entry.name} {words}")
            return
    if one.name not in UNLIKE and _was_told_alike(one, other) and one.fresh != other.fresh:
        verdicts.find(FindingKind.RESULT, f"{one.name} answers something else, though all noise in it is the same")


def _was_told_alike(one: TapeEntry, other: TapeEntry) -> bool:
    pairs = list(zip(one.inner, other.inner, strict=False))
    return len(one.inner) == len(other.inner) and all(
        mine.is_like(theirs) and write_form(mine.told) == write_form(theirs.told) for mine, theirs in pairs
    )


def _check_numbers(entry: TapeEntry) -> str | None:
    """Numbers with noise: those that were said, in their order. A pushed objective's are those of its last noise."""
    said = [each.told for each in (entry.inner if entry.name == "desk: resample" else entry.inner[-1:])]
    same = list(_flatten(json.loads(entry.fresh))) == list(_flatten(said))
    return None if same else "answers other numbers than its mechanism said"


def _check_more(entry: TapeEntry) -> str | None:
    """A question of a watch: yes or no, as its run said."""
    if not entry.inner or entry.inner[0].run is None:
        return None
    same = (entry.fresh == b"yes") == bool(entry.inner[0].told)
    return None if same else "says something else than its run"


def _check_statistic(entry: TapeEntry) -> str | None:
    """A statistic: what its mechanism said, of drawn quantiles as a point of the grid and the counts around it."""
    ((_, _, statistic, *_),) = [each for each in entry.exact if each[0] == "statistic"]
    told, low = entry.inner[-1].told, getattr(getattr(statistic, "together", statistic), "low", 0)
    if isinstance(told, Drawn):
        wanted: Any = [told.value + low, *told.counts]
    elif is_dataclass(told) and not isinstance(told, type):
        wanted = list(astuple(told))
    else:
        wanted = None if told is None else [told]
    same = json.loads(entry.fresh) == json.loads(json.dumps(wanted, default=int))
    return None if same else "answers other numbers than its mechanism said"


def _check_measured(entry: TapeEntry) -> str | None:
    """What was measured of a plan: numbers that were said, of keys that were selected, and candidates as chosen."""
    ((_, plan, exact, draws, _),) = [each for each in entry.exact if each[0] == "measures"]
    released = Released.from_bytes(entry.fresh)
    if draws.choice is not None:
        size = draws.choice.count_each(plan)
        chosen = [place % size for each in released.sets for part in each.chosen or () for place in part]
        said = list(_flatten([each.told for each in entry.inner]))
        return None if chosen == said else "chooses others than its mechanism did"
    known = Counter(_flatten([each.told for each in entry.inner if each.asked != draws.selection]))
    if Counter(number for each in released.sets for number in _list_shown(each)) - known:
        return "shows numbers that no mechanism said"
    selected = iter([each.told for each in entry.inner if each.asked == draws.selection])
    wrong = any(_shows_others(found, each, selected) for found, each in zip(exact.sets, released.sets, strict=True))
    return "shows other keys than were selected" if wrong else None


def _shows_others(found: GroupedSums, shown: ReleasedSet, selected: Iterator[Any]) -> bool:
    if found.keys is None:
        return shown.keys is not None
    kept = {key for key, is_kept in zip(found.keys, next(selected, ()), strict=False) if is_kept}
    return set(shown.keys or ()) != kept


def _list_shown(found: ReleasedSet) -> Iterator[int]:
    yield from _flatten((found.sums, list(found.drawn.values()), list(found.trees.values())))


def _flatten(told: Any) -> Iterator[int]:
    """Yield the whole numbers in what was said, one by one."""
    if isinstance(told, Drawn):
        yield from (told.value, *told.counts)
    elif isinstance(told, np.ndarray):
        yield from _flatten(told.tolist())
    elif isinstance(told, Mapping):
        yield from _flatten(list(told.values()))
    elif isinstance(told, Iterable) and not isinstance(told, str | bytes):
        for each in told:
            yield from _flatten(each)
    elif told is not None:
        yield int(told)


RULES: dict[str, Callable[[TapeEntry], str | None]] = {
    "measure": _check_measured,
    "sum": _check_numbers,
    "sum gradients": _check_numbers,
    "sum moments": _check_numbers,
    "count rows": _check_numbers,
    "count": _check_numbers,
    "resample": _check_numbers,
    "minimise": _check_numbers,
    "more": _check_more,
    "statistic": _check_statistic,
}
"""How the answer of each call follows from what was said inside, where it is made of numbers."""
