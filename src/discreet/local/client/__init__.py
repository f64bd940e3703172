"""The client of the local model: a person's own device randomises a value before anybody else sees it.

Standard library only, and small enough to copy into another project.
"""

from .changing import ChangingBit, ChangingPerson, ChangingReport
from .client import Client, ClientSpending
from .coins import Coins, KeyedCoins, SystemCoins
from .direct import DirectResponse
from .domain import OTHER, UNKNOWN, AlphabetWords, BoundedNumbers, Choices, Records, Texts, ValueDomain
from .errors import ClientError
from .hadamard import HadamardBit
from .hashing import LocalHashing
from .mechanism import ItemMechanism, Mechanism, Randomised
from .memoised import MemoisedHashing, MemoisedMechanism, MemoisedUnary
from .metric import Metric, read_metric
from .numbers import NumberMechanism, OneBitMean
from .piecewise import HybridMean, PiecewiseMean
from .prefix import PrefixExtending
from .projective import ProjectiveResponse
from .puzzle import FragmentPuzzle
from .rappor import Rappor
from .rappor_strings import RapporStrings
from .report import Report, read_json_report, read_report
from .sampled import Sampled
from .sketch import CountMeanSketch, HadamardSketch, SketchMechanism
from .subset import SubsetSelection
from .unary import UnaryEncoding

__all__ = [
    "OTHER",
    "UNKNOWN",
    "AlphabetWords",
    "BoundedNumbers",
    "ChangingBit",
    "ChangingPerson",
    "ChangingReport",
    "Choices",
    "Client",
    "ClientError",
    "ClientSpending",
    "Coins",
    "CountMeanSketch",
    "DirectResponse",
    "FragmentPuzzle",
    "HadamardBit",
    "HadamardSketch",
    "HybridMean",
    "ItemMechanism",
    "KeyedCoins",
    "LocalHashing",
    "Mechanism",
    "MemoisedHashing",
    "MemoisedMechanism",
    "MemoisedUnary",
    "Metric",
    "NumberMechanism",
    "OneBitMean",
    "PiecewiseMean",
    "PrefixExtending",
    "ProjectiveResponse",
    "Randomised",
    "Rappor",
    "RapporStrings",
    "Records",
    "Report",
    "Sampled",
    "SketchMechanism",
    "SubsetSelection",
    "SystemCoins",
    "Texts",
    "UnaryEncoding",
    "ValueDomain",
    "read_json_report",
    "read_metric",
    "read_report",
]
