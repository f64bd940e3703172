"""Whom an attack is about: people of somebody's own table, or made-up ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.audit.attacks.tables import MISSING, find_texts, write_text
from discreet.base import check
from discreet.base.errors import DiscreetError, ParameterError
from discreet.base.wide import Ints
from discreet.noise.coin import Bools

SHOWN_VALUES = 6


@dataclass(frozen=True, slots=True)
class Secret:
    """A bit of every person, and what it means in words."""

    bits: Bools
    words: str

    def draw(self, count: int, chance: np.random.Generator, again: bool = False) -> Ints:
        """Return the places of people of whom a fair coin said, one by one, whether they have the secret.

        Then nothing but a release tells anything of a bit, whatever the share of those who have it: what bounds say of
        right guesses holds for such people. `again` lets somebody be drawn twice.
        """
        check.integer("people", count, least=1)
        coins = chance.random(count) < 0.5
        places = np.empty(count, dtype=np.int64)
        for bit in (False, True):
            there, wanted = np.flatnonzero(self.bits == bit), int(np.count_nonzero(coins == bit))
            if len(there) < (1 if again else wanted):
                have = "do not have" if not bit else "have"
                raise DiscreetError(
                    f"{len(there):,} people of the table {have} the secret ({self.words}), and {wanted:,} who do are "
                    "needed: a fair coin says of each drawn person which kind it is. Draw fewer people"
                )
            places[coins == bit] = chance.choice(there, wanted, replace=again)
        return places


def make_secret(count: int, chance: np.random.Generator) -> Secret:
    """Return made-up people, of whom each has the secret or not by a fair coin."""
    check.integer("people", count, least=2)
    bits = chance.random(count) < 0.5
    bits[:2] = (True, False)
    return Secret(bits, "a made-up bit")


def check_secret(secret: object) -> Secret:
    """Return a secret, or say how to get one."""
    if not isinstance(secret, Secret):
        raise ParameterError.of_data("secret", secret, "a Secret, as find_secret(table, column, value) returns it")
    return secret


def find_secret(table: Any, column: str, value: str | None = None, *, name: str = "") -> Secret:
    """Return who has a value in a column; without a value, the column must be true and false, or 1 and 0.

    What is told of the secret says its column, its value and, where one is given, the name of the table.
    """
    texts = find_texts(table, column)
    different = sorted(set(texts))
    wanted = value if value is None or isinstance(value, str) else write_text(value)
    if wanted is None:
        wanted = next((word for word in ("true", "1") if word in different), None)
        if wanted is None or not set(different) <= {"true", "false", "1", "0", MISSING}:
            values = _list_values(different)
            raise ParameterError("value", value, f"given, since it says who has the secret {column}: {values}")
    elif wanted not in different:
        raise ParameterError("value", value, f"a value of {column}: {_list_values(different)}")
    bits = np.array([each == wanted for each in texts])
    if bits.all():
        raise DiscreetError(f"everybody has {column} = {wanted}: that is no secret; name another value or column")
    return Secret(bits, f"{column} = {wanted}{f' in {name}' * bool(name)}")


def _list_values(different: list[str]) -> str:
    shown = ", ".join(different[:SHOWN_VALUES])
    return shown if len(different) <= SHOWN_VALUES else f"{shown}, or one of {len(different) - SHOWN_VALUES:,} others"
