"""Floor 1: what a privacy loss is, how losses compose, and filters for adaptive analysts."""

from discreet.privacy.budget import BudgetFilter
from discreet.privacy.certified import Certified
from discreet.privacy.charges import Charge
from discreet.privacy.composition import parallel
from discreet.privacy.filter import Filter
from discreet.privacy.filters import filter_over
from discreet.privacy.loss import Loss
from discreet.privacy.losses.best_of import BestOfLoss
from discreet.privacy.losses.composed import ComposedLoss
from discreet.privacy.losses.concentrated import OffsetZcdpLoss, ZcdpLoss
from discreet.privacy.losses.discrete_gaussian import DiscreteGaussianLoss
from discreet.privacy.losses.gaussian_mixture import GaussianMixtureLoss
from discreet.privacy.losses.guarantees import ApproximateLoss, BoundedRangeLoss, PureLoss
from discreet.privacy.losses.noises import (
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    RandomizedResponseLoss,
)
from discreet.privacy.losses.renyi import RenyiLoss
from discreet.privacy.losses.replace_sampled import FixedSizeSampledLoss, ReplaceSampledLoss
from discreet.privacy.losses.replace_sampled_gaussian import ReplaceSampledGaussianLoss
from discreet.privacy.losses.sampled import SampledLoss
from discreet.privacy.losses.shuffled import ShuffledLoss
from discreet.privacy.neighbours import Neighbours
from discreet.privacy.odometer import Odometer

__all__ = [
    "ApproximateLoss",
    "BestOfLoss",
    "BoundedRangeLoss",
    "BudgetFilter",
    "Certified",
    "Charge",
    "ComposedLoss",
    "DiscreteGaussianLoss",
    "DiscreteLaplaceLoss",
    "Filter",
    "FixedSizeSampledLoss",
    "GaussianLoss",
    "GaussianMixtureLoss",
    "LaplaceLoss",
    "Loss",
    "Neighbours",
    "Odometer",
    "OffsetZcdpLoss",
    "PureLoss",
    "RandomizedResponseLoss",
    "RenyiLoss",
    "ReplaceSampledGaussianLoss",
    "ReplaceSampledLoss",
    "SampledLoss",
    "ShuffledLoss",
    "ZcdpLoss",
    "filter_over",
    "parallel",
]
