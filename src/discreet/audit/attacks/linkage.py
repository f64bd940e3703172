"""Linkage: names are taken off a table, and a register with the same birth dates and postcodes puts them back.

Few people share all of a few harmless columns (Sweeney 2000). Whoever is alone with a combination is found by it, with
everything else in the row. A private release has no rows of people: a combination appears only where many share it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.audit.attacks.asking import open_curator, write_policy
from discreet.audit.attacks.people import find_texts
from discreet.audit.attacks.pictures import draw_linkage
from discreet.audit.attacks.telling import write_count, write_findings, write_percent, write_share
from discreet.base import check
from discreet.base.errors import DiscreetError, ParameterError
from discreet.base.showing import ShownAsText

DIAGNOSES = ("asthma", "diabetes", "flu", "none", "pregnancy")
LIKELY = (0.1, 0.1, 0.2, 0.55, 0.05)
SIZES = ((1, "1"), (2, "2"), (5, "3 to 5"), (20, "6 to 20"), (100, "21 to 100"))
MORE = "over 100"
SHOWN_TOTALS = 6
"""Values of the secret whose totals are told; of more, how many there are."""
Combination = tuple[str, ...]
COMBINATIONS, TOTALS = 0.8999, 0.1
"""The parts of epsilon that buy counts of combinations, and how many have each secret; the rest is for rounding."""


@dataclass(frozen=True, repr=False)
class Linkage(ShownAsText):
    """Who is found by harmless columns in a table without names, and what a private release of it leaves."""

    columns: tuple[str, ...]
    secret: str
    people: int
    epsilon: float
    delta: float
    combinations: int
    """How many different ones there are."""
    unique: int
    """How many belong to one person alone: each of these is found."""
    told: int
    """How many people's secret is told by their combination, since all who share it have the same one."""
    sizes: tuple[tuple[str, int], ...]
    """How many people share their combination with how many."""
    released: int
    """Combinations of columns and secret that the curator released."""
    released_unique: int
    """Those of them that belong to one person alone in truth."""
    covered: int
    """People whose combination appears in the release."""
    guessed: tuple[float, float, float]
    """The share of secrets guessed right: from the table, from the curator's release, and from its totals alone."""
    totals: tuple[tuple[str, int, int], ...]
    """For each secret, the true number of people and the curator's."""
    guarantee: str

    def __str__(self) -> str:
        lines = [
            (
                "the table",
                f"{self.people:,} rows without names, with {', '.join(self.columns)} and the secret {self.secret}; the "
                "attacker has a register of names with the same columns",
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
                f"{write_count(self.released, 'combination')} appear{'s' * (self.released == 1)}, "
                f"{self.released_unique:,} of one person alone; "
                f"{write_share(self.covered, self.people)} people have one that appears, with noise in its count",
            ),
            (
                "best guesses",
                f"of a secret are right for {write_percent(self.guessed[0])} of the people from the table, "
                f"{write_percent(self.guessed[1])} from the curator's counts, and {write_percent(self.guessed[2])} "
                "from its totals alone, whoever it is",
            ),
            ("what is left", self._tell_totals()),
        ]
        note = (
            "The curator has a durable ledger; epsilon and delta are those of all its counts together. A combination "
            "of one person appears with a probability of at most delta."
        )
        return write_findings("Linkage: names put back by harmless columns", lines, [note])

    def _tell_totals(self) -> str:
        """Return how many have each value of the secret, as far as there is room, and how many more there are."""
        if not self.totals:
            return "no value of the secret that enough people have to appear at this epsilon"
        shown = ", ".join(f"{noisy:,} {name} ({true:,})" for name, true, noisy in self.totals[:SHOWN_TOTALS])
        left = len(self.totals) - SHOWN_TOTALS
        rest = f", and {write_count(left, 'more value')} of the secret" if left > 0 else ""
        return f"about {shown} (the truth in brackets){rest}"

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values."""
        return {
            "attack": "linkage",
            "columns": list(self.columns),
            "secret": self.secret,
            "people": self.people,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "combinations": self.combinations,
            "unique_combinations": self.unique,
            "secrets_told": self.told,
            "people_by_sharing": dict(self.sizes),
            "released_combinations": self.released,
            "released_unique_combinations": self.released_unique,
            "people_covered": self.covered,
            "guessed_from_table": self.guessed[0],
            "guessed_from_curator": self.guessed[1],
            "guessed_from_totals": self.guessed[2],
            "totals": [{"value": name, "true": true, "noisy": noisy} for name, true, noisy in self.totals],
            "guarantee": self.guarantee,
        }

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw how many share their combination, and who is found; saved where a path is given."""
        bars = [
            ("found by name", self.unique / self.people, self.released_unique / self.people),
            ("secret guessed right", *self.guessed[:2]),
        ]
        below = (
            f"{self.people:,} rows, {self.combinations:,} combinations, {self.unique:,} of one person alone. The "
            f"curator released {self.released:,} combinations, {self.released_unique:,} of one person alone, at "
            f"epsilon {self.epsilon:g} and delta {self.delta:.2g}."
        )
        return draw_linkage(self.sizes, ", ".join(self.columns), bars, below, None if path is None else Path(path))


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
) -> Linkage:
    """Find people by columns that a register has as well, then in what a curator with a durable ledger releases.

    The curator is asked for counts by these columns and the secret. Nobody declares which combinations there are: they
    come from the data, by a private selection that pays delta, a thousandth of one person in all where it is not said.
    """
    check.positive("epsilon", epsilon)
    if not columns or secret in columns:
        raise ParameterError("columns", list(columns), "one or more columns that are not the secret")
    if len(set(columns)) != len(columns):
        raise ParameterError("columns", list(columns), "columns that are named once each")
    held = make_register(people, seed) if table is None else {n: find_texts(table, n) for n in (*columns, secret)}
    keys = list(zip(*(held[each] for each in columns), strict=True))
    secrets, count = held[secret], len(keys)
    miss = 0.001 / count if delta is None else float(check.real("delta", delta, above=0, below=1))
    sharing = Counter(keys)
    secrets_of = _count_secrets((key, value, 1) for key, value in zip(keys, secrets, strict=True))
    released, totals, guarantee = _release(held, columns, secret, epsilon, miss)
    appearing = _count_secrets((row[:-1], row[-1], number) for row, number in released.items())
    usual = max(totals, key=lambda name: totals[name], default="")
    guesses = [[_guess(known, key, usual) for key in keys] for known in (secrets_of, appearing, {})]
    right = [sum(map(str.__eq__, each, secrets)) / count for each in guesses]
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
        len(released),
        sum(sharing[key] == 1 for key in appearing),
        sum(key in appearing for key in keys),
        (right[0], right[1], right[2]),
        tuple((name, true, totals.get(name, 0)) for name, true in true_totals.most_common() if name in totals),
        guarantee,
    )


def _count_secrets(told: Iterable[tuple[Combination, str, int]]) -> dict[Combination, Counter[str]]:
    """Return how often each secret is there for each combination."""
    found: dict[Combination, Counter[str]] = defaultdict(Counter)
    for key, value, number in told:
        found[key][value] += number
    return dict(found)


def _guess(known: dict[Combination, Counter[str]], key: Combination, usual: str) -> str:
    """Return the most frequent secret of a combination, or the usual one where nothing is known of it."""
    return known[key].most_common(1)[0][0] if key in known else usual


def _count_sizes(sharing: Sequence[int]) -> tuple[tuple[str, int], ...]:
    """Return how many people share their combination with so many."""
    edges = [edge for edge, _ in SIZES]
    places = np.searchsorted(edges, np.asarray(sharing))
    names = [*(name for _, name in SIZES), MORE]
    return tuple((name, int(np.count_nonzero(places == place))) for place, name in enumerate(names))


def _release(
    held: dict[str, list[str]], columns: Sequence[str], secret: str, epsilon: float, delta: float
) -> tuple[dict[Combination, int], dict[str, int], str]:
    """Ask for counts by all columns and the secret, and by the secret alone; return both and the first's guarantee."""
    names = [f"part_{place}" for place in range(len(columns))]
    longest = max(len(text) for name in (*columns, secret) for text in held[name])
    if longest > 1_000:
        raise DiscreetError("a value has more than 1,000 letters: no column to share; name others")
    table = {name: held[column] for name, column in zip(names, columns, strict=True)} | {"secret": held[secret]}
    more = f"key_delta = {delta / 5!r}"
    how = {"size": len(held[secret]), "epsilon": epsilon, "delta": delta, "more": more}
    policy = write_policy("people", "rows_are_units = true", **how)  # type: ignore[arg-type]
    listed = ", ".join(names)
    with open_curator(policy, people=table) as curator:
        by_all = curator.ask(
            f"SELECT {listed}, secret, COUNT(*) AS n FROM people GROUP BY {listed}, secret", epsilon * COMBINATIONS
        )
        by_secret = curator.ask("SELECT secret, COUNT(*) AS n FROM people GROUP BY secret", epsilon * TOTALS)
    counts = {tuple(str(each) for each in row[:-1]): int(str(row[-1])) for row in by_all.rows}
    return counts, {str(name): int(str(count)) for name, count in by_secret.rows}, by_all.guarantee
