"""Whether what was asked on a neighbour is what was asked before, and no farther apart than is paid for."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from typing import Any

import numpy as np

from discreet.audit.graybox.comparing.desk_rules import DeskRules
from discreet.audit.graybox.comparing.distances import is_told_well, measure_alone
from discreet.audit.graybox.comparing.gaps import join_runs
from discreet.audit.graybox.comparing.report import FindingKind
from discreet.audit.graybox.comparing.verdicts import PairRelation, Verdicts
from discreet.audit.graybox.recording.forms import find_difference, tell_trouble
from discreet.audit.graybox.recording.tape import TapeEntry
from discreet.base.check import Exact


class Judge(Verdicts):
    """Holds the calls on one neighbour against those on the database itself."""

    def __init__(
        self, neighbour: str, relation: PairRelation, sensitivity: Exact | None = None, priced: bool = False
    ) -> None:
        """Take what is declared of mechanisms alone: how far they move, or (`priced`) what all lose together."""
        super().__init__(neighbour, relation)
        self._sensitivity, self._priced = sensitivity, priced
        self._desks = DeskRules(self, self.compare)

    def compare(self, before: list[TapeEntry], after: list[TapeEntry], ended: bool = True) -> None:
        """Compare calls one by one, up to the first that is another one; where both runs `ended`, all of them."""
        alike = list(takewhile(lambda pair: pair[0].is_like(pair[1]), zip(before, after, strict=False)))
        for one, other in join_runs(alike):
            self._judge(one, other)
        for place, (one, other) in enumerate(alike if ended else (), 1):
            told = [tell_trouble(each.failed) for each in (one, other)]
            if told[0] != told[1]:
                self.find(FindingKind.ERROR, f"call {place}, {one}, raises an error on one of both only, or another")
        place = len(alike)
        if place < min(len(before), len(after)):
            one, other = before[place], after[place]
            kind = FindingKind.SHAPE if one.is_made_like(other) else FindingKind.CALLS
            self.find(kind, f"call {place + 1} is {_tell_apart(one, other)}")
        elif ended and len(before) != len(after):
            self.find(FindingKind.CALLS, f"there are {len(after)} calls, and were {len(before)}")

    def _judge(self, one: TapeEntry, other: TapeEntry) -> None:
        for each in (one, other):
            if not is_told_well(each.fresh):
                self.find(FindingKind.NUMBER, f"{each.name} says something that is no number")
                return
        if one.name.startswith("desk: "):
            self._desks.judge(one, other)
        elif one.name.startswith("local: "):
            self._judge_local(one, other)
        else:
            self._judge_alone(one, other)

    def _judge_alone(self, one: TapeEntry, other: TapeEntry) -> None:
        """What nobody but its caller watches moves as far as that caller declares; what cannot be measured is found."""
        moved = measure_alone(one, other, self._sensitivity)
        kinds = [_find_kind(each.fresh) for each in (one, other)]
        if None not in kinds and kinds[0] != kinds[1]:
            self.find(FindingKind.SHAPE, f"{one.name} says {kinds[1]}, and said {kinds[0]}")
        if moved is None:
            self.find(
                FindingKind.SENSITIVITY,
                f"{one.name} is given something else, and how far apart both are cannot be measured",
            )
        for each in moved or ():
            self.move(replace(each, priced=self._priced and one.asked is not None))

    def _judge_local(self, one: TapeEntry, other: TapeEntry) -> None:
        """A report has the same size, whatever the value."""
        sizes = [len(each.fresh.payload) for each in (one, other)]
        if sizes[0] != sizes[1]:
            self.find(FindingKind.SHAPE, f"a report of {one.name} has {sizes[1]} bytes, and had {sizes[0]}")


def _tell_apart(one: TapeEntry, other: TapeEntry) -> str:
    """Say what is asked, and what was: where both are shown alike, where they differ."""
    where = find_difference(one.form, other.form, "its form") if str(one) == str(other) else None
    return f"{other}, and was {one}" + ("" if where is None else f": {where}")


def _find_kind(told: Any) -> str | None:
    """Return what kind of numbers a mechanism said: whoever gets them sees it. None of what may be of many kinds."""
    if isinstance(told, np.ndarray | np.generic):
        return f"{type(told).__name__} of {told.dtype}"
    return type(told).__name__ if isinstance(told, int | float | list | tuple) else None
