"""Whole generated questions: keys, aggregates, and what is done to the released table."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from discreet.base.types import Type
from hostile.grammar import Writer
from hostile.keying import Keying
from hostile.sources import Source, Sources
from hostile.world import World

PLAIN = 40
"""So many questions about a world have no other spellings (comma lists, keys alone and so on); later ones have many."""

NEWER = 47
"""Later questions about a world have one more clause each: other answers beside, values of public tables and so on."""

PICKED = 8
"""Of so many questions one chooses keys."""


@dataclass(frozen=True)
class Case:
    """One question about a world, and the clauses that were written into it."""

    seed: int
    place: int
    sql: str
    tags: frozenset[str]
    params: dict[str, Any] = field(default_factory=dict)
    limits: dict[str, Any] = field(default_factory=dict)
    epsilon: float = 1.0
    keys: list[Any] | None = None


def cases(world: World, count: int) -> Iterator[Case]:
    """Yield questions about a world: the same ones whenever its seed is."""
    used: Counter[str] = Counter()
    for place in range(count):
        keying = Keying(world, place)
        spelling = random.Random(f"spelling {world.seed} {place}") if PLAIN <= place < NEWER else None
        asker = _Asker(random.Random(f"case {world.seed} {place}"), world, used, keying, spelling)
        yield asker.newer_case(place) if place >= NEWER else asker.case(place)


class _Asker:
    def __init__(
        self, rng: random.Random, world: World, used: Counter[str], keying: Keying, spelling: random.Random | None
    ) -> None:
        self.random, self.world, self.keying = rng, world, keying
        self.writer = Writer(rng, used)
        self.sources = Sources(rng, world, self.writer, spelling)
        self.tags = self.sources.tags

    def case(self, place: int) -> Case:
        rng = self.random
        if place % PICKED == PICKED - 1:
            return self.pick(place)
        source = self.source()
        params: dict[str, Any] = {}
        if rng.random() < 0.1:
            self.tags.add("parameter")
            params["p"] = rng.choice([3, 0.5, None])
            source.where.append(f"{self.writer.write('n', source.columns, 1)} >= $p")
        keys = self.keys(source)
        keyed = self.keying.keyed(source)
        if keyed is not None:
            self.tags.add(keyed.tag)
            keys = keyed.keys
        aggregates = [self.aggregate(source) for _ in range(rng.choice([1, 1, 2, 3]))]
        listed = [f"{key} AS k{at}" for at, key in enumerate(keys)]
        listed += [f"{each} AS m{at}" for at, each in enumerate(aggregates)]
        if keys and self.sources.spells(0.7):
            self.tags.add("GROUPING")
            listed.append(f"GROUPING({', '.join(f'k{at}' for at in range(len(keys)))}) AS g")
        text = f"SELECT {', '.join(listed)} {source.tail}{self.grouping(keys)}"
        text = self.finished(text, keys)
        if keys and self.sources.spells(0.3):
            text = self.keys_alone(source, keys)
        if self.sources.withs:
            text = f"WITH {', '.join(self.sources.withs)} {text}"
        limits = {}
        if source.unit is not None and rng.random() < 0.2:
            self.tags.add("tighter limits")
            limits = {rng.choice(["max_rows", "max_groups", "max_rows_per_group"]): rng.choice([1, 2])}
        epsilon = rng.choice([0.1, 1.0, 8.0])
        given = keyed.given if keyed is not None else None
        return Case(self.world.seed, place, text, frozenset(self.tags), params, limits, epsilon, given)

    def newer_case(self, place: int) -> Case:
        """Return a question with one of the clauses that come after the others."""
        rng, source = self.random, self.sources.joined(1)
        clause = place % 5
        added = (None, self.compare_with_public, None, self.sources.among_equal, self.sources.look_up_some)[clause]
        if added is not None:
            added(source)
        key, listed = self.derived(source), [f"{self.aggregate(source)} AS m0"]
        if clause == 0:
            listed.append(self.answer_beside(source))
        text = f"SELECT {key} AS k0, {', '.join(listed)} {source.tail} GROUP BY k0"
        if clause == 2:
            text = self.join_answers(text, source, key)
        if self.sources.withs:
            text = f"WITH {', '.join(self.sources.withs)} {text}"
        return Case(self.world.seed, place, text, frozenset(self.tags), {}, {}, rng.choice([0.1, 1.0, 8.0]))

    def compare_with_public(self, source: Source) -> None:
        """Add a condition on a value that is computed from a public table, in which rows may be equal."""
        rng = self.random
        tab = rng.choice([each for each in self.world.tabs if each.public])
        theirs = [each.sql for each in tab.columns if each.type is Type.INTEGER]
        mine = [each.sql for each in source.columns if each.type in (Type.INTEGER, Type.FLOAT)]
        if mine and theirs:
            self.tags.add("a public value")
            value = rng.choice(["MAX({})", "MIN({}) + 1", "COUNT(DISTINCT {})"]).format(rng.choice(theirs))
            source.where.append(f"{rng.choice(mine)} {rng.choice(['<', '>='])} (SELECT {value} FROM {tab.name})")

    def join_answers(self, text: str, source: Source, key: str) -> str:
        """Return a question joined to another by a key, or to itself."""
        self.tags.add("answers joined")
        other = f"SELECT {key} AS k0, COUNT(*) AS m0 {source.tail} GROUP BY k0"
        joined, way = self.random.choice([text, other]), self.random.choice(["JOIN", "LEFT JOIN"])
        return f"SELECT q.*, z.m0 AS other FROM ({text}) AS q {way} ({joined}) AS z ON q.k0 = z.k0"

    def answer_beside(self, source: Source) -> str:
        """Return a column with another answer in it, in place of a value."""
        self.tags.add("an answer in place of a value")
        tab = self.random.choice(self.sources.tables(units=True))
        number = next(each.sql for each in tab.columns if each.type is Type.INTEGER)
        inner = self.random.choice(
            [
                f"SELECT COUNT(*) {source.tail}",
                f"SELECT COUNT({number}) FROM {tab.name}",
                f"SELECT MAX(n) FROM (SELECT {number} > 3 AS b, COUNT(*) AS n FROM {tab.name} GROUP BY b) z",
                f"SELECT COUNT(*) + (SELECT COUNT({number}) FROM {tab.name}) FROM {tab.name}",
            ]
        )
        return f"m0 / ({inner}) AS beside"

    def keys_alone(self, source: Source, keys: list[str]) -> str:
        """Return a question that lists keys and nothing else."""
        self.tags.add("keys alone")
        listed = ", ".join(f"{key} AS k{at}" for at, key in enumerate(keys))
        if self.sources.spells(0.5):
            return f"SELECT DISTINCT {listed} {source.tail}"
        return f"SELECT {listed} {source.tail} GROUP BY {', '.join(f'k{at}' for at in range(len(keys)))}"

    def pick(self, place: int) -> Case:
        """Return a question that chooses keys by a score and shows nothing else."""
        rng, source = self.random, self.source()
        listed = [each.sql for each in source.columns if each.listed]
        key = rng.choice(listed) if listed and rng.random() < 0.5 else self.derived(source)
        score = self.score(source)
        way = place // PICKED % 4
        if way == 0:
            self.tags.add("MODE")
            text = f"SELECT MODE({key}) AS k0 {source.tail}"
        elif way == 1:
            self.tags.add("MODE in groups")
            by = f"CASE WHEN {self.writer.condition(source.columns, 1)} THEN 'yes' ELSE 'no' END"
            text = f"SELECT {by} AS k0, MODE({key}) AS k1 {source.tail} GROUP BY k0"
        elif way == 2:
            self.tags.add("best key")
            text = f"SELECT {key} AS k0 {source.tail} GROUP BY k0 ORDER BY {score}{rng.choice(['', ' DESC'])} LIMIT 1"
            if rng.random() < 0.4:
                text = (
                    f"SELECT ARG_MAX(k0, m0) AS k FROM (SELECT {key} AS k0, {score} AS m0 {source.tail} GROUP BY k0) q"
                )
        else:
            self.tags.add("top keys")
            key = rng.choice([f"FLOOR({self.writer.bounded(source.columns, 1)} / 10)", key])
            text = f"SELECT {key} AS k0 {source.tail} GROUP BY k0 ORDER BY {score} DESC LIMIT 2"
        if self.sources.withs:
            text = f"WITH {', '.join(self.sources.withs)} {text}"
        return Case(self.world.seed, place, text, frozenset(self.tags), {}, {}, rng.choice([0.1, 1.0, 8.0]))

    def score(self, source: Source) -> str:
        """Return an aggregate by which keys are chosen."""
        forms = ["COUNT(*)", f"SUM({self.writer.bounded(source.columns, 1)})", "SUM(1)"]
        if source.unit is not None:
            forms.append(f"COUNT(DISTINCT {source.unit})")
        return self.random.choice(forms)

    def source(self) -> Source:
        if self.random.random() < 0.15:
            self.tags.add("rows as units")
            (tab,) = self.sources.tables(units=False)
            source = self.sources.looked_up(self.sources.table(tab))
            if self.random.random() < 0.25:
                self.tags.add("UNION ALL of rows as units")
                age = next(each.sql for each in tab.columns if "age" in each.sql)
                other = next(each.sql for each in tab.columns if "cost" in each.sql)
                sides = [f"SELECT {age} AS i, {other} AS f FROM r", f"SELECT {age} % 2, {other} FROM r"]
                columns = [each for each in tab.columns if each.sql in (age, other)]
                names = {age: "i", other: "f"}
                found = [type(each)(names[each.sql], each.type, each.bounded) for each in columns]
                return self.sources.filtered(Source(f"({' UNION ALL '.join(sides)}) AS z", found, None))
            return self.sources.filtered(source)
        return self.sources.joined(2)

    def keys(self, source: Source) -> list[str]:
        rng = self.random
        found = []
        for _ in range(rng.choice([0, 0, 1, 1, 2])):
            listed = [each.sql for each in source.columns if each.listed]
            way = rng.random()
            if listed and way < 0.4:
                found.append(rng.choice(listed))
            elif way < 0.7:
                found.append(self.derived(source))
            else:
                self.tags.add("keys from the data, perhaps")
                found.append(self.writer.write(rng.choice("itdm"), source.columns, rng.choice([0, 1, 1])))
        return [each for each in dict.fromkeys(found) if each[:1] not in "'0123456789-" and each != source.unit]

    def derived(self, source: Source) -> str:
        """Return a key whose domain follows from public facts."""
        write, columns, rng = self.writer, source.columns, self.random
        forms = [
            f"CASE WHEN {write.condition(columns, 1)} THEN 'yes' ELSE 'no' END",
            f"({write.condition(columns, 1)})",
            f"WIDTH_BUCKET({write.write('n', columns, 1)}, 0, 10, 3)",
            f"EXTRACT(month FROM {write.write('d', columns, 0)})",
            f"FLOOR({write.bounded(columns, 1)} / 10)",
            f"CASE WHEN {write.condition(columns, 1)} THEN 9007199254740992 WHEN {write.condition(columns, 1)} "
            f"THEN 9007199254740993 ELSE 0.5 END",
            f"COALESCE({write.condition(columns, 0)}, FALSE)",
        ]
        return rng.choice(forms)

    def aggregate(self, source: Source) -> str:
        rng, write, columns = self.random, self.writer, source.columns
        number = write.bounded(columns)
        other = write.bounded(columns, 1)
        forms = [
            "COUNT(*)",
            f"COUNT({write.write('a', columns, rng.choice([1, 2]))})",
            f"COUNT(DISTINCT {write.write('a', columns, 1)})",
            f"SUM({number})",
            f"SUM({number})",
            f"AVG({number})",
            f"{rng.choice(['VARIANCE', 'VAR_POP', 'STDDEV', 'STDDEV_POP'])}({number})",
            f"{rng.choice(['MEDIAN({})', 'QUANTILE_CONT({}, 0.25)', 'MIN({})', 'MAX({})'])}".format(number),
            f"{rng.choice(['CORR', 'COVAR_POP', 'COVAR_SAMP'])}({number}, {other})",
        ]
        if source.unit is not None:
            forms.append(f"COUNT(DISTINCT {source.unit})")
        chosen = rng.choice(forms)
        if self.sources.spells(0.4):
            self.tags.add("aggregates of conditions")
            condition = self.sources.some_condition(columns)
            chosen = self.sources.pick(["COUNT_IF({})", "SUM({})", "AVG({})"]).format(condition)
        if self.sources.spells(0.15):
            self.tags.add("least and largest dates")
            condition = self.sources.some_condition(columns)
            day = f"CASE WHEN {condition} THEN DATE '2020-01-02' ELSE DATE '2021-06-01' END"
            chosen = self.sources.pick(["MIN({})", "MAX({})"]).format(day)
        if self.sources.spells(0.6):
            self.tags.add("aggregates of distinct values")
            chosen = self.sources.pick(["SUM(DISTINCT {})", "AVG(DISTINCT {})"]).format(number)
        if source.unit is not None and self.sources.spells(0.3):
            self.tags.add("units with a condition")
            condition = self.sources.some_condition(columns)
            return f"COUNT(DISTINCT {source.unit}) FILTER (WHERE {condition})"
        if rng.random() < 0.12 and f"DISTINCT {source.unit}" not in chosen:
            self.tags.add("FILTER")
            chosen = f"{chosen} FILTER (WHERE {write.condition(columns, 1)})"
        return chosen

    def grouping(self, keys: list[str]) -> str:
        rng = self.random
        if not keys:
            return ""
        names = [f"k{at}" for at in range(len(keys))]
        way = rng.random()
        if way < 0.1:
            self.tags.add("ROLLUP")
            return f" GROUP BY ROLLUP ({', '.join(names)})"
        if way < 0.2:
            self.tags.add("CUBE")
            return f" GROUP BY CUBE ({', '.join(names)})"
        if way < 0.3:
            self.tags.add("GROUPING SETS")
            return f" GROUP BY GROUPING SETS (({', '.join(names)}), ({names[0]}), ())"
        self.tags.add("GROUP BY")
        plain = rng.choice([names, [str(at + 1) for at in range(len(keys))]])
        return f" GROUP BY {', '.join(plain)}"

    def finished(self, text: str, keys: list[str]) -> str:
        rng = self.random
        if rng.random() < 0.15:
            self.tags.add("HAVING")
            text += " HAVING m0 > -100"
        if rng.random() < 0.2:
            self.tags.add("ORDER BY")
            text += f" ORDER BY m0 DESC{', 1' if keys else ''}"
        if self.sources.spells(0.3):
            self.tags.add("OFFSET")
            return f"{text} {self.sources.pick(['', 'LIMIT 2 '])}OFFSET 1"
        if rng.random() < 0.1:
            self.tags.add("LIMIT")
            return f"{text} LIMIT 3"
        if rng.random() < 0.1:
            self.tags.add("SELECT around a question")
            return f"SELECT *, m0 * 2 AS twice FROM ({text}) AS q"
        return text
