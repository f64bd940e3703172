"""The geography of a census spec: read from a public file, what is wrong is noted."""

from __future__ import annotations

import re
from fractions import Fraction

from discreet.base.errors import ParameterError
from discreet.policy.model import DeclaredColumn
from discreet.policy.problems import Problems, quote_value
from discreet.policy.section import Section
from discreet.topdown.spec.files import PublicFolder
from discreet.topdown.spec.spine import Spine, TreeError, build_spine, regroup_level


def note_error(problems: Problems, error: ParameterError) -> None:
    """Note what a check complains about, in the form that all problems have."""
    got = str(error).rpartition("; got ")[2]
    deep = 2 if error.name.startswith("geography.regroup.") else 1
    problems.add(error.name.split(".", deep), f"is {got}", f"it must be {error.allowed}")


def read_levels(root: Section) -> tuple[str, ...]:
    """Return the names of the levels, the whole first: columns of the geography's file."""
    section = root.section("geography", ("file", "levels", "regroup"))
    levels = section.texts("levels")
    if len(levels) < 2 or len(set(levels)) < len(levels):
        remedy = 'write at least two columns of the file, the whole first, such as levels = ["Country", "County"]'
        section.wrong("levels", f"is {quote_value(list(levels))}", remedy)
        return ()
    return levels


def read_spine(
    root: Section, levels: tuple[str, ...], folder: PublicFolder, column: DeclaredColumn | None
) -> Spine | None:
    """Return the tree of areas, with the levels regrouped that are to be; None where something is wrong."""
    section = root.section("geography", ("file", "levels", "regroup"))
    if "file" not in section:
        section.wrong("file", "is missing", 'write a file with a row for each smallest area, as in file = "areas.csv"')
        return None
    columns = folder.read(section, "file", levels)
    if columns is None:
        return None
    wanted = section.section("regroup", levels[1:-1])
    sizes = {level: wanted.whole(level) for level in levels[1:-1] if level in wanted}
    try:
        spine = build_spine(levels, [columns[level] for level in levels])
        for level, children in sizes.items():
            if children is not None:
                spine = regroup_level(spine, level, children)
    except TreeError as error:
        for each in error.faults:
            note_error(section.problems, each)
        return None
    except ParameterError as error:
        note_error(section.problems, error)
        return None
    _check_bounds(section, spine, column)
    return spine


def _check_bounds(section: Section, spine: Spine, column: DeclaredColumn | None) -> None:
    """Refuse smallest areas beyond the policy's bounds of their column, where nobody could be counted; and at them.

    Numbers beyond a bound are read as the bound: whoever lives in another area would be counted in the one there.
    """
    if column is None or not isinstance(column.lower, Fraction) or not isinstance(column.upper, Fraction):
        return
    where = f"the policy's bounds of the column {quote_value(column.name)}"
    at_bounds = []
    for name in spine.geography.leaves.areas:
        number = int(name) if re.fullmatch("-?[0-9]+", name) else None
        if number is None or not column.lower <= number <= column.upper:
            wrong = f"{quote_value(name)} is outside of {where}"
            section.wrong("file", wrong, "widen lower and upper there, or take them out")
            return
        if number in (column.lower, column.upper):
            at_bounds.append(name)
    if at_bounds:
        wrong = f"{quote_value(at_bounds[0])} is one of {where}, and who lives beyond would be counted in it"
        section.wrong("file", wrong, "widen lower and upper there by 1, or take them out")
