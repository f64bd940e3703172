"""What is found of one neighbour: findings in words, and how far it moved each call beside what was declared."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from fractions import Fraction

from discreet.audit.graybox.comparing.report import FindingKind, Moved, ReplayFinding
from discreet.audit.graybox.recording.tape import TapeEntry


class PairRelation(StrEnum):
    """How two databases differ."""

    ADD_REMOVE = "add-remove"
    REPLACE = "replace"
    SAME = "the same"
    """They hold the same people: nothing may be moved at all."""

    UNKNOWN = "unknown"


class Verdicts:
    """Keeps what is found of one neighbour."""

    def __init__(self, neighbour: str, relation: PairRelation) -> None:
        self.relation = relation
        self.findings: list[ReplayFinding] = []
        self.moved: list[Moved] = []
        self._neighbour = neighbour

    def find(self, kind: FindingKind, words: str) -> None:
        """Write a finding down."""
        self.findings.append(ReplayFinding(kind, self._neighbour, words))

    def move(self, moved: Moved) -> None:
        """Write down how far a call was moved; too far is a finding."""
        self.check(moved)
        if self.relation is not PairRelation.SAME:
            self.moved.append(moved)

    def check(self, moved: Moved) -> None:
        """Find what was moved too far: on a database that holds the same people, what was moved at all."""
        if self.relation is PairRelation.SAME:
            moved = replace(moved, declared=Fraction(0))
        if moved.exceeds:
            self.find(FindingKind.SENSITIVITY, str(moved))

    def is_alike(self, one: TapeEntry, other: TapeEntry, many: int | None) -> bool:
        """Say whether the same mechanisms were asked inside, and so many."""
        wrong = many is not None and len(one.inner) != many
        pairs = list(zip(one.inner, other.inner, strict=False))
        if wrong or len(one.inner) != len(other.inner) or not all(a.is_like(b) for a, b in pairs):
            told = ["; ".join(map(str, each.inner)) or "nothing" for each in (one, other)]
            self.find(FindingKind.CALLS, f"{one.name} asks {told[1]}, and asked {told[0]}")
            return False
        return True
