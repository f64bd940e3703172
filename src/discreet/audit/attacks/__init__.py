"""Attacks that people understand: what an attacker learns from a table with and without protection.

>>> from discreet.audit import attacks
>>> found = attacks.difference(targets=100)  # doctest: +SKIP
>>> print(found)  # doctest: +SKIP
"""

from discreet.audit.attacks.averaging import Averaging, average
from discreet.audit.attacks.differencing import Differencing, difference
from discreet.audit.attacks.float_bits import FloatBits, read_bits
from discreet.audit.attacks.guesses import bound_caught, bound_right_guesses
from discreet.audit.attacks.linkage import Linkage, link
from discreet.audit.attacks.people import Secret, find_secret
from discreet.audit.attacks.reconstruction import Reconstruction, reconstruct
from discreet.audit.attacks.tables import read_people
from discreet.audit.attacks.tracing import Tracing, encode_attributes, trace

__all__ = [
    "Averaging",
    "Differencing",
    "FloatBits",
    "Linkage",
    "Reconstruction",
    "Secret",
    "Tracing",
    "average",
    "bound_caught",
    "bound_right_guesses",
    "difference",
    "encode_attributes",
    "find_secret",
    "link",
    "read_bits",
    "read_people",
    "reconstruct",
    "trace",
]
