"""Linear families of questions about finite domains: marginals, parities, ranges and what people write themselves."""

from discreet.families.closed_list import FAMILIES, check_family
from discreet.families.conjunctions import Conjunctions
from discreet.families.domain import DenseTable, Domain, RowTable
from discreet.families.explicit import TableFamily
from discreet.families.family import Family, RowBound
from discreet.families.marginals import Marginals
from discreet.families.parities import Parities
from discreet.families.ranges import Ranges
from discreet.families.trees import Tree

__all__ = [
    "FAMILIES",
    "Conjunctions",
    "DenseTable",
    "Domain",
    "Family",
    "Marginals",
    "Parities",
    "Ranges",
    "RowBound",
    "RowTable",
    "TableFamily",
    "Tree",
    "check_family",
]
