"""The shelf: answers that an analyst has received lately, so that files of them are made without asking again."""

from __future__ import annotations

import secrets
from collections import OrderedDict

from discreet.answers.answer import Answer

MOST, MOST_ROWS = 20, 200_000
"""Answers of one analyst that are kept, and rows of all of these together; the oldest go first."""


class AnswerShelf:
    """Answers by analyst. Nobody finds another's, not even by its name: each analyst has a shelf of their own."""

    def __init__(self) -> None:
        self._kept: dict[str, OrderedDict[str, Answer]] = {}

    def put(self, analyst: str, answer: Answer) -> str:
        """Keep an answer, and return the name by which its analyst finds it again."""
        own = self._kept.setdefault(analyst, OrderedDict())
        name = secrets.token_hex(8)
        own[name] = answer
        while len(own) > 1 and (len(own) > MOST or sum(len(each.rows) for each in own.values()) > MOST_ROWS):
            own.popitem(last=False)
        return name

    def find(self, analyst: str, name: str) -> Answer | None:
        """Return an answer that this analyst received, where it is still kept."""
        return self._kept.get(analyst, OrderedDict()).get(name)
