"""Whom an attack is about: people of somebody's own table, or made-up ones."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.base import check
from discreet.base.errors import DiscreetError, ParameterError
from discreet.base.wide import Ints
from discreet.noise.coin import Bools
from discreet.query.catalog import suggest_name

ENDINGS = (".csv", ".parquet")
SHOWN_VALUES = 6
MISSING = "(missing)"
"""What stands for a NULL where values are compared as texts."""


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


def read_people(path: str | Path) -> Any:
    """Return a table of one's own, from a csv or parquet file, as Arrow has it."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    place = Path(path)
    ending = place.suffix.lower()
    if ending not in ENDINGS:
        raise ParameterError("--table", str(path), f"a file that ends in {' or '.join(ENDINGS)}")
    if not place.is_file():
        raise DiscreetError(f"there is no file {place}")
    try:
        table = pyarrow.csv.read_csv(place) if ending == ".csv" else pyarrow.parquet.read_table(place)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as trouble:
        reason = str(trouble).partition("\n")[0][:120]
        raise DiscreetError(f"{place} cannot be read as {ending[1:]} ({reason})") from None
    if not table.num_rows:
        raise DiscreetError(f"{place} has no rows")
    return table


def find_texts(table: Any, column: str) -> list[str]:
    """Return a column as texts: what people compare."""
    import pyarrow as pa

    if column not in table.column_names:
        hint = suggest_name(column, table.column_names)
        meant = f" ({hint})" if hint.startswith("did you mean") else ""
        raise ParameterError("column", column, f"one of {', '.join(table.column_names)}{meant}")
    try:
        texts = table.column(column).cast(pa.string()).to_pylist()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise DiscreetError(f"column {column} holds no plain values; name another") from None
    return [MISSING if each is None else str(each) for each in texts]


def find_secret(table: Any, column: str, value: str | None = None) -> Secret:
    """Return who has a value in a column; without a value, the column must be true and false, or 1 and 0."""
    texts = find_texts(table, column)
    different = sorted(set(texts))
    wanted = value
    if wanted is None:
        wanted = next((word for word in ("true", "1") if word in different), None)
        if wanted is None or not set(different) <= {"true", "false", "1", "0", MISSING}:
            raise DiscreetError(f"say which value of {column} is the secret, with --value: {_list_values(different)}")
    elif wanted not in different:
        raise ParameterError("--value", value, f"a value of {column}: {_list_values(different)}")
    bits = np.array([each == wanted for each in texts])
    if bits.all():
        raise DiscreetError(f"everybody has {column} = {wanted}: that is no secret; name another value or column")
    return Secret(bits, f"{column} = {wanted}")


def _list_values(different: list[str]) -> str:
    shown = ", ".join(different[:SHOWN_VALUES])
    return shown if len(different) <= SHOWN_VALUES else f"{shown}, or one of {len(different) - SHOWN_VALUES:,} others"
