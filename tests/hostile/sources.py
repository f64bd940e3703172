"""FROM, joins and WHERE of generated questions: tables, subqueries, aggregates of one unit, unions, views and WITH."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TypeVar

from discreet.base.types import Type
from hostile.grammar import LETTERS, TYPES, Writer
from hostile.world import Col, Tab, World

T = TypeVar("T")


@dataclass
class Source:
    """A FROM clause: its text, the columns that can be read, and the unit as it is written there."""

    text: str
    columns: list[Col]
    unit: str | None
    where: list[str] = field(default_factory=list)
    keys: list[tuple[Col, ...]] = field(default_factory=list)
    """Columns that are declared to be unique, or are so because rows are grouped by them."""

    @property
    def tail(self) -> str:
        return f"FROM {self.text}" + (f" WHERE {' AND '.join(self.where)}" if self.where else "")


@dataclass
class Sources:
    """Makes FROM clauses; `tags` are the clauses that were written, and `withs` what stands before SELECT."""

    random: random.Random
    world: World
    writer: Writer
    spelling: Random | None = None
    """Draws of their own for other spellings; None where a question has none."""
    tags: set[str] = field(default_factory=set)
    withs: list[str] = field(default_factory=list)
    count: int = 0

    def spells(self, share: float) -> bool:
        """Say whether another spelling is written here."""
        return self.spelling is not None and self.spelling.random() < share

    def pick(self, things: Sequence[T]) -> T:
        assert self.spelling is not None
        return self.spelling.choice(things)

    def some_condition(self, columns: list[Col]) -> str:
        assert self.spelling is not None
        return Writer(self.spelling, Counter()).condition(columns, 1)

    def name(self) -> str:
        self.count += 1
        return f"s{self.count}"

    def tables(self, *, units: bool) -> list[Tab]:
        return [each for each in self.world.tabs if not each.public and (each.unit is not None) is units]

    def table(self, tab: Tab) -> Source:
        if tab.name in ("seen", "old"):
            self.tags.add("view")
        alias = self.name()
        columns = [replace(each, sql=f"{alias}.{each.sql}") for each in tab.columns]
        keys = [tuple(replace(each, sql=f"{alias}.{each.sql}") for each in key) for key in tab.keys]
        return Source(f"{tab.name} AS {alias}", columns, f"{alias}.{tab.unit}" if tab.unit else None, keys=keys)

    def any(self, depth: int) -> Source:
        """Return rows of people: a table, or a subquery in brackets, or one that WITH names."""
        rng = self.random
        if depth <= 0 or rng.random() < 0.5:
            return self.table(rng.choice(self.tables(units=True)))
        text, columns = self.subquery(depth)
        alias = self.name()
        if rng.random() < 0.3:
            self.tags.add("WITH")
            self.withs.append(f"w{alias} AS ({text})")
            text = f"w{alias} AS {alias}"
        else:
            text = f"({text}) AS {alias}"
        return Source(text, [replace(each, sql=f"{alias}.{each.sql}") for each in columns], f"{alias}.u")

    def subquery(self, depth: int) -> tuple[str, list[Col]]:
        """Return a SELECT with the unit as column u, and its other columns."""
        way = self.random.random()
        if way < 0.3 or self.spells(0.4):
            return self.rows(self.joined(depth - 1))
        if way < 0.7:
            return self.per_unit(self.joined(depth - 1))
        return self.union(depth - 1)

    def rows(self, source: Source, letters: Sequence[str] | None = None) -> tuple[str, list[Col]]:
        rng = self.random
        numbered = letters is None and self.spells(0.55)
        letters = letters or rng.sample("iftbdm", 3)
        listed = []
        for letter in letters:
            plain = [each for each in source.columns if LETTERS[each.type] == letter]
            if plain and rng.random() < 0.6:
                chosen = rng.choice(plain)
                listed.append((chosen.sql, chosen))
            elif letter in "if" and rng.random() < 0.5:
                whole = letter == "i"
                value = self.writer.bounded(source.columns, 1)
                value = f"CAST({value} AS BIGINT)" if whole else f"CAST({value} AS DOUBLE)"
                listed.append((value, Col("", TYPES[letter], True)))
            else:
                listed.append((self.writer.write(letter, source.columns, 1), Col("", TYPES[letter])))
        if numbered:
            self.tags.add("numbers of rows")
            kind, by = self.pick(["ROW_NUMBER", "ROW_NUMBER", "RANK", "DENSE_RANK"]), self.pick(source.columns).sql
            how = self.pick(["", " DESC", " NULLS FIRST"])
            number = f"{kind}() OVER (PARTITION BY {source.unit} ORDER BY {by}{how})"
            listed.append((number, Col("", Type.INTEGER, True, True)))
        texts = [each.sql for each in source.columns if each.type is Type.TEXT]
        if not numbered and texts and self.spells(0.8):
            self.tags.add("parts of texts")
            between, first, last = self.pick(["i", "a", " ", "u", "ic"]), self.pick([1, 1, 2]), self.pick([2, 3])
            part = f"unnest(string_split({self.pick(texts)}, '{between}')[{first}:{last}])"
            listed.append((part, Col("", Type.TEXT)))
        text = ", ".join(f"{value} AS c{place}" for place, (value, _) in enumerate(listed))
        self.tags.add("subquery")
        columns = [replace(col, sql=f"c{place}") for place, (_, col) in enumerate(listed)]
        return f"SELECT {source.unit} AS u, {text} {source.tail}", columns

    def per_unit(self, source: Source) -> tuple[str, list[Col]]:
        rng, write = self.random, self.writer
        self.tags.add("aggregates of one unit")
        letter = rng.choice("iftdm")
        forms = [
            ("COUNT(*)", Col("", Type.INTEGER, True)),
            (f"COUNT({write.write('a', source.columns, 1)})", Col("", Type.INTEGER, True)),
            (f"COUNT(DISTINCT {write.write('a', source.columns, 1)})", Col("", Type.INTEGER, True)),
            (f"SUM({write.bounded(source.columns, 1)})", Col("", Type.FLOAT, True)),
            (f"AVG({write.bounded(source.columns, 1)})", Col("", Type.FLOAT, True)),
            (f"MIN({write.write(letter, source.columns, 1)})", Col("", TYPES[letter])),
            (f"MAX({write.write(letter, source.columns, 1)})", Col("", TYPES[letter])),
        ]
        chosen = rng.sample(forms, 3)
        if rng.random() < 0.2:
            self.tags.add("FILTER in a subquery")
            chosen[0] = (f"{chosen[0][0]} FILTER (WHERE {write.condition(source.columns, 1)})", chosen[0][1])
        keys = []
        if rng.random() < 0.4:
            kind = rng.choice("iftb")
            self.tags.add("unit and key")
            keys = [(write.write(kind, source.columns, rng.choice([0, 1])), Col("k0", TYPES[kind], False, kind == "b"))]
        listed = [*((value, f"k{place}") for place, (value, _) in enumerate(keys))]
        listed += [(value, f"a{place}") for place, (value, _) in enumerate(chosen)]
        columns = [col for _, col in keys] + [replace(col, sql=f"a{at}") for at, (_, col) in enumerate(chosen)]
        having = ""
        if rng.random() < 0.35:
            self.tags.add("HAVING in a subquery")
            having = f" HAVING COUNT(*) {rng.choice(['> 1', '<= 2', '% 2 = 1'])}"
        by = ", ".join([str(source.unit), *(value for value, _ in keys)])
        text = ", ".join(f"{value} AS {name}" for value, name in listed)
        return f"SELECT {source.unit} AS u, {text} {source.tail} GROUP BY {by}{having}", columns

    def union(self, depth: int) -> tuple[str, list[Col]]:
        letters = self.random.sample("iftbdm", 3)
        self.tags.add("UNION ALL")
        sides, columns = [], []
        for _ in range(self.random.choice([2, 2, 3])):
            text, columns_ = self.rows(self.filtered(self.any(depth)), letters)
            sides.append(text)
            columns.append(columns_)
        both = [replace(col, bounded=all(each[at].bounded for each in columns)) for at, col in enumerate(columns[0])]
        return " UNION ALL ".join(sides), [replace(each, listed=False) for each in both]

    def filtered(self, source: Source) -> Source:
        """Add conditions, on rows and on whether the unit is in some other rows."""
        rng = self.random
        if rng.random() < 0.35:
            source.where.append(self.writer.condition(source.columns))
        if source.unit is not None and rng.random() < 0.3:
            source.where.append(self.among(source))
        if self.spells(0.3):
            self.list_public(source)
        return source

    def among_equal(self, source: Source) -> None:
        """Ask for rows with, or without, some other row of the same unit that has an equal value."""
        rng, inner = self.random, self.table(self.random.choice(self.tables(units=True)))
        shared = [each for each in source.columns if LETTERS[each.type] in "itdm"]
        pairs = [(one, other) for one in shared for other in inner.columns if one.type is other.type]
        if pairs:
            self.tags.add("EXISTS with equal values")
            one, other = rng.choice(pairs)
            inner.where.append(f"{inner.unit} = {source.unit} AND {other.sql} = {one.sql}")
            if rng.random() < 0.5:
                inner.where.append(self.writer.condition(inner.columns, 1))
            source.where.append(f"{rng.choice(['', 'NOT '])}EXISTS (SELECT 1 {inner.tail})")

    def look_up_some(self, source: Source) -> None:
        """Join some rows of a public table, and keep those that have no partner there."""
        tab = next(each for each in self.world.tabs if each.name == "wards")
        mine, alias = [each.sql for each in source.columns if LETTERS[each.type] == "t"], self.name()
        mine = mine or [f"CAST({each.sql} AS TEXT)" for each in source.columns if LETTERS[each.type] == "i"]
        if mine:
            self.tags.add("a condition on a public table in LEFT JOIN")
            columns = [Col(f"{alias}.{each.sql}", each.type, False, True) for each in tab.columns]
            number = next(each.sql for each in columns if LETTERS[each.type] in "if")
            condition = self.random.choice([f"{number} > 1", f"{number} IS NOT NULL", f"{alias}.ward < 'n'"])
            source.text += f" LEFT JOIN wards AS {alias} ON {alias}.ward = {self.random.choice(mine)} AND {condition}"
            source.columns += columns

    def list_public(self, source: Source) -> None:
        """Ask for rows with a value that a public table has, or has not."""
        tab = self.pick([each for each in self.world.tabs if each.public])
        listed = [each for each in tab.columns if LETTERS[each.type] in "it"]
        chosen = self.pick(listed)
        mine = [each.sql for each in source.columns if each.type is chosen.type]
        if mine:
            self.tags.add("IN a public table")
            where = f" WHERE {self.some_condition(list(tab.columns))}" if self.spells(0.6) else ""
            no = self.pick(["", "NOT "])
            source.where.append(f"{self.pick(mine)} {no}IN (SELECT {chosen.sql} FROM {tab.name}{where})")

    def among(self, source: Source) -> str:
        rng = self.random
        no = rng.choice(["", "NOT "])
        inner = self.table(rng.choice(self.tables(units=True)))
        if rng.random() < 0.6:
            inner.where.append(self.writer.condition(inner.columns, 1))
        if rng.random() < 0.5:
            self.tags.add(f"{no}EXISTS")
            inner.where.append(f"{inner.unit} = {source.unit}")
            return f"{no}EXISTS (SELECT 1 {inner.tail})"
        self.tags.add(f"{no}IN")
        text = f"SELECT {inner.unit} {inner.tail}"
        if rng.random() < 0.3:
            text += f" GROUP BY {inner.unit} HAVING COUNT(*) > 1"
        return f"{source.unit} {no}IN ({text})"

    def joined(self, depth: int) -> Source:
        """Return rows of people, joined to others of theirs and to public tables."""
        rng, source = self.random, self.any(depth)
        if rng.random() < 0.3 or self.spells(0.4):
            self.join(source, self.any(min(depth, 1)))
        return self.filtered(self.looked_up(source))

    def join(self, source: Source, other: Source) -> None:
        rng = self.random
        left = rng.random() < 0.4
        on = [f"{source.unit} = {other.unit}"]
        keyed = self.on_key(source, other) if source.keys or other.keys else []
        if keyed:
            on = keyed if rng.random() < 0.6 else [*on, *keyed]
            self.tags |= {"JOIN on a key", *(["JOIN without the unit"] if on is keyed else [])}
        elif rng.random() < 0.4:
            letter = rng.choice("itdm")
            mine = [each.sql for each in source.columns if LETTERS[each.type] == letter]
            theirs = [
                each.sql for each in other.columns if LETTERS[each.type] in (("d", "m") if letter in "dm" else letter)
            ]
            if mine and theirs:
                on.append(f"{rng.choice(mine)} = {rng.choice(theirs)}")
                self.tags.add("JOIN on more than the unit")
        self.tags.add("LEFT JOIN of people" if left else "JOIN of people")
        if left and self.spells(0.8):
            self.tags.add("a condition in LEFT JOIN")
            on.append(f"({self.some_condition(other.columns)})")
        elif not left and self.spells(0.8):
            self.tags.add("comma list")
            source.text += f"{self.pick([',', ' CROSS JOIN'])} {other.text}"
            source.columns += other.columns
            source.where += on
            return
        source.text += f" {'LEFT JOIN' if left else 'JOIN'} {other.text} ON {' AND '.join(on)}"
        source.columns += [replace(each, listed=False) for each in other.columns] if left else other.columns

    def on_key(self, source: Source, other: Source) -> list[str]:
        """Return equalities of all columns of a key of either side with columns of the other, or none."""
        sides = [(key, other, source) for key in other.keys] + [(key, source, other) for key in source.keys]
        key, _, against = self.random.choice(sides)
        found = []
        for column in key:
            same = [each.sql for each in against.columns if each.type is column.type]
            found.append(f"{self.random.choice(same)} = {column.sql}" if same else "")
        return found if all(found) and self.random.random() < 0.9 else []

    def looked_up(self, source: Source) -> Source:
        """Join a public table, perhaps."""
        rng = self.random
        if rng.random() >= 0.25 and not self.spells(0.3):
            return source
        tab = rng.choice([each for each in self.world.tabs if each.public])
        key, letter = ("ward", "t") if tab.name == "wards" else ("age", "i")
        mine = [each.sql for each in source.columns if LETTERS[each.type] == letter]
        if not mine:
            return source
        alias, chosen = self.name(), rng.choice(mine)
        if rng.random() < 0.3:
            chosen = f"LOWER({chosen})" if letter == "t" else f"({chosen} % 3)"
        columns = [Col(f"{alias}.{each.sql}", each.type, False, True) for each in tab.columns]
        left = rng.random() < 0.4
        table = tab.name
        if not left and self.spells(0.8):
            self.tags.add("subquery over a public table")
            table = f"(SELECT * FROM {tab.name} WHERE {self.some_condition(list(tab.columns))})"
        if " JOIN " not in source.text and not left and rng.random() < 0.3:
            self.tags.add("public table first")
            source.text = f"{table} AS {alias} JOIN {source.text} ON {alias}.{key} = {chosen}"
        else:
            self.tags.add(f"{'LEFT ' if left else ''}JOIN of a public table")
            source.text += f" {'LEFT JOIN' if left else 'JOIN'} {table} AS {alias} ON {alias}.{key} = {chosen}"
        source.columns += columns
        return source
