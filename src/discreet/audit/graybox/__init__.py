"""Gray box: neighbour replay. What one unit changes beside noise, found by running an operation on neighbours.

`discreet.audit.replay(operation, neighbours)` is the one line of a test; `docs/replay.md` says what it sees.
"""

from discreet.audit.graybox.comparing.report import FindingKind, Moved, ReplayError, ReplayFinding, ReplayReport
from discreet.audit.graybox.databases.neighbours import ReplayDatabase, ReplayNeighbours, list_values, make_neighbours
from discreet.audit.graybox.recording.listening import listen_to
from discreet.audit.graybox.replaying import replay

__all__ = [
    "FindingKind",
    "Moved",
    "ReplayDatabase",
    "ReplayError",
    "ReplayFinding",
    "ReplayNeighbours",
    "ReplayReport",
    "list_values",
    "listen_to",
    "make_neighbours",
    "replay",
]
