"""Counts of online columns on generated neighbours: units cut before the filter, and whichever way answers them.

The way itself, the notes, charges and the ledger must be the same on neighbours: only noisy numbers may differ.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import discreet.synthetic.online  # noqa: F401 (its route is there from now on)
from discreet.plan.relations import Scan
from hostile.asking import Case
from hostile.judging import judged
from hostile.seeing import opened, same_seen
from hostile.world import World, world

SHARES, WORLDS, QUESTIONS = 2, 2, 12


def make_online(seed: int) -> World:
    """Return the world of a seed whose first table cuts units to max_rows alone and has online columns."""
    made = world(seed)
    before, place, after = made.policy.partition("[tables.a]\n")
    part, following = re.split(r"^(?=\[(?!tables\.a\.))", after, maxsplit=1, flags=re.MULTILINE)
    part = re.sub(r"^(max_\w+|unique) = .*\n", "", part, flags=re.MULTILINE)
    columns = [each.sql[1:-1].replace('""', '"') for each in _list_online(made)]
    online = f"[tables.a.online]\ncolumns = {columns}\nepsilon = 500.0\n"
    return replace(made, policy=f"{before}{place}max_rows = {seed % 4 + 1}\n{part}{online}{following}")


def ask_online(made: World, count: int) -> Iterator[Case]:
    """Yield counts of the first table with conditions on its online columns, some with keys or tighter limits."""
    rng = random.Random(f"online {made.seed}")
    age, ward = (each.sql for each in _list_online(made))
    terms = [
        f"{ward} = 'north'",
        f"{ward} IN ('south', 'icu')",
        f"{age} BETWEEN 2 AND 7",
        f"{age} IN (0, 1, 9)",
        f"{ward} IS NULL",
        f"{age} % 2 = 1",
        f"NOT ({age} < 3)",
    ]
    for place in range(count):
        where = " AND ".join(rng.sample(terms, rng.choice([0, 1, 1, 2]))) or "TRUE"
        key = rng.choice(["", "", ward, age])
        select, group = (f"{key} AS k, ", f" GROUP BY {key}") if key else ("", "")
        limits = {"max_rows": 1} if rng.random() < 0.1 else {}
        text = f"SELECT {select}COUNT(*) AS n FROM a WHERE {where}{group}"
        yield Case(made.seed, place, text, frozenset(), limits=limits)


def _list_online(made: World) -> list:  # type: ignore[type-arg]
    first = made.tabs[0]
    return [
        next(each for each in first.columns if re.search(rf"\b{word}|{word}", each.sql)) for word in ("age", "ward")
    ]


@pytest.mark.slow
@pytest.mark.parametrize("share", range(SHARES))
def test_no_count_of_online_columns_tells_neighbours_apart(share: int, tmp_path: Path) -> None:
    ways: Counter[str] = Counter()
    cut = over = 0
    for seed in range(share * WORLDS, (share + 1) * WORLDS):
        made = make_online(seed)
        curators = [opened(made, tmp_path / str(seed), name) for name in ("one", "other")]
        for case in ask_online(made, QUESTIONS):
            outcome = judged(made, case)
            if outcome.planned is not None:
                source = outcome.planned.plan.block.source
                cut += isinstance(source, Scan) and bool(source.content)
                over += outcome.over
                same_seen(made, case, *curators)
        for entry in curators[0].ledger.entries():
            ways[entry.kind] += 1
        for curator in curators:
            curator.close()
        made.close()
    assert cut >= 15, "so many were cut before the filter"
    assert over >= 2, "somebody had more rows than the limit"
    assert ways["STATE"] >= 6, "so many were noted as counts of cells"
    assert ways["CHARGE"] < cut, "some were answered without a charge"
