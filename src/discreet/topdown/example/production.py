"""The settings of the United States' census of 2020 for persons (redistricting data), as a census spec.

Of the shares, rho, those of the levels, those of the totals below the whole and that of the detailed query at the
smallest areas are the published facts that this project was given. The other shares are written from memory of the same
table; they add up to 1 with the given ones, and were not compared with the original.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from discreet.policy.exact import write_number

RHO = Fraction(293764, 114921)
DELTA = Fraction(1, 10**10)
STRICT_DELTA = Fraction(1, 10**11)
"""At the announced delta of 1e-10 a country's people times delta exceeds the limit of 0.01; at this one it does not."""

ANNOUNCED_EPSILON = 17.14

KINDS = (
    "household",
    "correctional",
    "juvenile",
    "nursing",
    "other institution",
    "college",
    "military",
    "other facility",
)
"""Where people live: households, four kinds of institutions, three of other facilities."""

INSTITUTIONS = {
    "household": KINDS[:1],
    "institutional": KINDS[1:5],
    "other facilities": KINDS[5:],
}
VOTING_AGE = ("minor", "adult")
ETHNICITY = ("not Hispanic", "Hispanic")
SINGLE_RACES = ("white", "black", "native", "asian", "islander", "other")
RACES = tuple("+".join(group) for size in range(1, 7) for group in combinations(SINGLE_RACES, size))
"""All 63 combinations of six races."""

LEVELS = ("US", "State", "County", "Tract", "Block group", "Block")
QUERIES: dict[str, tuple[str, ...]] = {
    "total": (),
    "institution": ("institution",),
    "kind": ("kind",),
    "voting age": ("voting_age",),
    "ethnicity": ("ethnicity",),
    "race": ("race",),
    "voting age x ethnicity": ("voting_age", "ethnicity"),
    "voting age x race": ("voting_age", "race"),
    "ethnicity x race": ("ethnicity", "race"),
    "voting age x ethnicity x race": ("voting_age", "ethnicity", "race"),
    "detailed": ("kind", "voting_age", "ethnicity", "race"),
}

LEVEL_SHARES = {"US": 104, "State": 1440, "County": 447, "Tract": 687, "Block group": 1256, "Block": 165}
"""Of 4099."""

QUERY_SHARES: dict[str, tuple[int, tuple[int, ...]]] = {
    "US": (4097, (0, 26, 26, 26, 26, 52, 26, 130, 130, 442, 3213)),
    "State": (4097, (3773, 6, 6, 6, 6, 6, 6, 12, 12, 34, 230)),
    "County": (4097, (3126, 10, 10, 10, 10, 10, 10, 28, 28, 101, 754)),
    "Tract": (4102, (1567, 5, 5, 5, 5, 8, 5, 20, 1933, 67, 482)),
    "Block group": (4099, (1705, 3, 3, 3, 3, 3, 3, 9, 1055, 24, 1288)),
    "Block": (4097, (5, 5, 5, 5, 5, 9, 5, 21, 21, 71, 3945)),
}
"""For each level the denominator, and the share of each query in the order of `QUERIES`; 0 where it is not measured."""

REGROUPED = 30
"""Blocks in a group, where block groups are regrouped."""


def write_spec(rho: Fraction = RHO, delta: Fraction = DELTA, regroup: bool = False, state_totals: bool = True) -> str:
    """Return a census spec with these settings, for the files that `make_state` writes."""
    lines = [*_write_head(), "", "[budget]", f'rho = "{rho}"', f"delta = {_write_amount(delta)}", ""]
    lines += ["[geography]", 'file = "geography.parquet"', f"levels = {_list(LEVELS)}"]
    lines += ["[geography.regroup]", f'"Block group" = {REGROUPED}'] if regroup else []
    lines += ["", "[attributes]", f"kind = {_list(KINDS)}", f"voting_age = {_list(VOTING_AGE)}"]
    lines += [f"ethnicity = {_list(ETHNICITY)}", f"race = {_list(RACES)}", ""]
    lines += ["[recodes.institution]", 'attribute = "kind"', "[recodes.institution.groups]"]
    lines += [f'"{label}" = {_list(values)}' for label, values in INSTITUTIONS.items()]
    lines += ["", '[zeros."minors in nursing homes"]', 'kind = ["nursing"]', 'voting_age = ["minor"]', "", "[queries]"]
    lines += [f'"{name}" = {_list(parts)}' for name, parts in QUERIES.items()]
    for level, share in LEVEL_SHARES.items():
        lines += ["", f'[levels."{level}"]', f'share = "{share}/4099"', f'[levels."{level}".queries]']
        whole, parts = QUERY_SHARES[level]
        lines += [f'"{name}" = "{part}/{whole}"' for name, part in zip(QUERIES, parts, strict=True) if part]
    return "\n".join([*lines, *_write_invariants(state_totals)]) + "\n"


def _write_head() -> list[str]:
    return [
        "# The settings of the census of 2020 for persons, on a generated state. All of it is public.",
        "[census]",
        'policy = "policy.toml"',
        'table = "people"               # a row for each person',
        'area = "block"                 # its column with the code of the smallest area',
    ]


def _write_invariants(state_totals: bool) -> list[str]:
    totals = ['[invariants."state totals"]', 'level = "State"', 'query = "total"', 'exact = "state_totals.csv"']
    return [
        *(["", *totals] if state_totals else []),
        "",
        "[invariants.facilities]        # a facility holds at least one person; where there is none, nobody",
        'level = "Block"',
        'query = "kind"',
        'facilities = "facilities.csv"',
        'except = ["household"]         # no facility: nothing is said of it',
    ]


def write_policy(size: int, codes: tuple[int, int], epsilon: str = "20", delta: str = "2e-10") -> str:
    """Return a policy for the people of a generated state: replace neighbours, since the number of people is public.

    The bounds of blocks are one wider than their codes at both ends, so that no row with another code is counted.
    """
    attributes = (("kind", KINDS), ("voting_age", VOTING_AGE), ("ethnicity", ETHNICITY), ("race", RACES))
    columns = "".join(f"{name} = {{ values = {_list(values)} }}\n" for name, values in attributes)
    return f"""\
[budget]
epsilon = {epsilon}
delta = {delta}

[privacy]
neighbours = "replace"          # how many people there are is public

[tables.people]
source = "people.parquet"
unit = "person"
max_rows = 1
size = {size}
version = "1"
[tables.people.columns]
block = {{ lower = {codes[0] - 1}, upper = {codes[1] + 1} }}
{columns}"""


def _write_amount(amount: Fraction) -> str:
    """Return an exact number as TOML: a decimal, or a quotient in quotes."""
    written = write_number(amount)
    return f'"{written}"' if "/" in written else written


def _list(values: tuple[str, ...]) -> str:
    return "[" + ", ".join(f'"{value}"' for value in values) + "]"
