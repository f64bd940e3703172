"""What a mechanism is for the ledger: its form, written out field by field (`base.forms` says what never changes)."""

from __future__ import annotations

from discreet.base.canonical import Json
from discreet.base.forms import Forms, same_names
from discreet.base.grid import Grid
from discreet.mechanisms.discrete_gaussian import DiscreteGaussian
from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.key_selection import KeySelection
from discreet.mechanisms.key_threshold import KeyThreshold
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.noisy_max import NoisyMax
from discreet.mechanisms.permute_and_flip import PermuteAndFlip
from discreet.mechanisms.quantile import Quantile
from discreet.mechanisms.sparse_vector import SparseVector

VERSION = 1
"""The version of all forms of mechanisms together."""

FORMS = Forms(
    {
        Laplace: ("laplace", same_names("scale grid dim")),
        Gaussian: ("gaussian", same_names("sigma grid dim")),
        DiscreteGaussian: ("discrete gaussian", same_names("sigma grid dim")),
        Quantile: ("quantile with counts", same_names("share points epsilon rows sides pure")),
        KeySelection: ("key selection", same_names("epsilon delta groups")),
        KeyThreshold: ("key threshold", same_names("noise delta groups rows")),
        Exponential: ("exponential", same_names("scale monotone grid")),
        NoisyMax: ("noisy max", same_names("scale monotone grid noise")),
        PermuteAndFlip: ("permute and flip", same_names("scale monotone grid")),
        SparseVector: (
            "sparse vector",
            same_names("threshold_scale question_scale cutoff answer_scale redraw monotone grid"),
        ),
        Grid: ("grid", same_names("step missing")),
    }
)


def describe_mechanism(mechanism: object) -> Json:
    """Return the form of a mechanism: equal for mechanisms that release alike, and only for those."""
    return {"version": VERSION, "mechanism": FORMS.describe(mechanism)}
