"""Floor 3: the durable record of every charge and answer, and the one place that says whether a budget is spent."""

from discreet.ledger.entries.chain import Entry
from discreet.ledger.entries.claims import Claim, Request
from discreet.ledger.entries.journal import JournalRow
from discreet.ledger.entries.states import Keepsake
from discreet.ledger.entries.suspensions import Suspension
from discreet.ledger.facts import LedgerFacts
from discreet.ledger.failures import Failure
from discreet.ledger.ledger import Ledger
from discreet.ledger.places import Place
from discreet.ledger.postgres.server import Server
from discreet.ledger.verify import Verification, verify_place

__all__ = [
    "Claim",
    "Entry",
    "Failure",
    "JournalRow",
    "Keepsake",
    "Ledger",
    "LedgerFacts",
    "Place",
    "Request",
    "Server",
    "Suspension",
    "Verification",
    "verify_place",
]
