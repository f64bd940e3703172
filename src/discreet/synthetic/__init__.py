"""Synthetic data: models of a table that anybody may sample from and ask, made by multiplicative weights."""

from discreet.query.placed_columns import Condition
from discreet.synthetic.from_table import synthesize
from discreet.synthetic.model import SyntheticModel, load_model
from discreet.synthetic.online_weights import OnlineWeights
from discreet.synthetic.report.page import write_report
from discreet.synthetic.sampling import write_table
from discreet.synthetic.workload import MarginalWorkload as Marginals
from discreet.synthetic.workload import ParityWorkload as Parities
from discreet.synthetic.workload import QuestionWorkload as Questions
from discreet.synthetic.workload import RangeWorkload as Ranges

__all__ = [
    "Condition",
    "Marginals",
    "OnlineWeights",
    "Parities",
    "Questions",
    "Ranges",
    "SyntheticModel",
    "load_model",
    "synthesize",
    "write_report",
    "write_table",
]
