"""Floor 2: mechanisms. Each is an immutable value that releases, says what it costs and how far it errs."""

from discreet.base.grid import Grid
from discreet.mechanisms.discrete_gaussian import DiscreteGaussian
from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.key_selection import KeySelection
from discreet.mechanisms.key_threshold import KeyThreshold
from discreet.mechanisms.laplace import Geometric, Laplace, TruncatedLaplace
from discreet.mechanisms.noisy_max import NoisyMax
from discreet.mechanisms.permute_and_flip import PermuteAndFlip
from discreet.mechanisms.quantile import Quantile
from discreet.mechanisms.randomized_response import RandomizedResponse
from discreet.mechanisms.sparse_vector import SparseVector
from discreet.mechanisms.staircase import Staircase
from discreet.mechanisms.vector import CountingQueries

__all__ = [
    "CountingQueries",
    "DiscreteGaussian",
    "Exponential",
    "Gaussian",
    "Geometric",
    "Grid",
    "KeySelection",
    "KeyThreshold",
    "Laplace",
    "NoisyMax",
    "PermuteAndFlip",
    "Quantile",
    "RandomizedResponse",
    "SparseVector",
    "Staircase",
    "TruncatedLaplace",
]
