"""What is shown to a person: answers and the receipts of what they cost."""

from discreet.answers.accuracy import Accuracy
from discreet.answers.answer import Answer, Intervals
from discreet.answers.fields import Bounds, Field
from discreet.answers.left_out import LeftOut
from discreet.answers.receipt import Mark, Receipt
from discreet.answers.table import AnswerTable
from discreet.answers.words import CLAMPED, SELECTED

__all__ = [
    "CLAMPED",
    "SELECTED",
    "Accuracy",
    "Answer",
    "AnswerTable",
    "Bounds",
    "Field",
    "Intervals",
    "LeftOut",
    "Mark",
    "Receipt",
]
