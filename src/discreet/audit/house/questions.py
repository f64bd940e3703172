"""Questions to the curator as components: each is asked about many keys at once, and every key gives a draw."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain

from discreet.audit.house.audited_part import AuditedPart, choose_pairs
from discreet.audit.house.keyed_draws import (
    LEAK,
    KeyDraws,
    KeyedRelease,
    KeyedTables,
    Units,
    ask_shown,
    ask_sql,
)
from discreet.privacy.loss import Loss
from discreet.privacy.losses.concentrated import ZcdpLoss
from discreet.privacy.losses.guarantees import ApproximateLoss, PureLoss

EPSILON, RHO = 1.0, 0.1
SEEN_AT = 1e-5
"""The delta at which claims of zCDP are looked at."""
MOST_KEYS = 1_000_000
"""Keys of one question."""
FEWEST = 1_000
"""Outputs on each pair of inputs."""

HEAVY = (8.0,) * 12
"""A unit with four times the rows that count."""

NEARBY: tuple[tuple[Units, Units], ...] = (
    ((), ((8.0,),)),
    ((), (HEAVY,)),
    ((), ((1e9, -1e9, 1e300, 8.0),)),
    (((0.0,), (8.0, 8.0)), ((0.0,), (8.0, 8.0), HEAVY)),
    ((), ((8.0,) * 3,)),
)
"""Nobody or two people under a key, and one more: with as many rows as count, and with far more and larger ones."""

SHOWN: tuple[tuple[Units, Units], ...] = tuple(
    (((8.0,),) * units, ((8.0,),) * (units + 1)) for units in (0, 1, 4, 8, 12)
)
"""One more person under a key of the data: it is shown where enough have it."""

SHARES = "0.1, 0.3, 0.5, 0.7, 0.9"
"""So many quantiles that they come from one tree of ranks."""

DEAR = 60
"""How many times longer what is said of a key takes than a number with noise."""


class QuestionMaker:
    """Makes components of questions: so many outputs of each, of some of the pairs."""

    def __init__(self, tables: KeyedTables, samples: int, most: int | None = None) -> None:
        self._tables, self._samples, self._most = tables, samples, most

    def make(
        self,
        name: str,
        ask: KeyedRelease,
        loss: Loss,
        delta: float = 0.0,
        dear: int = 1,
        pairs: tuple[tuple[Units, Units], ...] = NEARBY,
        listed: bool = True,
        cells: int = MOST_KEYS,
    ) -> AuditedPart:
        """Return a component: each input of each pair has as many keys as outputs are drawn on it.

        Where that is more keys than `cells` in one question, the same is asked several times.
        """
        used = choose_pairs(pairs, dear, self._most)
        blocks = tuple(chain.from_iterable(used))
        keys = min(max(FEWEST // 2, self._samples // dear // len(blocks)), cells // len(used))
        return AuditedPart(name, KeyDraws(ask, self._tables, blocks, keys, listed), used, loss, delta, dear, True)


def list_questions(tables: KeyedTables, samples: int, most: int | None = None) -> list[AuditedPart]:
    """Return questions of every kind, for so many outputs each."""
    made, pure = QuestionMaker(tables, samples, most), PureLoss(Fraction(EPSILON))
    leaky = ApproximateLoss(Fraction(EPSILON), Fraction(LEAK))
    joined = "t JOIN u ON t.person = u.person AND t.k = u.k"

    def ask(name: str, what: str, rows: str = "t", dear: int = DEAR, most: int | None = None) -> AuditedPart:
        asked = ask_sql(_write(what, rows), epsilon=EPSILON)
        return made.make(name, asked, pure, dear=dear, pairs=NEARBY[:most])

    def ask_rho(name: str, what: str) -> AuditedPart:
        return made.make(name, ask_sql(_write(what, "t"), rho=RHO), ZcdpLoss(Fraction(RHO)), SEEN_AT, DEAR)

    def show(name: str, what: str) -> AuditedPart:
        asked = ask_shown(f"SELECT k, {what} FROM t GROUP BY k", epsilon=EPSILON)
        return made.make(name, asked, leaky, LEAK, DEAR // 3, SHOWN, False)

    by_parts = ask_sql("SELECT high, low, COUNT(*) FROM t GROUP BY high, low", ("high", "low"), epsilon=EPSILON)
    return [
        made.make("COUNT(*) by a million keys", by_parts, pure),
        ask("COUNT(*)", "COUNT(*)"),
        ask_rho("COUNT(*) at a rho", "COUNT(*)"),
        ask("COUNT(DISTINCT unit)", "COUNT(DISTINCT t.person)"),
        ask("SUM", "SUM(t.x)"),
        ask_rho("SUM at a rho", "SUM(t.x)"),
        ask("COUNT and SUM together", "COUNT(*), SUM(t.x)"),
        ask("AVG", "AVG(t.x)"),
        ask("VAR_POP", "VAR_POP(t.x)"),
        ask("MEDIAN", "MEDIAN(t.x)", dear=10 * DEAR, most=2),
        ask("many quantiles", f"QUANTILE_CONT(t.x, [{SHARES}])", dear=20 * DEAR, most=2),
        ask("COUNT of a condition", "COUNT(*) FILTER (WHERE t.x > 4)"),
        ask("COUNT of a join", "COUNT(*)", joined, dear=2 * DEAR),
        ask("SUM of a join", "SUM(u.x)", joined, dear=2 * DEAR),
        show("keys of the data, by a threshold", "COUNT(*)"),
        show("keys of the data, selected", "SUM(x)"),
    ]


def _write(what: str, rows: str) -> str:
    return f"SELECT {rows[0]}.k AS k, {what} FROM {rows} GROUP BY {rows[0]}.k"
