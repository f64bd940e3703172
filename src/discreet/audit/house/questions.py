"""The curator as a component: one question grouped by many public keys gives a draw for each of them.

Every key holds the same few units, and no unit is under two keys. So the answers for two tables, of which one has one
more unit under every key, are independent draws on two neighbours; what is claimed is the whole price of the question.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.audit.attacks.asking import open_curator, write_policy
from discreet.audit.house.audited_part import AuditedPart
from discreet.curator import Curator
from discreet.privacy.losses.concentrated import ZcdpLoss
from discreet.privacy.losses.guarantees import ApproximateLoss, PureLoss

EPSILON, RHO, DELTA = 1.0, 0.1, 1e-3
LEAK = DELTA / 100
"""The delta of one question."""
MORE = f"question_delta = {LEAK}"
BUDGET = 10_000.0
"""Enough for all questions, and so little that one is worth more than the least share of it."""

Unit = tuple[float, ...]
"""The values of one unit's rows."""

UNIT_ROWS = """
unit = "person"
max_rows = 3
max_groups = 1
[tables.{name}.columns]
person = {{ type = "integer" }}
k = {key}
x = {{ type = "float", lower = 0.0, upper = 8.0, step = 1.0 }}
"""
NEARBY: tuple[tuple[tuple[Unit, ...], tuple[Unit, ...]], ...] = (
    ((), ((8.0,),)),
    ((), ((8.0,) * 3,)),
    ((), ((8.0,) * 40,)),
    ((), ((1e9, -1e9, 1e300, 8.0),)),
    (((0.0,), (8.0, 8.0)), ((0.0,), (8.0, 8.0), (8.0,) * 40)),
)
"""Nobody or two people under a key, and one more: with as many rows as count, and with far more and larger ones."""


@dataclass(slots=True)
class KeyDraws:
    """Asks one question of tables in which every key holds the units that are given."""

    asked: str
    price: dict[str, Any]
    keys: int
    listed: bool
    """Whether keys are public; else they are texts of the data, and the draw is whether a key is shown."""
    stack: ExitStack
    _open: dict[Any, Curator] = field(default_factory=dict)
    _left: dict[Any, Any] = field(default_factory=dict)

    def __call__(self, given: tuple[Unit, ...], count: int) -> Any:
        """Return so many draws."""
        parts, missing = [], count
        while missing:
            if given not in self._left or not len(self._left[given]):
                self._left[given] = self._ask(given)
            parts.append(self._left[given][:missing])
            self._left[given] = self._left[given][missing:]
            missing -= len(parts[-1])
        return np.concatenate(parts)

    def _ask(self, given: tuple[Unit, ...]) -> Any:
        if given not in self._open:
            self._open[given] = self.stack.enter_context(self._make(given))
        answer = self._open[given].ask(self.asked, **self.price, fresh=True)
        rows = answer.to_pandas().sort_values("k")
        if not self.listed:
            return np.isin(np.arange(self.keys).astype(str), rows["k"].to_numpy(str)).astype(np.int64)[:, None]
        return rows.drop(columns="k").to_numpy(np.float64, na_value=-1e6)

    @contextmanager
    def _make(self, given: tuple[Unit, ...]) -> Iterator[Curator]:
        lengths = [len(unit) for unit in given]
        one = np.repeat(np.arange(len(given)), lengths)
        people = (np.arange(self.keys)[:, None] * max(1, len(given)) + one).ravel()
        keys = np.repeat(np.arange(self.keys), sum(lengths))
        values = np.tile(np.array([value for unit in given for value in unit], np.float64), self.keys)
        key = f'{{ type = "integer", lower = 0, upper = {self.keys - 1} }}' if self.listed else '{ type = "text" }'
        columns = {"person": people, "k": keys if self.listed else keys.astype(str), "x": values}
        policy = write_policy("t", UNIT_ROWS.format(name="t", key=key), size=10, epsilon=BUDGET, delta=DELTA, more=MORE)
        other = UNIT_ROWS.format(name="u", key=key)
        policy += '[tables.u]\nsource = "u.parquet"\nversion = "1"\nsize = 10\n' + other
        with open_curator(policy, t=columns, u=columns) as curator:
            yield curator


def list_questions(stack: ExitStack, keys: int) -> list[AuditedPart]:
    """Return questions about as many keys, asked at a price; curators are closed with the stack."""

    def ask(name: str, what: str, rows: str = "t", dear: int = 1, **price: float) -> AuditedPart:
        sql = f"SELECT {rows[0]}.k AS k, {what} FROM {rows} GROUP BY {rows[0]}.k"
        draws = KeyDraws(sql, price or {"epsilon": EPSILON}, max(100, keys // dear), True, stack)
        if "rho" in price:
            return AuditedPart(name, draws, NEARBY, ZcdpLoss(Fraction(price["rho"])), 1e-5, dear)
        return AuditedPart(name, draws, NEARBY, PureLoss(Fraction(EPSILON)), dear=dear)

    joined = "t JOIN u ON t.person = u.person AND t.k = u.k"

    def show(name: str, what: str) -> AuditedPart:
        draws = KeyDraws(f"SELECT k, {what} FROM t GROUP BY k", {"epsilon": EPSILON}, keys, False, stack)
        return AuditedPart(name, draws, several, ApproximateLoss(Fraction(EPSILON), Fraction(LEAK)), LEAK)

    several = tuple((((8.0,),) * units, ((8.0,),) * (units + 1)) for units in (0, 1, 4, 8))
    return [
        ask("COUNT(*)", "COUNT(*)"),
        ask("COUNT(*) at a rho", "COUNT(*)", rho=RHO),
        ask("COUNT(DISTINCT unit)", "COUNT(DISTINCT t.person)"),
        ask("SUM", "SUM(t.x)"),
        ask("SUM at a rho", "SUM(t.x)", rho=RHO),
        ask("COUNT and SUM together", "COUNT(*), SUM(t.x)"),
        ask("AVG", "AVG(t.x)"),
        ask("VAR_POP", "VAR_POP(t.x)"),
        ask("MEDIAN", "MEDIAN(t.x)", dear=100),
        ask("COUNT of a condition", "COUNT(*) FILTER (WHERE t.x > 4)"),
        ask("COUNT of a join", "COUNT(*)", joined, dear=5),
        ask("SUM of a join", "SUM(u.x)", joined, dear=5),
        show("keys of the data, by a threshold", "COUNT(*)"),
        show("keys of the data, selected", "SUM(x)"),
    ]
