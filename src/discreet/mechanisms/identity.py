"""What a mechanism is for the ledger: its form, written out field by field (`base.forms` says what never changes)."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, TypeVar

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
from discreet.mechanisms.robust.order_statistic import OrderStatistic
from discreet.mechanisms.robust.propose_test_release import ProposeTestRelease
from discreet.mechanisms.robust.smooth_noises import SmoothLaplace, SmoothLogNormal, SmoothStudent
from discreet.mechanisms.robust.trimmed_mean import TrimmedMean
from discreet.mechanisms.robust.unbounded import InterquartileRange, UnboundedMean
from discreet.mechanisms.robust.universal import UniversalMean, UniversalQuartiles, UniversalVariance
from discreet.mechanisms.sparse_vector import SparseVector
from discreet.privacy import Neighbours

VERSION = 1
"""The version of all forms of mechanisms together."""

T = TypeVar("T")

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
        OrderStatistic: ("order statistic", same_names("share low high rows")),
        TrimmedMean: ("trimmed mean", same_names("trim low high rows fineness neighbours public_size")),
        ProposeTestRelease: ("propose test release", same_names("epsilon delta proposal")),
        SmoothLaplace: ("smooth laplace", same_names("base rows epsilon delta")),
        SmoothStudent: ("smooth student", same_names("base rows epsilon degrees")),
        SmoothLogNormal: ("smooth log normal", same_names("base rows rho sigma")),
        UnboundedMean: ("unbounded mean", same_names("epsilon rows neighbours")),
        InterquartileRange: ("interquartile range", same_names("epsilon rows neighbours")),
        UniversalMean: ("universal mean", same_names("epsilon rows neighbours")),
        UniversalVariance: ("universal variance", same_names("epsilon rows neighbours")),
        UniversalQuartiles: ("universal quartiles", same_names("epsilon rows neighbours")),
        Grid: ("grid", same_names("step missing")),
    },
    {Neighbours: {"ADD_REMOVE": "add-remove", "REPLACE": "replace"}},
)


def describe_mechanism(mechanism: object) -> Json:
    """Return the form of a mechanism: equal for mechanisms that release alike, and only for those."""
    return {"version": VERSION, "mechanism": FORMS.describe(mechanism)}


def renew_mechanism(made: T) -> T:
    """Return the same mechanism made anew from its fields: what somebody wrote beside them has no effect.

    What is none of the list stays as it is, and is refused where it is described.
    """
    if type(made) not in FORMS.classes:
        return made
    held: Any = made
    return replace(held, **{each.name: renew_mechanism(getattr(held, each.name)) for each in fields(held)})  # type: ignore[no-any-return]
