"""A person's client: makes reports, and keeps the ledger of what they tell."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

from .coins import Coins, check_count
from .errors import ClientError
from .mechanism import Mechanism
from .metric import SYSTEM, Metric
from .report import Report, read_report
from .store import ClientStore, Diary, Page, Told

MOST_LIFETIMES = 10**8


class ClientSpending(NamedTuple):
    """What a person's reports of one metric told at most: epsilon in all and on one day, and how many they were.

    Reports beyond a cap tell nothing, and are not among them.
    """

    whole: Fraction
    day: Fraction
    reports: int


class Client:
    """A person's client. Every report is counted, durably, before it is handed out.

    Guarantee: the reports of a metric tell at most its `lifetime` in all, and those of any one day, looked at alone, at
    most `daily`, whatever the values were; versions of a metric share one account. Where noise is permanent, reports
    of other days say more about this day's value than it says itself: what they tell together is the lifetime's. At
    a cap the client goes on sending: a report of nothing, or the last one again where noise is permanent. So whether
    and when something is sent never depends on values. A file that was lost or damaged starts a new lifetime, with a
    new secret and new caps: `lifetime` counts them, and a person told at most `lifetime` times the caps.
    """

    def __init__(self, store: ClientStore, metrics: Iterable[Metric], coins: Coins = SYSTEM) -> None:
        self._store, self._coins, self.metrics = store, coins, dict[str, Metric]()
        for metric in metrics:
            if metric.name in self.metrics:
                raise ClientError(f"there are two metrics {metric.name!r}; give each a name of its own")
            self.metrics[metric.name] = metric

    @classmethod
    def open(cls, path: str | os.PathLike[str], metrics: Iterable[Metric], lifetimes: int = 0) -> Client:
        """Open the client whose file is at a path, or start a new lifetime there.

        `lifetimes` is how many are known to have ended, where an application can remember that elsewhere.
        """
        store = ClientStore(path)
        found = cls(store, metrics)
        store.start(check_count("lifetimes", lifetimes, 0, MOST_LIFETIMES))
        return found

    @property
    def lifetime(self) -> int:
        """Which lifetime this is, as far as it is known."""
        with self._store.open() as diary:
            return diary.lifetime

    def report(self, name: str, value: Any, day: dt.date | str | None = None) -> Report:
        """Return a report of a value to send, which is counted on a day: today in UTC, if left out."""
        metric, date = self._find(name), _read_day(day)
        with self._store.open() as diary:
            page = open_page(diary, metric)
            whole, today = page.whole, page.days.get(date, Told())
            later = count_report(whole, metric.mechanism), count_report(today, metric.mechanism)
            if not (fits(later[0], metric.lifetime) and fits(later[1], metric.daily)):
                return self._report_nothing(metric, page)
            page.whole, page.days[date] = later
            secret = diary.derive_secret(metric.name, metric.version, page.generation)
            report = metric.wrap(metric.mechanism.recall(metric.place(value), secret, self._coins))
            if metric.mechanism.remembers:
                page.last = report.to_bytes().hex()
            self._store.save(diary)
            return report

    def sum_spending(self, name: str, day: dt.date | str | None = None) -> ClientSpending:
        """Return what was told of a metric so far, and on a day: today in UTC, if left out."""
        metric, date = self._find(name), _read_day(day)
        with self._store.open() as diary:
            page = open_page(diary, metric)
            return ClientSpending(page.whole.spent, page.days.get(date, Told()).spent, page.whole.sent)

    def _report_nothing(self, metric: Metric, page: Page) -> Report:
        """Return what is sent at a cap, without a look at the value: it tells nothing that was not told before.

        A report of nothing has no permanent noise of this person, which later reports could be compared with.
        """
        if page.last is not None:
            return read_report(bytes.fromhex(page.last))
        return metric.encode(None, self._coins)

    def _find(self, name: str) -> Metric:
        if name not in self.metrics:
            raise ClientError(f"there is no metric {name!r}; there are {', '.join(sorted(self.metrics)) or 'none'}")
        return self.metrics[name]


def open_page(diary: Diary, metric: Metric) -> Page:
    """Return a metric's page. Other parameters than before start a new generation.

    Its permanent noise is independent of what was told before, so what both tell adds up: reports are counted from one
    again, and what was spent stays spent.
    """
    parameters = metric.parameters.hex()
    page = diary.pages.setdefault(metric.name, Page(parameters))
    if page.parameters != parameters:
        days = {day: Told(told.spent) for day, told in page.days.items()}
        page = Page(parameters, page.generation + 1, Told(page.whole.spent), days)
        diary.pages[metric.name] = page
    return page


def count_report(told: Told, mechanism: Mechanism) -> Told:
    """Return what is told with one more report."""
    more = mechanism.sum_epsilon(told.sent + 1) - mechanism.sum_epsilon(told.sent)
    return Told(told.spent + more, told.sent + 1)


def fits(told: Told, cap: float | None) -> bool:
    """Say whether what is told is within a cap."""
    return cap is None or told.spent <= Fraction(cap)


def _read_day(day: object) -> str:
    if day is None:
        return dt.datetime.now(dt.UTC).date().isoformat()
    try:
        if isinstance(day, str):
            day = dt.date.fromisoformat(day)
        if isinstance(day, dt.date):
            return dt.date(day.year, day.month, day.day).isoformat()
    except ValueError:
        pass
    raise ClientError(f"day is {day!r}; write a date such as 2026-03-01")
