"""Linkage: names are taken off a table, and a register with the same birth dates and postcodes puts them back.

Few people share all of a few harmless columns (Sweeney 2000). Whoever is alone with a combination is found by it, with
everything else in the row. A private release has no rows of people: a combination appears only where many share it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.audit.attacks.asking import LEAST_DELTA, check_delta, check_epsilon
from discreet.audit.attacks.pictures import draw_linkage
from discreet.audit.attacks.releasing import TOTALS, count_secrets, find_most_frequent, find_right, release
from discreet.audit.attacks.tables import check_names, check_table, find_texts
from discreet.audit.attacks.telling import (
    EXACT,
    write_caption,
    write_count,
    write_findings,
    write_guessed,
    write_share,
)
from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.showing import ShownAsText

DIAGNOSES = ("asthma", "diabetes", "flu", "none", "pregnancy")
LIKELY = (0.1, 0.1, 0.2, 0.55, 0.05)
SIZES = ((1, "1"), (2, "2"), (5, "3 to 5"), (20, "6 to 20"), (100, "21 to 100"))
MORE = "over 100"
SHOWN_TOTALS = 6
"""Values of the secret whose totals are told; of more, how many there are."""


@dataclass(frozen=True, repr=False)
class Linkage(ShownAsText):
    """Who is found by harmless columns in a table without names, and what a private release of it leaves."""

    columns: tuple[str, ...]
    secret: str
    people: int
    epsilon: float
    delta: float
    combinations: int
    """How many different ones of the columns there are; the secret is no part of them."""
    unique: int
    """How many belong to one person alone: each of these is found."""
    told: int
    """How many people's secret is told by their combination, since all who share it have the same one."""
    sizes: tuple[tuple[str, int], ...]
    """How many people share their combination with how many."""
    released: int
    """Counts by the columns and the secret that the curator released."""
    released_combinations: int
    """Combinations that these counts are of."""
    released_unique: int
    """Those of them that belong to one person alone in truth."""
    covered: int
    """People who are in a count that appears: with their combination, and with their secret."""
    guessed: tuple[float | None, float | None, float | None]
    """The share of secrets guessed right: from the table, from the curator's release, and from its totals alone.

    None where nothing appears that could be guessed from.
    """
    totals: tuple[tuple[str, int, int], ...]
    """For each secret, the true number of people and the curator's."""
    guarantee: str
    """Of all that the curator released, together."""
    words: str = "made-up people"
    own: bool = False
    """Whether it is a table of one's own."""

    def __str__(self) -> str:
        lines = [
            (
                "the table",
                f"{self.words}: {write_count(self.people, 'row')} without names, with {', '.join(self.columns)} and "
                f"the secret {self.secret}; the attacker has a register of names with the same columns",
            ),
            (
                "as it is",
                f"{write_count(self.combinations, 'combination')}, {self.unique:,} of them of one person alone: "
                f"{write_share(self.unique, self.people)} people are found by name. The secret of "
                f"{write_share(self.told, self.people)} is told, since all who share their combination have the same",
            ),
            (
                "the curator",
                f"counts by the same columns and the secret, at epsilon {self.epsilon:g} and delta {self.delta:.2g}: "
                f"{write_count(self.released, 'count')} appear{'s' * (self.released == 1)}, "
                f"of {write_count(self.released_combinations, 'combination')}, {self.released_unique:,} of them of one "
                f"person alone; {write_share(self.covered, self.people)} people are in a count that appears",
            ),
            ("best guesses", self._tell_guesses()),
            ("what is left", self._tell_totals()),
        ]
        note = (
            "The curator has a durable ledger; epsilon and delta are those of all its counts and totals together. A "
            "combination of one person appears with a probability of at most delta."
        )
        return write_findings("Linkage: names put back by harmless columns", lines, [note, *[EXACT] * self.own])

    def _tell_guesses(self) -> str:
        table, counts, totals = (write_guessed(each) for each in self.guessed)
        told = f"of a secret, always the most frequent, are right for {table} of the people from the table"
        if self.guessed[1] is None:
            return f"{told}. There are none from the curator: nothing appears that could be guessed from"
        alone = "no total appears" if self.guessed[2] is None else f"{totals} from its totals alone, whoever it is"
        return f"{told}, and {counts} from all that the curator released; {alone}"

    def _tell_totals(self) -> str:
        """Return how many have each value of the secret, as far as there is room, and how many more there are."""
        if not self.totals:
            return (
                f"no totals: {TOTALS:.2g} of epsilon is for them, and no value of the secret has enough people "
                "to appear at that"
            )
        shown = ", ".join(f"{noisy:,} {name} ({true:,})" for name, true, noisy in self.totals[:SHOWN_TOTALS])
        left = len(self.totals) - SHOWN_TOTALS
        rest = f", and {write_count(left, 'more value')} of the secret" if left > 0 else ""
        return f"totals, from {TOTALS:.2g} of epsilon: about {shown} (the truth in brackets){rest}"

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values."""
        return {
            "attack": "linkage",
            "table": self.words,
            "columns": list(self.columns),
            "secret": self.secret,
            "people": self.people,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "combinations": self.combinations,
            "unique_combinations": self.unique,
            "secrets_told": self.told,
            "people_by_sharing": dict(self.sizes),
            "released_counts": self.released,
            "released_combinations": self.released_combinations,
            "released_unique_combinations": self.released_unique,
            "people_covered": self.covered,
            "guessed_from_table": self.guessed[0],
            "guessed_from_curator": self.guessed[1],
            "guessed_from_totals": self.guessed[2],
            "totals": [{"value": name, "true": true, "noisy": noisy} for name, true, noisy in self.totals],
            "guarantee": self.guarantee,
            **({"for": EXACT} if self.own else {}),
        }

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw how many share their combination, and who is found; saved where a path is given."""
        bars = [
            ("found by name", self.unique / self.people, self.released_unique / self.people),
            ("secret guessed right", *self.guessed[:2]),
        ]
        alone = "of one person alone"
        there, released = (write_count(each, "combination") for each in (self.combinations, self.released_combinations))
        below = (
            f"{self.words}: {write_count(self.people, 'row')}, {there} of {', '.join(self.columns)}, {self.unique:,} "
            f"{alone}. The curator released {write_count(self.released, 'count')} by combination and {self.secret}, of "
            f"{released}, {self.released_unique:,} {alone}, at epsilon {self.epsilon:g} and delta {self.delta:.2g}."
        )
        drawn = write_caption(below, self.own)
        return draw_linkage(self.sizes, ", ".join(self.columns), bars, drawn, None if path is None else Path(path))


def make_register(people: int = 20_000, seed: int | None = None) -> dict[str, list[str]]:
    """Return made-up people with a birth date, a sex, a postcode and a diagnosis."""
    check.integer("people", people, least=2)
    chance = np.random.default_rng(seed)
    days = np.datetime64("2026-01-01") - chance.integers(1, 85 * 365, people)
    codes = 88_000 + np.minimum(chance.geometric(0.05, people), 200)
    return {
        "born": [str(each) for each in days],
        "sex": [str(each) for each in chance.choice(["f", "m"], people)],
        "postcode": [str(each) for each in codes],
        "diagnosis": [str(each) for each in chance.choice(DIAGNOSES, people, p=LIKELY)],
    }


def link(
    table: Any = None,
    columns: Sequence[str] = ("born", "sex", "postcode"),
    secret: str = "diagnosis",
    *,
    people: int = 20_000,
    epsilon: float = 1.0,
    delta: float | None = None,
    seed: int | None = None,
    words: str = "a table",
) -> Linkage:
    """Find people by columns that a register has as well, then in what a curator with a durable ledger releases.

    The curator is asked for counts by these columns and the secret. Nobody declares which combinations there are: they
    come from the data, by a private selection that pays delta, a thousandth of one person in all where it is not said.
    `words` name the table where it is told of.
    """
    check_epsilon(epsilon)
    held = make_register(people, seed) if table is None else read_columns(table, columns, secret)
    keys = list(zip(*(held[each] for each in columns), strict=True))
    secrets, count = held[secret], len(keys)
    miss = 0.001 / count if delta is None else check_delta(delta, count)
    if not miss:
        raise ParameterError("delta", delta, f"at least {LEAST_DELTA:g}: combinations out of the data need one")
    sharing = Counter(keys)
    secrets_of = count_secrets((key, value, 1) for key, value in zip(keys, secrets, strict=True))
    told = release(held, columns, secret, epsilon, miss)
    appearing = count_secrets((row[:-1], row[-1], number) for row, number in told.counts.items())
    guessed = (
        find_right(secrets_of, None, keys, secrets),
        find_right(appearing, told.find_usual(), keys, secrets),
        find_right({}, find_most_frequent(told.totals), keys, secrets),
    )
    true_totals = Counter(secrets)
    return Linkage(
        tuple(columns),
        secret,
        count,
        float(epsilon),
        miss,
        len(sharing),
        sum(each == 1 for each in sharing.values()),
        sum(len(secrets_of[key]) == 1 for key in keys),
        _count_sizes([sharing[key] for key in keys]),
        len(told.counts),
        len(appearing),
        sum(sharing[key] == 1 for key in appearing),
        sum((*key, value) in told.counts for key, value in zip(keys, secrets, strict=True)),
        guessed,
        tuple((name, true, told.totals[name]) for name, true in true_totals.most_common() if name in told.totals),
        told.guarantee,
        "made-up people" if table is None else words,
        table is not None,
    )


def read_columns(table: Any, columns: Sequence[str], secret: str) -> dict[str, list[str]]:
    """Return the columns that a register has as well, and the secret, as texts."""
    check_table(table)
    names = check_names("columns", columns)
    if secret in names:
        raise ParameterError("columns", list(columns), f"columns that are not the secret, which is {secret}")
    return {each: find_texts(table, each, "columns") for each in names} | {secret: find_texts(table, secret, "secret")}


def _count_sizes(sharing: Sequence[int]) -> tuple[tuple[str, int], ...]:
    """Return how many people share their combination with so many."""
    edges = [edge for edge, _ in SIZES]
    places = np.searchsorted(edges, np.asarray(sharing))
    names = [*(name for _, name in SIZES), MORE]
    return tuple((name, int(np.count_nonzero(places == place))) for place, name in enumerate(names))
