"""Floor 1: what a privacy loss is, how losses compose, and filters for adaptive analysts."""

from discreet.privacy.budget import BudgetFilter
from discreet.privacy.certified import Certified
from discreet.privacy.charges import Charge
from discreet.privacy.composition import parallel
from discreet.privacy.filter import Filter
from discreet.privacy.filters import filter_over
from discreet.privacy.loss import Loss
from discreet.privacy.losses.composed import ComposedLoss
from discreet.privacy.losses.guarantees import ApproximateLoss, BoundedRangeLoss, PureLoss, ZcdpLoss
from discreet.privacy.losses.noises import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    RandomizedResponseLoss,
)
from discreet.privacy.losses.sampled import SampledLoss
from discreet.privacy.neighbours import Neighbours
from discreet.privacy.odometer import Odometer

__all__ = [
    "ApproximateLoss",
    "BoundedRangeLoss",
    "BudgetFilter",
    "Certified",
    "Charge",
    "ComposedLoss",
    "DiscreteGaussianLoss",
    "DiscreteLaplaceLoss",
    "Filter",
    "GaussianLoss",
    "LaplaceLoss",
    "Loss",
    "Neighbours",
    "Odometer",
    "PureLoss",
    "RandomizedResponseLoss",
    "SampledLoss",
    "ZcdpLoss",
    "filter_over",
    "parallel",
]
