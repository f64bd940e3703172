"""What a curator releases of columns and a secret, and what is guessed of people by what is known of their like."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from discreet.audit.attacks.asking import open_curator, write_policy
from discreet.base.errors import DiscreetError

Combination = tuple[str, ...]
"""Values of the columns that a register has as well."""
SecretCounts = Mapping[Combination, Counter[str]]
COUNTS, TOTALS = 0.8999, 0.1
"""The parts of epsilon that buy counts by columns and secret, and how many have each secret; the rest is spare."""


@dataclass(frozen=True, slots=True)
class ReleasedCounts:
    """Noisy counts that appeared: by columns and secret, and by the secret alone."""

    counts: dict[Combination, int]
    """The secret is the last value of each key."""
    totals: dict[str, int]
    guarantee: str
    """Of all of it together."""

    def find_usual(self) -> str | None:
        """Return the secret to guess of anybody: the most frequent by the totals, else by all counts; None without."""
        if self.totals:
            return find_most_frequent(self.totals)
        by_secret: Counter[str] = Counter()
        for row, number in self.counts.items():
            by_secret[row[-1]] += number
        return find_most_frequent(by_secret)


def find_most_frequent(counts: Mapping[str, int]) -> str | None:
    """Return the most frequent value; None where there is none.

    >>> find_most_frequent({"flu": 3, "none": 5})
    'none'
    """
    return max(counts, key=lambda name: counts[name], default=None)


def count_secrets(told: Iterable[tuple[Combination, str, int]]) -> dict[Combination, Counter[str]]:
    """Return how often each secret is there for each combination."""
    found: dict[Combination, Counter[str]] = defaultdict(Counter)
    for key, value, number in told:
        found[key][value] += number
    return dict(found)


def find_right(
    known: SecretCounts, usual: str | None, keys: Sequence[Combination], secrets: Sequence[str]
) -> float | None:
    """Return the share of secrets guessed right; None where nothing is known to guess from.

    The guess is the most frequent secret of those with the same combination, or the usual one where none of them is
    known.
    """
    if not known and usual is None:
        return None
    guesses = dict.fromkeys(keys, usual) | {key: find_most_frequent(counts) for key, counts in known.items()}
    right: int = sum(guesses[key] == secret for key, secret in zip(keys, secrets, strict=True))
    return right / len(secrets)


def release(
    held: dict[str, list[str]], columns: Sequence[str], secret: str, epsilon: float, delta: float
) -> ReleasedCounts:
    """Ask a curator for counts by all columns and the secret, and by the secret alone.

    Together they take epsilon and delta: the budget of a ledger that has no more.
    """
    names = [f"part_{place}" for place in range(len(columns))]
    longest = max(len(text) for name in (*columns, secret) for text in held[name])
    if longest > 1_000:
        raise DiscreetError("a value has more than 1,000 letters: no column to share; name others")
    table = {name: held[column] for name, column in zip(names, columns, strict=True)} | {"secret": held[secret]}
    more = f"key_delta = {delta / 5!r}"
    policy = write_policy(
        "people", "rows_are_units = true", size=len(held[secret]), epsilon=epsilon, delta=delta, more=more
    )
    listed = ", ".join(names)
    with open_curator(policy, people=table) as curator:
        by_all = curator.ask(
            f"SELECT {listed}, secret, COUNT(*) AS n FROM people GROUP BY {listed}, secret", epsilon * COUNTS
        )
        by_secret = curator.ask("SELECT secret, COUNT(*) AS n FROM people GROUP BY secret", epsilon * TOTALS)
    counts = {tuple(str(each) for each in row[:-1]): int(str(row[-1])) for row in by_all.rows}
    totals = {str(name): int(str(count)) for name, count in by_secret.rows}
    return ReleasedCounts(counts, totals, f"({epsilon:.12g}, {delta:.12g})-differentially private")
