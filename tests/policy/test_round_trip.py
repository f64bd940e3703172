"""Generated policies, written as TOML by a writer of the tests' own, come back as they were; nonsense is refused."""

from __future__ import annotations

import json
from datetime import UTC, date, time
from fractions import Fraction
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import PolicyError
from discreet.base.types import Type
from discreet.policy import Analyst, DeclaredColumn, Policy, SourceFormat, Table, hash_policy, loads
from discreet.policy.columns import KEYS as COLUMN_KEYS
from discreet.policy.ledger import KEYS as LEDGER_KEYS
from discreet.policy.load import SECTIONS
from discreet.policy.tables import KEYS as TABLE_KEYS
from discreet.privacy import Neighbours

PATH = Path("owner/policy.toml")
NAMES = st.text(min_size=1, max_size=8).filter(lambda name: bool(name.strip()) and "\0" not in name)
DECIMALS = st.builds(
    lambda digits, places: Fraction(digits, 10**places), st.integers(-(10**9), 10**9), st.integers(0, 9)
)
TIMES = st.datetimes().map(lambda moment: moment.replace(tzinfo=UTC))
COUNTS = st.none() | st.integers(1, 10**6)
VALUES: Any = st.one_of(
    *(st.lists(kind, min_size=1, max_size=4, unique=True) for kind in (st.text(), st.booleans(), st.dates(), TIMES)),
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=4, unique=True),
).map(tuple)


class Word(str):
    """TOML as it stands."""

    __slots__ = ()


def written(value: object) -> str:
    """Return a value as TOML."""
    if isinstance(value, Word):
        return str(value)
    if isinstance(value, str):
        return json.dumps(value).replace("\x7f", "\\u007f") if value.isascii() else _wide(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Fraction):
        places = max(places for places in range(40) if places == 0 or (value * 10 ** (places - 1)).denominator != 1)
        return f"{int(value * 10**places)}e-{places}"
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, tuple):
        return "[" + ", ".join(map(written, value)) + "]"
    return str(value)


def _wide(text: str) -> str:
    return '"' + "".join(f"\\U{ord(letter):08x}" for letter in text) + '"'


def toml(policy: Policy) -> str:
    """Return a policy as TOML, every key on its own line."""
    lines = ["[budget]", f"epsilon = {written(policy.epsilon)}", f"delta = {written(policy.delta)}"]
    lines += [f"question_delta = {written(policy.question_delta)}", f"least_share = {written(policy.least_share)}"]
    lines += ["[privacy]", f"neighbours = {written(policy.neighbours.value)}"]
    for table in policy.tables:
        lines.append(f"[tables.{written(table.name)}]")
        words = ["source", "unit", "identifies", "size", "version", "min_count", "public", "rows_are_units", "hidden"]
        if not table.rows_are_units:
            words += ["max_rows", "max_groups", "max_rows_per_group"]
        facts = {word: getattr(table, word) for word in words}
        lines += [f"{word} = {written(fact)}" for word, fact in facts.items() if fact not in (None, False, ())]
        for column in table.columns:
            lines.append(f"[tables.{written(table.name)}.columns.{written(column.name)}]")
            known = {word: getattr(column, word) for word in ("type", "lower", "upper", "step", "values", "longest")}
            lines += [f"{word} = {written(fact)}" for word, fact in known.items() if fact is not None]
    for analyst in policy.analysts:
        lines += [f"[analysts.{written(analyst.name)}]", f"epsilon = {written(analyst.epsilon)}"]
        lines += [f"delta = {written(analyst.delta)}"]
    return "\n".join(lines)


@st.composite
def columns(draw: st.DrawFn, name: str) -> DeclaredColumn:
    shape = draw(st.sampled_from(["type", "texts", "bounds", "dates", "times", "values"]))
    if shape == "type":
        return DeclaredColumn(name, draw(st.sampled_from(list(Type))))
    if shape == "texts":
        return DeclaredColumn(name, Type.TEXT, longest=draw(st.integers(1, 65_536)))
    if shape == "values":
        return DeclaredColumn(name, values=draw(VALUES))
    kind: Any = {"bounds": DECIMALS, "dates": st.dates(), "times": TIMES}[shape]
    lower, upper = sorted(draw(st.lists(kind, min_size=2, max_size=2, unique=True)))
    step = draw(st.none() | st.just((upper - lower) / 10)) if shape == "bounds" else None
    return DeclaredColumn(name, lower=lower, upper=upper, step=step)


@st.composite
def tables(draw: st.DrawFn, name: str) -> Table:
    found = draw(st.lists(NAMES, max_size=3, unique_by=str.casefold))
    hidden = tuple(draw(st.lists(NAMES.filter(lambda other: other not in found), max_size=2, unique_by=str.casefold)))
    source = draw(st.none() | st.just("a b/*.parquet"))
    basics: dict[str, Any] = {
        "name": name,
        "source": source,
        "format": SourceFormat.PARQUET if source else SourceFormat.PYTHON,
        "version": draw(st.none() | NAMES),
        "hidden": hidden,
    }
    if draw(st.booleans()):
        return Table(public=True, columns=tuple(DeclaredColumn(other, Type.TEXT) for other in found), **basics)
    basics |= {"columns": tuple(draw(columns(other)) for other in found), "min_count": draw(COUNTS)}
    basics |= {"size": draw(st.integers(1, 10**6))}
    if draw(st.booleans()):
        return Table(rows_are_units=True, max_rows=1, max_groups=1, max_rows_per_group=1, **basics)
    rows, groups, each = draw(COUNTS), draw(COUNTS), draw(COUNTS)
    rows = rows if groups and each else rows or 1
    unit, people = draw(NAMES), draw(st.none() | NAMES)
    bounds: dict[str, Any] = {"max_rows": rows, "max_groups": groups, "max_rows_per_group": each}
    return Table(unit=unit, identifies=people or unit, **bounds, **basics)


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    epsilon = draw(DECIMALS.filter(lambda number: number > 0))
    delta = draw(st.integers(0, 9)) * Fraction(1, 10**9)
    return Policy(
        PATH,
        epsilon,
        delta,
        delta / draw(st.sampled_from([1, 2, 10])),
        draw(st.sampled_from(list(Neighbours))),
        tuple(draw(tables(name)) for name in draw(st.lists(NAMES, min_size=1, max_size=3, unique_by=str.casefold))),
        tuple(
            Analyst(name, epsilon / draw(st.sampled_from([1, 4])), delta / draw(st.sampled_from([1, 5])))
            for name in draw(st.lists(NAMES, max_size=2, unique_by=str.casefold))
        ),
        least_share=draw(st.sampled_from([Fraction(1, 10**6), Fraction(1, 10**9), Fraction(1)])),
    )


@settings(max_examples=100)
@given(policies())
def test_a_policy_written_as_toml_is_read_back_as_it_was(policy: Policy) -> None:
    found = loads(toml(policy), PATH)
    assert found == policy
    assert hash_policy(found) == hash_policy(policy)


ANYTHING: Any = st.recursive(
    st.one_of(
        st.booleans(),
        st.integers(-3, 3),
        st.integers(),
        DECIMALS,
        st.text(max_size=5),
        st.dates(),
        st.datetimes(),
        st.times(),
        st.sampled_from([Word("nan"), Word("-inf"), Word("1e-99999999"), Word("{}"), Word("{ lower = 1 }")]),
    ),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=4,
)
PLACES = {
    "": SECTIONS,
    "budget": ("epsilon", "delta", "question_delta", "least_share"),
    "privacy": ("neighbours",),
    "tables.t": TABLE_KEYS,
    "tables.t.columns.c": COLUMN_KEYS,
    "analysts.a": ("epsilon", "delta"),
    "ledger": LEDGER_KEYS,
}


@settings(max_examples=300)
@given(
    place=st.sampled_from(list(PLACES)),
    others=st.sampled_from(["[tables.t]\nrows_are_units = true", '[tables.t]\nsource = "a.csv"\npublic = true']),
    data=st.data(),
)
def test_whatever_stands_at_a_key_the_answer_is_a_policy_or_lines_that_name_the_file(
    place: str, others: str, data: st.DataObject
) -> None:
    keys = data.draw(st.lists(st.sampled_from(PLACES[place]), min_size=1, max_size=4, unique=True))
    facts = "\n".join(f"{key} = {written(data.draw(ANYTHING))}" for key in keys)
    parts = {"budget": "[budget]\nepsilon = 1", "tables.t": others, place: f"[{place}]\n{facts}"}
    text = "\n".join([parts.pop("", "").removeprefix("[]\n"), *parts.values()])
    try:
        told = [f"{PATH}: {hash_policy(loads(text, PATH))}"]
    except PolicyError as error:
        told = str(error).split("\n")
    assert all(line.startswith(f"{PATH}: ") for line in told)
