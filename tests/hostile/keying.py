"""Keys of generated questions that follow conditions, lists of values and public tables, or that are handed in."""

from __future__ import annotations

import datetime as dt
import random
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from discreet.base.types import Type
from hostile.grammar import LETTERS, Writer
from hostile.sources import Source
from hostile.world import Col, World

LISTS: dict[str, tuple[tuple[str, Any], ...]] = {
    "i": (("0", 0), ("3", 3), ("7", 7), ("-1", -1), ("9007199254740993", 9007199254740993)),
    "t": (("'north'", "north"), ("'null'", "null"), ("''", ""), ("'x'", "x"), ("'a''b'", "a'b")),
    "d": (("DATE '2020-01-02'", dt.date(2020, 1, 2)), ("DATE '9999-12-31'", dt.date(9999, 12, 31))),
    "b": (("TRUE", True), ("FALSE", False)),
}
OTHER = {"i": "77", "t": "'other'", "d": "DATE '2001-01-01'"}


@dataclass
class Keyed:
    """What grouping a question got: its keys, what was handed in, and the clauses that were written."""

    keys: list[str]
    given: list[Any] | None
    tag: str


class Keying:
    """Gives every fifth question keys of one of five kinds; draws of its own leave all other questions as they are."""

    def __init__(self, world: World, place: int) -> None:
        self.random = random.Random(f"keys {world.seed} {place}")
        self.writer = Writer(self.random, Counter())
        self.world = world

    def keyed(self, source: Source) -> Keyed | None:
        """Return the keys of a question, and change what it is about to what goes with them; mostly leave it alone."""
        rng = self.random
        if rng.random() >= 0.2:
            return None
        ways = [self.narrowed, self.listed, self.in_case, self.handed_in, self.public]
        return rng.choice(ways)(source)

    def columns(self, source: Source, letters: str) -> list[Col]:
        return [each for each in source.columns if LETTERS[each.type] in letters and each.sql != source.unit]

    def narrowed(self, source: Source) -> Keyed | None:
        """Return public keys under a condition on what they are made from, beside others that must not matter."""
        rng = self.random
        columns = [each for each in source.columns if each.listed or (each.bounded and each.type is Type.INTEGER)]
        if not columns:
            return None
        chosen = rng.choice(columns)
        letter = LETTERS[chosen.type]
        constants = [text for text, _ in LISTS.get(letter, ())] or ["NULL"]
        term = f"{chosen.sql} {rng.choice(['<>', '>=', '<='])} {rng.choice(constants)}"
        term = rng.choice([term, self.writer.condition([chosen], 1), f"{chosen.sql} IS NOT NULL"])
        source.where.append(f"({term})")
        if rng.random() < 0.4:
            source.where.append(f"({term} OR {self.writer.condition(source.columns, 1)})")
        whole = chosen.type is Type.INTEGER
        keys = [rng.choice([chosen.sql, f"({chosen.sql} // 3)"]) if whole else chosen.sql]
        if rng.random() < 0.3:
            keys.append(f"({self.writer.condition([chosen], 1)})")
        return Keyed(keys, None, "conditions that narrow keys")

    def values(self, letter: str) -> list[tuple[str, Any]]:
        return self.random.sample(LISTS[letter], self.random.choice([1, 2, 2]))

    def listed(self, source: Source) -> Keyed | None:
        columns = self.columns(source, "itd")
        if not columns:
            return None
        chosen = self.random.choice(columns)
        texts = ", ".join(text for text, _ in self.values(LETTERS[chosen.type]))
        source.where.append(f"{chosen.sql} IN ({texts})")
        return Keyed([chosen.sql], None, "IN as a domain")

    def in_case(self, source: Source) -> Keyed | None:
        columns = self.columns(source, "itd")
        if not columns:
            return None
        chosen = self.random.choice(columns)
        letter = LETTERS[chosen.type]
        texts = ", ".join(text for text, _ in self.values(letter))
        key = f"CASE WHEN {chosen.sql} IN ({texts}) THEN {chosen.sql} ELSE {OTHER[letter]} END"
        return Keyed([key], None, "CASE IN as a domain")

    def handed_in(self, source: Source) -> Keyed | None:
        columns = self.columns(source, "itdb")
        if not columns:
            return None
        chosen = self.random.sample(columns, min(len(columns), self.random.choice([1, 2])))
        several = [[value for _, value in self.values(LETTERS[each.type])] for each in chosen]
        rows = [*zip(*several, strict=False), tuple(each[-1] for each in several)]
        return Keyed([each.sql for each in chosen], list(dict.fromkeys(rows)), "keys handed in")

    def public(self, source: Source) -> Keyed | None:
        """Return columns of one public table, which is joined where none is."""
        rng = self.random
        tab = rng.choice([each for each in self.world.tabs if each.public])
        key, letter = ("ward", "t") if tab.name == "wards" else ("age", "i")
        mine = [each.sql for each in source.columns if LETTERS[each.type] == letter]
        there = [each for each in tab.columns if each.type not in (Type.FLOAT, Type.DECIMAL)]
        if not mine or len(there) < 2:
            return None
        left, chosen = rng.random() < 0.3, rng.choice(mine)
        source.text += f" {'LEFT JOIN' if left else 'JOIN'} {tab.name} AS pub ON pub.{key} = {chosen}"
        columns = [replace(each, sql=f"pub.{each.sql}") for each in there]
        keys = [each.sql for each in rng.sample(columns, min(len(columns), rng.choice([2, 2, 3])))]
        if not left and rng.random() < 0.4:
            keys[0] = chosen
        if rng.random() < 0.4:
            source.where.append(f"({self.writer.condition([rng.choice(columns)], 1)})")
        return Keyed(list(dict.fromkeys(keys)), None, "combinations of a public table")
