"""Floor 1: exact integer draws from the operating system's randomness.

Every function draws from exactly the distribution it names: no float rounding touches a probability, and
there is no seed. The method is in `interval`; the randomness in `bits`.
"""

from discreet.noise.coin import bernoulli, bernoulli_exp, uniform_int
from discreet.noise.gaussian import discrete_gaussian, rounded_gaussian
from discreet.noise.laplace import discrete_laplace, geometric
from discreet.noise.race import exponential_argmax, gumbel_argmax, laplace_argmax

__all__ = [
    "bernoulli",
    "bernoulli_exp",
    "discrete_gaussian",
    "discrete_laplace",
    "exponential_argmax",
    "geometric",
    "gumbel_argmax",
    "laplace_argmax",
    "rounded_gaussian",
    "uniform_int",
]
