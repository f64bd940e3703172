"""The client of the local model: a person's own device randomises a value before anybody else sees it.

Standard library only, and small enough to copy into another project.
"""

from .changing import ChangingBit, ChangingPerson, ChangingReport
from .coins import Coins, KeyedCoins, SystemCoins
from .direct import DirectResponse
from .domain import OTHER, Choices, Numbers, Texts
from .errors import ClientError
from .hadamard import HadamardBit
from .hashing import LocalHashing
from .mechanism import ItemMechanism, Mechanism, Randomised
from .memoised import MemoisedHashing, MemoisedMechanism, MemoisedUnary
from .metric import Metric, read_metric
from .projective import ProjectiveResponse
from .rappor import Rappor
from .rappor_strings import RapporStrings
from .report import Report, read_json_report, read_report
from .subset import SubsetSelection
from .unary import UnaryEncoding

__all__ = [
    "OTHER",
    "ChangingBit",
    "ChangingPerson",
    "ChangingReport",
    "Choices",
    "ClientError",
    "Coins",
    "DirectResponse",
    "HadamardBit",
    "ItemMechanism",
    "KeyedCoins",
    "LocalHashing",
    "Mechanism",
    "MemoisedHashing",
    "MemoisedMechanism",
    "MemoisedUnary",
    "Metric",
    "Numbers",
    "ProjectiveResponse",
    "Randomised",
    "Rappor",
    "RapporStrings",
    "Report",
    "SubsetSelection",
    "SystemCoins",
    "Texts",
    "UnaryEncoding",
    "read_json_report",
    "read_metric",
    "read_report",
]
