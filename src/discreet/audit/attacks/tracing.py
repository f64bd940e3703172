"""Tracing: whether somebody is in a study, from nothing but its published means.

Each mean leans a little towards everybody who is in it. One mean tells nothing; thousands of them together do (Homer
and others 2008; Dwork, Smith, Steinke, Ullman, Vadhan 2015). Who knows a person's attributes, and how frequent these
are elsewhere, adds up how far the means lean towards that person.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.audit.attacks.asking import ask_whole, open_curator, plan_whole, write_policy
from discreet.audit.attacks.guesses import bound_caught
from discreet.audit.attacks.pictures import draw_tracing
from discreet.audit.attacks.tables import check_names, find_texts
from discreet.audit.attacks.telling import (
    EXACT,
    find_standard_error,
    write_caption,
    write_count,
    write_findings,
    write_percent,
)
from discreet.base import check
from discreet.base.errors import DiscreetError, ParameterError
from discreet.base.grid import Floats
from discreet.base.showing import ShownAsText
from discreet.noise.coin import Bools

QUESTION = "SELECT attribute, COUNT(*) AS n FROM attributes GROUP BY attribute"
THRESHOLDS = (0.0, 1.0, 1.6449, 2.3263)
"""Scores from which somebody is taken for a member: of outsiders 50, 16, 5 and 1 % have them by chance."""


@dataclass(frozen=True, slots=True)
class TracedPeople:
    """Scores of members and of outsiders in each of several runs, a row for each run, as many of one as of the other.

    An outsider's score is 0 on average with a deviation of 1, whatever was released.
    """

    members: Floats
    outsiders: Floats

    @property
    def area(self) -> float:
        """The area under the curve: how often a member has a higher score than an outsider."""
        return float(np.mean([_find_area(*each) for each in zip(self.members, self.outsiders, strict=True)]))

    def find_caught(self, threshold: float) -> float:
        """Return the share of members that is taken for members."""
        return float(np.mean(self.members >= threshold))

    def find_alarms(self, threshold: float) -> float:
        """Return the share of outsiders that is taken for members."""
        return float(np.mean(self.outsiders >= threshold))

    def follow(self, alarms: Floats) -> list[float]:
        """Return the members caught where the threshold is such that there are so many false alarms."""
        thresholds = np.quantile(self.outsiders, 1 - alarms, method="inverted_cdf")
        pairs = zip(alarms, thresholds, strict=True)
        return [float(np.mean(self.members > each)) if rate < 1 else 1.0 for rate, each in pairs]

    def find_excess(self, threshold: float, epsilon: float, delta: float) -> tuple[float, float]:
        """Return by how much the members caught exceed e^epsilon times the false alarms plus delta, and its error.

        It is at most 0 on average where the means are (epsilon, delta)-differentially private: a threshold that was
        fixed before is an event. People of one run share one release, so the standard error is that of whole runs.
        """
        caught, alarms = ((each >= threshold).mean(axis=1) for each in (self.members, self.outsiders))
        excesses = [float(each) for each in caught - math.exp(epsilon) * alarms - delta]
        return math.fsum(excesses) / len(excesses), find_standard_error(excesses)


@dataclass(frozen=True, repr=False)
class Tracing(ShownAsText):
    """Who was told to be a member from published means: exact ones, and those of a curator."""

    words: str
    people: int
    attributes: int
    epsilon: float
    delta: float
    guarantee: str
    exact: TracedPeople
    guarded: TracedPeople
    own: bool = False
    """Whether it is a table of one's own."""

    @property
    def runs(self) -> int:
        """How many studies there were."""
        return len(self.exact.members)

    def __str__(self) -> str:
        lines = [
            (
                "the release",
                f"means of {write_count(self.attributes, 'attribute')} of {self.people:,} people ({self.words}); "
                f"{self.runs:,} {'study' if self.runs == 1 else 'studies'}, as many outsiders as members",
            ),
            (
                "the attack",
                "gives everybody a score, how far the means lean towards them, and calls those with the highest "
                "members. An outsider who is called one is a false alarm",
            ),
            ("exact means", self._tell(self.exact)),
            ("the curator", self._tell(self.guarded)),
            (
                "no attacker",
                f"catches more than {write_percent(self._bound(THRESHOLDS[3]))} of the members on average with 1 % "
                f"false alarms, or {write_percent(self._bound(THRESHOLDS[2]))} with 5 %: e^{self.epsilon:g} times as "
                f"many, and {self.delta:g}",
            ),
        ]
        note = (
            "Somebody who tosses coins is right in 50 % of the pairs, and catches as many members as outsiders. The "
            f"curator, which has a durable ledger, answered all counts as one question: {self.guarantee}."
        )
        return write_findings("Tracing: who is in a study, from its means", lines, [note, *[EXACT] * self.own])

    def _tell(self, traced: TracedPeople) -> str:
        told = [
            f"{write_percent(traced.find_caught(each))} with {write_percent(traced.find_alarms(each))} false alarms"
            for each in (THRESHOLDS[3], THRESHOLDS[2])
        ]
        pairs = (
            f"a member has the higher score in {write_percent(traced.area)} of all pairs of a member and an outsider"
        )
        return f"{pairs}. Of the members it catches {' and '.join(told)}"

    def _bound(self, threshold: float) -> float:
        return bound_caught(self.epsilon, self.delta, math.erfc(threshold / math.sqrt(2)) / 2)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values."""

        def tell(traced: TracedPeople) -> dict[str, Any]:
            rates = [
                {"threshold": each, "caught": traced.find_caught(each), "false_alarms": traced.find_alarms(each)}
                for each in THRESHOLDS
            ]
            return {"area": traced.area, "rates": rates}

        return {
            "attack": "tracing",
            "table": self.words,
            "people": self.people,
            "attributes": self.attributes,
            "runs": self.runs,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "guarantee": self.guarantee,
            "exact": tell(self.exact),
            "curator": tell(self.guarded),
            **({"for": EXACT} if self.own else {}),
        }

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw the scores on exact means, and members caught against false alarms; saved where a path is given."""
        alarms = np.linspace(0, 1, 201)
        curves = [
            (f"{name}, area {traced.area:.3f}", list(alarms), traced.follow(alarms))
            for name, traced in (("exact means", self.exact), ("the curator's means", self.guarded))
        ]
        most = [bound_caught(self.epsilon, self.delta, float(each)) for each in alarms]
        below = (
            f"Means of {write_count(self.attributes, 'attribute')} of {self.people:,} people ({self.words}); "
            f"{self.runs:,} {'study' if self.runs == 1 else 'studies'}. The curator: {self.guarantee}"
        )
        scores = (self.exact.members.ravel(), self.exact.outsiders.ravel())
        bound = (f"the most at epsilon {self.epsilon:g}", list(alarms), most)
        drawn = write_caption(below, self.own)
        return draw_tracing(*scores, curves, bound, drawn, None if path is None else Path(path))


def encode_attributes(table: Any, columns: Sequence[str]) -> Bools:
    """Return which values each row has: a column of bits for every value of every column named."""
    bits = []
    for column in check_names("columns", columns):
        texts = np.array(find_texts(table, column, "columns"))
        bits += [texts == value for value in np.unique(texts)]
    return np.stack(bits, axis=1)


def trace(
    rows: Bools | None = None,
    words: str = "made-up attributes",
    *,
    people: int = 100,
    attributes: int = 5_000,
    runs: int = 1,
    epsilon: float = 1.0,
    delta: float = 1e-6,
    seed: int | None = None,
) -> Tracing:
    """Tell members of a study from outsiders by its means, exact ones and those of a curator with a durable ledger.

    `rows` are bits of people, a column for each attribute: in every run some are drawn as members, as many as
    outsiders, and the others are what the attacker knows of the world. Without them, people are made up from known
    frequencies. The size of the study is public: neighbours are those of replacing one person.
    """
    check.integer("people", people, least=2)
    plan_whole(epsilon, delta, people)  # so that what cannot be asked is refused first
    check.integer("runs", runs, least=1)
    if rows is not None and not (isinstance(rows, np.ndarray) and rows.ndim == 2 and rows.dtype == bool):
        raise ParameterError.of_data("rows", rows, "an array of bits, as encode_attributes(table, columns) returns it")
    if rows is not None and len(rows) < 3 * people:
        raise DiscreetError(
            f"the table has {len(rows):,} rows, and {3 * people:,} are needed: members, outsiders and at least as many "
            "others whom the attacker knows. Name fewer people"
        )
    chance = np.random.default_rng(seed)
    width = check.integer("attributes", attributes, least=1) if rows is None else rows.shape[1]
    exact: list[tuple[Floats, Floats]] = []
    guarded: list[tuple[Floats, Floats]] = []
    guarantee = ""
    for _ in range(runs):
        if rows is None:
            known = chance.uniform(0.05, 0.95, width)
            members, outsiders = (chance.random((people, width)) < known for _ in range(2))
            most = width
        else:
            order = chance.permutation(len(rows))
            members, outsiders = rows[order[:people]], rows[order[people : 2 * people]]
            known = rows[order[2 * people :]].mean(axis=0)
            most = int(rows.sum(axis=1).max())
        means = members.mean(axis=0)
        exact.append((score_people(members, means, known), score_people(outsiders, means, known)))
        told, guarantee = ask_curator(members, most, epsilon, delta)
        guarded.append((score_people(members, told, known), score_people(outsiders, told, known)))
    bare, safe = (
        TracedPeople(np.array([each for each, _ in side]), np.array([each for _, each in side]))
        for side in (exact, guarded)
    )
    spent = (float(epsilon), float(delta))
    return Tracing(words, people, width, *spent, guarantee, bare, safe, own=rows is not None)


def score_people(rows: Bools, means: Floats, known: Floats) -> Floats:
    """Return how far means lean towards each person, in deviations of somebody who is not in them."""
    leaning = means - known
    scale = math.sqrt(float((leaning**2 * known * (1 - known)).sum()))
    return np.asarray((rows - known) @ leaning / (scale or 1.0), dtype=np.float64)


def ask_curator(members: Bools, most: int, epsilon: float, delta: float) -> tuple[Floats, str]:
    """Ask a curator how many people have each attribute; return the means and what they guarantee."""
    people, width = members.shape
    person, attribute = np.nonzero(members)
    table = (
        f'unit = "person"\nmax_rows = {most}\nmax_rows_per_group = 1\n'
        f"[tables.attributes.columns]\nattribute = {{ lower = 0, upper = {max(1, width - 1)} }}"
    )
    budget = plan_whole(epsilon, delta, people)
    policy = write_policy("attributes", table, size=people, neighbours="replace", **budget)
    with open_curator(policy, attributes={"person": person, "attribute": attribute}) as curator:
        answer = ask_whole(curator, QUESTION, epsilon)
    counts = np.zeros(max(2, width))
    for place, count in answer.rows:
        counts[int(str(place))] = int(str(count))
    return counts[:width] / people, answer.guarantee


def _find_area(members: Floats, outsiders: Floats) -> float:
    """Return how often the first is above the second; a tie counts half."""
    ordered = np.sort(outsiders)
    below = np.searchsorted(ordered, members, side="left") + np.searchsorted(ordered, members, side="right")
    return float(below.mean() / 2 / len(ordered))
