"""A prepared question: read, planned and priced. Nothing was charged for it, and no private row was looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from discreet.answers import Answer, Field
from discreet.curator.asking.explain import Explanation
from discreet.curator.asking.question_operation import QuestionOperation
from discreet.curator.door.performance import Performance, Progress
from discreet.curator.release.released import Released
from discreet.ledger import Request
from discreet.plan.question import Question
from discreet.query.price import Price


@dataclass(frozen=True)
class Prepared:
    """A question with its price. `fields` are the columns of its answer, known before anything runs."""

    question: Question
    priced: Price
    text: str
    operation: QuestionOperation
    request: Request
    """What the ledger knows it by."""
    fields: tuple[Field, ...]
    _ask: Callable[[Prepared, bool, Callable[[Progress], None] | None, str | None], Answer] = field(
        repr=False, compare=False
    )
    _start: Callable[[Prepared, bool], Performance[Released]] = field(repr=False, compare=False)
    _explain: Callable[[Prepared], Explanation] = field(repr=False, compare=False)

    def ask(
        self, *, fresh: bool = False, progress: Callable[[Progress], None] | None = None, key: str | None = None
    ) -> Answer:
        """Answer it: from the ledger, by a route, or by charging for it and running it.

        What is asked `fresh` twice under one `key` is charged once, and has one answer.
        """
        return self._ask(self, fresh, progress, key)

    def start(self, *, fresh: bool = False) -> Performance[Released]:
        """Charge for it and begin to run it; what comes back can be waited for, and cancelled from another thread."""
        return self._start(self, fresh)

    def explain(self) -> Explanation:
        """Say what it would do and cost."""
        return self._explain(self)
