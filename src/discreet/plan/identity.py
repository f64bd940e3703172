"""What a plan is for the ledger: its form, written out field by field (`base.forms` says what never changes).

Names of functions (`plan.functions`) and of types (`base.types`) stand in these forms as they are: they are never
renamed either.
"""

from __future__ import annotations

from discreet.base.canonical import Json, hash_json, write_json
from discreet.base.forms import Forms, same_names
from discreet.base.types import Type
from discreet.plan.bounded import BoundedPlan, JointKeys, Key, KeySet, Limits, Measure, Part, TableFacts
from discreet.plan.expressions import Call, Column, Literal, Reference, Slot
from discreet.plan.grid import ClampedGrid
from discreet.plan.relations import (
    Block,
    InnerAggregate,
    InnerKind,
    Lookup,
    Match,
    Nested,
    NumberKind,
    PerUnit,
    RowNumber,
    Scan,
    Union,
    UnitCondition,
)
from discreet.plan.rows_plan import DeclaredPlan, GridColumn, RowsPlan

VERSION = 1
"""The version of all forms of plans together."""

FORMS = Forms(
    {
        Column: ("column", same_names("relation name type digits")),
        Reference: ("reference", same_names("relation slot index type digits")),
        Literal: ("literal", same_names("value type")),
        Call: ("call", same_names("function arguments type")),
        Scan: ("scan", same_names("table relation rows unique through content")),
        Nested: ("nested", same_names("relation block outputs numbers")),
        RowNumber: ("row number", same_names("kind partition order")),
        Union: ("union", same_names("relation branches types")),
        PerUnit: ("per unit", same_names("relation block keys aggregates")),
        InnerAggregate: ("inner aggregate", same_names("kind argument type grid")),
        Lookup: ("lookup", same_names("table relation on keep fan_out")),
        Match: ("match", same_names("source on keep")),
        UnitCondition: ("unit condition", same_names("block anti")),
        Block: ("block", same_names("source joins where")),
        ClampedGrid: ("grid", same_names("center step lower upper")),
        Measure: ("measure", same_names("part argument grid other other_grid share")),
        Limits: ("limits", same_names("rows groups rows_per_group")),
        Key: ("key", same_names("expression domain")),
        JointKeys: ("joint keys", same_names("keys rows")),
        KeySet: ("key set", same_names("keys limits")),
        TableFacts: ("table facts", same_names("table rows letters")),
        BoundedPlan: ("bounded plan", same_names("block units keys sets measures factor tables joint")),
        GridColumn: ("grid column", same_names("expression grid")),
        RowsPlan: ("rows plan", same_names("block units columns rows factor tables")),
    },
    {
        Part: {
            "ROWS": "rows",
            "VALUES": "values",
            "UNITS": "units",
            "SUM": "sum",
            "SQUARES": "squares",
            "PRODUCTS": "products",
            "DISTINCT": "distinct",
            "DISTINCT_SUM": "distinct sum",
            "OUTSIDE": "outside",
            "QUANTILE": "quantile",
            "RANKS": "ranks",
        },
        InnerKind: {
            "ROWS": "rows",
            "VALUES": "values",
            "DISTINCT": "distinct",
            "SUM": "sum",
            "MEAN": "mean",
            "LEAST": "least",
            "GREATEST": "greatest",
            "SUM_DISTINCT": "distinct sum",
            "MEAN_DISTINCT": "distinct mean",
        },
        NumberKind: {"ROW": "row", "RANK": "rank", "DENSE": "dense"},
        Slot: {"OUTPUT": "output", "KEY": "key", "AGGREGATE": "aggregate", "SET": "set"},
        Type: {kind.name: kind.value for kind in Type},
    },
    {Column: frozenset({"bits"}), Reference: frozenset({"name", "bits"})},
)


def describe_plan(plan: DeclaredPlan) -> Json:
    """Return the form of a plan: equal for plans that read and release the same, and only for those."""
    return {"version": VERSION, "plan": FORMS.describe(plan)}


def hash_plan(plan: DeclaredPlan) -> str:
    """Return the hash of a plan's form."""
    return hash_json(describe_plan(plan))


def write_sort_key(node: object) -> str:
    """Return a text by which parts of a plan are sorted, so that their order does not depend on how they were asked."""
    return write_json(FORMS.describe(node))
