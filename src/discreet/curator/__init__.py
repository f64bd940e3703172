"""Floor 4: the curator, who holds the tables and answers questions."""

from discreet.curator.asking.columns import col
from discreet.curator.curator import Curator

__all__ = ["Curator", "col"]
