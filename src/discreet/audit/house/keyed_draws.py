"""Draws by key: one table holds many small ones, each under a key of its own, and one question looks at all of them.

Every input of every pair has a block of keys, and under each key of the block are the units of that input; no unit is
under two keys. So what a question says of the keys of two blocks are independent draws on two neighbours, and what is
claimed for them is the whole price of the question. The first inputs of all pairs lie in one table and the second ones
in another: what follows a whole table, such as noise by its largest unit, would be the same for both in one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from discreet.audit.attacks.asking import open_curator, write_policy
from discreet.base.grid import Floats
from discreet.curator import Curator

Unit = tuple[float, ...]
"""The values of one unit's rows."""

Units = tuple[Unit, ...]
"""The units under one key."""

DELTA = 1e-3
LEAK = DELTA / 100
"""The delta of one question."""
MORE = f"question_delta = {LEAK}"
BUDGET = 10_000.0
"""Enough for all questions, and so little that one is worth more than the least share of it."""

UNIT_ROWS = """
unit = "person"
max_rows = 3
max_groups = 1
[tables.{name}.columns]
person = {{ type = "integer" }}
k = {key}
high = {{ type = "integer", lower = 0, upper = {high} }}
low = {{ type = "integer", lower = 0, upper = {low} }}
x = {{ type = "float", lower = 0.0, upper = 8.0, step = 1.0 }}
"""

PARTS = 1_000
"""A key is `high * PARTS + low`, too: of two columns a question may have more public keys than of one."""

KeyedRelease = Callable[[Curator, int], Floats]
"""Asks a curator about so many keys and returns what it said of each, a row for each key in their order."""


@dataclass(slots=True)
class KeyedTables:
    """Curators over tables of keys: one for all questions about the same blocks, closed with the stack."""

    stack: ExitStack
    _open: dict[Any, Curator] = field(default_factory=dict)

    def find(self, blocks: Sequence[Units], keys: int, listed: bool) -> Curator:
        """Return the curator over these inputs, each under so many keys: public ones, or texts of the data."""
        name = tuple(blocks), keys, listed
        if name not in self._open:
            self._open[name] = self.stack.enter_context(_make(blocks, keys, listed))
        return self._open[name]


@dataclass(slots=True)
class KeyDraws:
    """A component whose outputs are what is said of keys."""

    ask: KeyedRelease
    tables: KeyedTables
    blocks: tuple[Units, ...]
    """The inputs of all pairs, first and second in turn; one that is in two pairs is there twice."""
    keys: int
    """Keys of each block."""
    listed: bool = True
    """Whether keys are public."""
    _left: dict[Units, Floats] = field(default_factory=dict)

    def __call__(self, given: Units, count: int) -> Any:
        """Return so many draws on an input; none is returned twice."""
        parts, missing = [], count
        while missing:
            if not len(self._left.get(given, ())):
                self._refill(given)
            parts.append(self._left[given][:missing])
            self._left[given] = self._left[given][missing:]
            missing -= len(parts[-1])
        return np.concatenate(parts)

    def _refill(self, given: Units) -> None:
        """Ask about all inputs of one side, and keep what was said of each beside what was left from before."""
        sides = self.blocks[0::2], self.blocks[1::2]
        blocks = next((side for side in sides if given in side), (given,))
        curator = self.tables.find(blocks, self.keys, self.listed)
        rows = self.ask(curator, self.keys * len(blocks))
        for place, each in enumerate(blocks):
            fresh = rows[place * self.keys : (place + 1) * self.keys]
            kept = self._left.get(each)
            self._left[each] = fresh if kept is None else np.concatenate([kept, fresh])


def ask_sql(question: str, keys: tuple[str, ...] = ("k",), **price: Any) -> KeyedRelease:
    """Return a question by public keys, asked anew each time: numbers, and -1e6 for NULL."""

    def ask(curator: Curator, count: int) -> Floats:
        answer = curator.ask(question, **price, fresh=True)
        order = np.lexsort([np.array(answer[key]) for key in reversed(keys)])
        columns = [_read_numbers(answer[name]) for name in answer.names if name not in keys]
        return np.stack(columns, axis=1)[order][:count]

    return ask


def ask_shown(question: str, **price: Any) -> KeyedRelease:
    """Return a question by keys of the data, of which is told whether each is shown: 1 or 0."""

    def ask(curator: Curator, keys: int) -> Floats:
        shown = np.array(curator.ask(question, **price, fresh=True)["k"], str)
        return np.isin(np.arange(keys).astype(str), shown).astype(np.float64)[:, None]

    return ask


def _read_numbers(values: list[Any]) -> Floats:
    """Return a column of an answer as floats, with -1e6 for NULL."""
    return np.array([-1e6 if value is None else value for value in values], np.float64)


@contextmanager
def _make(blocks: Sequence[Units], keys: int, listed: bool) -> Iterator[Curator]:
    """Open a curator over two tables, t and u, with the same rows."""
    parts, people = [], 0
    for place, units in enumerate(blocks):
        lengths = [len(unit) for unit in units]
        person = np.repeat(np.arange(len(units)), lengths)
        persons = people + (np.arange(keys)[:, None] * max(1, len(units)) + person).ravel()
        values = np.tile(np.array([value for unit in units for value in unit], np.float64), keys)
        parts.append((persons, np.repeat(np.arange(keys) + place * keys, sum(lengths)), values))
        people += keys * max(1, len(units))
    persons, owned, values = (np.concatenate(each) for each in zip(*parts, strict=True))
    last = len(blocks) * keys - 1
    key = f'{{ type = "integer", lower = 0, upper = {last} }}' if listed else '{ type = "text" }'
    columns = {"person": persons, "k": owned if listed else owned.astype(str), "x": values}
    columns |= {"high": owned // PARTS, "low": owned % PARTS}
    high, low = max(1, last // PARTS), PARTS - 1
    one, other = (UNIT_ROWS.format(name=name, key=key, high=high, low=low) for name in ("t", "u"))
    policy = write_policy("t", one, size=10, epsilon=BUDGET, delta=DELTA, more=MORE)
    policy += '[tables.u]\nsource = "u.parquet"\nversion = "1"\nsize = 10\n' + other
    with open_curator(policy, t=columns, u=columns) as curator:
        yield curator
