"""Families as JSON and back, and single groups of them: for what was measured, which is recorded and saved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.families.conjunctions import Conjunctions
from discreet.families.domain import Domain
from discreet.families.explicit import TableFamily, WrittenGroup
from discreet.families.family import Family
from discreet.families.marginals import Marginals
from discreet.families.parities import Parities
from discreet.families.ranges import Ranges
from discreet.families.trees import Tree


def take_group(family: Family, group: int) -> Family:
    """Return the family that has just one group of another: as group 0."""
    family.check_group(group)
    match family:
        case Marginals():
            return replace(family, sets=(family.sets[group],))
        case Parities():
            return replace(family, masks=(family.masks[group],))
        case Ranges():
            return replace(family, boxes=(family.boxes[group],))
        case Conjunctions():
            return replace(family, conjunctions=(family.conjunctions[group],))
        case TableFamily():
            return TableFamily(family.domain, (family.written[group],))
    return family


def write_family(family: Family) -> Json:
    """Return a family of the closed list as JSON: its form, and of written questions the numbers themselves."""
    if isinstance(family, TableFamily):
        groups: list[Json] = [[list(each.columns), each.matrix.tolist()] for each in family.written]
        return {"table": {"sizes": list(family.domain.sizes), "groups": groups}}
    return family.describe()


def read_family(form: Any) -> Family:
    """Return the family of what `write_family` wrote."""
    ((kind, parts),) = form.items()
    if kind == "parities":
        columns = parts["columns"]
        return Parities(Domain((2,) * columns), tuple(sum(1 << place for place in each) for each in parts["sets"]))
    domain = Domain(tuple(parts["sizes"]))
    match kind:
        case "marginals":
            return Marginals(domain, _freeze(parts["sets"]), _freeze(parts.get("bins", [])))
        case "ranges":
            return Ranges(domain, _freeze(parts["columns"]), _freeze(parts["boxes"]))
        case "tree":
            return Tree(domain, parts["column"], parts["fan_out"], parts.get("root", False))
        case "conjunctions":
            return Conjunctions(domain, _freeze(parts["terms"]))
        case "table":
            written = (WrittenGroup(tuple(columns), np.array(matrix)) for columns, matrix in parts["groups"])
            return TableFamily(domain, tuple(written))
    raise ParameterError("family", kind, "marginals, parities, ranges, tree, conjunctions or table")


def _freeze(listed: Any) -> Any:
    return tuple(_freeze(each) for each in listed) if isinstance(listed, list) else listed
