"""What a census release costs and how that is shared out: read from TOML as exact fractions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from discreet.base.errors import ParameterError
from discreet.policy import exact
from discreet.policy.load import MOST_PUBLISHED
from discreet.policy.model import Table
from discreet.policy.problems import quote_value
from discreet.policy.section import Section
from discreet.topdown.spec.allocation import Allocation, convert_epsilon, describe_gap

QUOTIENT = re.compile(r"\s*([0-9]{1,60})\s*(?:/\s*([0-9]{1,60})\s*)?")

LevelShares = tuple[list[Fraction], list[dict[str, Fraction]]]


def read_fraction(section: Section, name: str, example: str) -> Fraction | None:
    """Return a number of at least 0 that is written as a quotient in quotes or as a decimal, exactly."""
    value = section.content.get(name)
    remedy = f"write a number of at least 0, exactly, such as {name} = {example}"
    found = QUOTIENT.fullmatch(value) if isinstance(value, str) else None
    if found is not None and (found[2] is None or int(found[2])):
        return Fraction(int(found[1]), int(found[2] or 1))
    number = exact.fraction(value)
    if number is None or number < 0:
        section.wrong(name, "is missing" if value is None else f"is {quote_value(value)}", remedy)
        return None
    return number


def read_budget(root: Section, table: Table | None) -> tuple[Fraction, Fraction] | None:
    """Return rho and delta: rho as it is written, or the most that an epsilon at that delta allows."""
    section = root.section("budget", ("rho", "epsilon", "delta"))
    delta = read_fraction(section, "delta", "1e-10")
    if delta is not None and not 0 < delta < 1:
        section.wrong(
            "delta", f"is {exact.write_number(delta)}", "write a number between 0 and 1, such as delta = 1e-10"
        )
        delta = None
    if delta is not None and table is not None and table.size is not None and delta * table.size > MOST_PUBLISHED:
        most = exact.round_below(MOST_PUBLISHED / table.size)
        wrong = f"times the size of {table.name} is {float(delta * table.size):.2g}, above {float(MOST_PUBLISHED):g}"
        section.wrong("delta", wrong, f"write delta = {most} or less")
    if ("rho" in section) == ("epsilon" in section):
        both = "rho and epsilon are both there" if "rho" in section else "neither rho nor epsilon is there"
        section.wrong((), both, 'write one of them, such as rho = "293764/114921"')
        return None
    name, example = ("rho", '"5/2"') if "rho" in section else ("epsilon", "8.0")
    amount = read_fraction(section, name, example)
    if amount is None or delta is None:
        return None
    if amount == 0:
        section.wrong(name, "is 0, which pays for nothing", f"write a number above 0, such as {name} = {example}")
        return None
    try:
        return (amount if name == "rho" else convert_epsilon(amount, delta)), delta
    except ParameterError as error:
        section.wrong(name, f"is {exact.write_number(amount)}", f"write one that is {error.allowed}")
        return None


def read_shares(root: Section, levels: Sequence[str], queries: Sequence[str]) -> LevelShares | None:
    """Return the share of each level, and within it those of its queries; None where they are wrong."""
    section = root.section("levels", levels)
    shares: list[Fraction] = []
    parts: list[dict[str, Fraction]] = []
    right = True
    for level in levels:
        if level not in section:
            section.wrong(level, "is missing: every level has a share", 'write share = "0" where nothing is measured')
            right = False
            continue
        part = section.section(level, ("share", "queries"))
        share = read_fraction(part, "share", '"104/4099"')
        inside = _read_query_shares(part, share, queries)
        right &= share is not None and inside is not None
        shares.append(share or Fraction(0))
        parts.append(inside or {})
    if not right:
        return None
    return (shares, parts) if _add_up(section, (), "the shares of the levels", shares) else None


def _read_query_shares(part: Section, share: Fraction | None, queries: Sequence[str]) -> dict[str, Fraction] | None:
    inside = part.section("queries", queries)
    if share == 0:
        if inside.content:
            part.wrong("queries", "are there, and the level has the share 0", "take them out, or give it a share")
            return None
        return {}
    if not inside.content:
        part.wrong(
            "queries", "is missing: nothing is measured with this share", 'write such as queries = { total = "1" }'
        )
        return None
    found = {name: read_fraction(inside, name, '"5/4097"') for name in inside.content if name in queries}
    known = {name: amount for name, amount in found.items() if amount is not None}
    if len(known) < len(inside.content):
        return None
    return known if _add_up(part, ("queries",), "the shares of the queries", list(known.values())) else None


def _add_up(section: Section, key: tuple[str, ...], what: str, shares: Sequence[Fraction]) -> bool:
    total = sum(shares, Fraction(0))
    if total == 1:
        return True
    section.wrong(key, f"{what} add up to {total}", f"write shares that add up to exactly 1: {describe_gap(total)}")
    return False


def read_targets(root: Section, levels: Sequence[str], queries: Sequence[str]) -> dict[tuple[str, str], Fraction]:
    """Return wanted standard deviations by level and query, for `plan_targets`."""
    section = root.section("targets", levels)
    found = {}
    for level in levels:
        part = section.section(level, queries)
        for query in part.content:
            wanted = read_fraction(part, query, "5.0")
            if wanted == 0:
                part.wrong(query, "is 0", "write a standard deviation above 0")
            elif wanted is not None:
                found[level, query] = wanted
    return found


def make_allocation(budget: tuple[Fraction, Fraction], shares: LevelShares) -> Allocation:
    """Return the allocation of what was read."""
    return Allocation(*budget, tuple(shares[0]), tuple(shares[1]))
