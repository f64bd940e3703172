"""What one row adds to a measure: a whole number inside its public reach, whatever the row holds."""

from __future__ import annotations

import math
from fractions import Fraction

from discreet.base.types import Type
from discreet.engines.dialect import Dialect
from discreet.plan.bounded import Measure, Part
from discreet.plan.expressions import Expression
from discreet.plan.grid import ClampedGrid
from discreet.plan.scales import find_scale


def write_contribution(measure: Measure, dialect: Dialect) -> str:
    """Return the SQL of a row's contribution; NULL only for values that are counted in cells or as distinct."""
    if measure.argument is None:
        return "1"
    value, missing = dialect.write_sql(measure.argument), _missing(measure, dialect)
    if measure.part in (Part.VALUES, Part.UNITS):
        return f"(CASE WHEN {missing} THEN 0 ELSE 1 END)"
    if measure.part is Part.DISTINCT and measure.grid is None:
        return f"(CASE WHEN {missing} THEN NULL ELSE {value} END)"
    assert measure.grid is not None
    if measure.part is Part.OUTSIDE:
        outside = _outside(measure.argument, measure.grid, dialect)
        return f"(CASE WHEN {missing} THEN 0 WHEN {outside} THEN 1 ELSE 0 END)"
    at = write_place(measure.argument, measure.grid, dialect)
    if measure.in_cells:
        return f"(CASE WHEN {missing} THEN NULL ELSE {at} - ({measure.grid.lower}) END)"
    if measure.part is Part.DISTINCT:
        return f"(CASE WHEN {missing} THEN NULL ELSE {at} END)"
    if measure.part is Part.SQUARES:
        at = f"({at} * {at})"
    if measure.part is Part.PRODUCTS:
        assert measure.other is not None
        assert measure.other_grid is not None
        at = f"({at} * {write_place(measure.other, measure.other_grid, dialect)})"
    return f"(CASE WHEN {missing} THEN 0 ELSE {at} END)"


def write_grid_value(argument: Expression, grid: ClampedGrid, dialect: Dialect) -> str:
    """Return the SQL of a row's grid point; NULL where its value is NULL or NaN."""
    at = write_place(argument, grid, dialect)
    return f"(CASE WHEN {_absent(argument, dialect)} THEN NULL ELSE {at} END)"


def _missing(measure: Measure, dialect: Dialect) -> str:
    return " OR ".join(_absent(each, dialect) for each in (measure.argument, measure.other) if each is not None)


def _absent(argument: Expression, dialect: Dialect) -> str:
    value = dialect.write_sql(argument)
    if argument.type is Type.FLOAT:
        return f"({value} IS NULL OR {dialect.is_nan(dialect.double(value))})"
    return f"{value} IS NULL"


def write_place(argument: Expression, grid: ClampedGrid, dialect: Dialect, name: str | None = None) -> str:
    """Return the SQL of the grid point of an expression, or of the column `name` that holds its values.

    A decimal is exact: it comes as the whole number of its last places, of which steps and center are whole numbers too
    but where a grid was declared otherwise.
    """
    value = name or dialect.write_sql(argument)
    if argument.type is not Type.DECIMAL:
        return write_point(dialect.double(value), grid, dialect)
    unit = 10 ** find_scale(argument)
    center, step = grid.center * unit, grid.step * unit
    if step == 1 and center.denominator == 1:
        low, high = (dialect.whole_constant(int(center) + end) for end in (grid.lower, grid.upper))
        held = f"least(greatest({value}, {low}), {high})"
        return dialect.bigint(f"({held} - {dialect.whole_constant(int(center))})" if center else held)
    return write_point(f"({dialect.double(value)} / {dialect.write_number(Fraction(unit))})", grid, dialect)


def _outside(argument: Expression, grid: ClampedGrid, dialect: Dialect) -> str:
    """Return whether a value lies outside the ends of its grid."""
    value, ends = dialect.write_sql(argument), [grid.center + at * grid.step for at in (grid.lower, grid.upper)]
    if argument.type is Type.DECIMAL:
        unit = 10 ** find_scale(argument)
        low, high = math.ceil(ends[0] * unit), math.floor(ends[1] * unit)
        return f"{value} < {dialect.whole_constant(low)} OR {value} > {dialect.whole_constant(high)}"
    first, last = (dialect.write_number(end) for end in ends)
    return f"{dialect.double(value)} < {first} OR {dialect.double(value)} > {last}"


def write_point(value: str, grid: ClampedGrid, dialect: Dialect) -> str:
    """Return floor((x - center) / step + 1/2), clamped as a float and only then made an integer: none is out of range.

    Infinite floats stay what they are and are clamped like others. Ends that floats do not hold exactly are enforced
    once more, in integers.
    """
    inverse, number = 1 / grid.step, dialect.write_number
    value = dialect.tame(value, _beyond(grid))
    steps = (
        f"({value} - {number(grid.center)}) * {number(inverse)}"
        if inverse.denominator == 1
        else f"({value} - {number(grid.center)}) / {number(grid.step)}"
    )
    low, high = number(Fraction(grid.lower)), number(Fraction(grid.upper))
    whole = dialect.bigint(f"least(greatest(floor({steps} + {number(Fraction(1, 2))}), {low}), {high})")
    return whole if grid.reach <= 1 << 53 else f"least(greatest({whole}, {grid.lower}), {grid.upper})"


def _beyond(grid: ClampedGrid) -> Fraction:
    """Return a number beyond both ends of a grid by more than its width: whatever lies there is clamped."""
    return 4 * (abs(grid.center) + (abs(grid.lower) + abs(grid.upper) + 1) * grid.step)
