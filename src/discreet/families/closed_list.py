"""The closed list of families whose bounds are proven, and how all others are made into one of them."""

from __future__ import annotations

import numpy as np

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.families.conjunctions import Conjunctions
from discreet.families.domain import Domain
from discreet.families.explicit import TableFamily, WrittenGroup
from discreet.families.family import Family
from discreet.families.marginals import Marginals
from discreet.families.parities import Parities
from discreet.families.ranges import Ranges
from discreet.families.trees import Tree

FAMILIES: tuple[type[Family], ...] = (Marginals, Parities, Ranges, Tree, Conjunctions, TableFamily)
"""The classes that may see exact counts: what `bound_row` says of them is proven beside it, and tested."""

MOST_GROUPS = 10_000
"""Groups of a class of one's own: each is written out."""


def check_family(family: Family) -> Family:
    """Return a family that may see exact counts: the one given, or its numbers written out.

    A class that is not on the list, also one that inherits from one on it, is asked for its domain, its columns and its
    whole numbers for each cell (`list_rows`), all of them public, and once. Of these a `TableFamily` is made, with
    bounds computed from the numbers. So whatever the class does, its own code never sees a count, and a bound that it
    states counts for nothing.
    """
    if type(family) in FAMILIES:
        return family
    if not isinstance(family, Family):
        raise ParameterError("family", type(family), "a family, such as Marginals.up_to(domain, 2)")
    domain = Domain(family.domain.sizes)
    groups = check.integer("groups", family.groups, least=1, most=MOST_GROUPS)
    written = []
    for group in range(groups):
        columns = domain.check_columns(family.find_columns(group))
        domain.check_size(columns)
        written.append(WrittenGroup(columns, np.asarray(family.list_rows(group))))
    return TableFamily(domain, tuple(written))
