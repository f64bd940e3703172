"""The rules of exact noise, each broken once."""

from __future__ import annotations

from mutants.mutant import Mutant, broken

BITS, LAPLACE, GAUSSIAN = "tests/noise/test_bits.py", "tests/noise/test_laplace.py", "tests/noise/test_gaussian.py"
COIN, RACE, INTERVAL = "tests/noise/test_coin.py", "tests/noise/test_race.py", "tests/noise/test_interval.py"
BOUNDS = "tests/noise/test_error_bounds.py"

MUTATIONS = [
    broken(
        "Laplace noise 5 % too small",
        "noise/laplace.py",
        "return Inversion(EXPONENTIAL, scale, shift, signed=True)",
        "return Inversion(EXPONENTIAL, float(scale) * 0.95, shift, signed=True)",
        LAPLACE,
    ),
    broken(
        "the sign of Laplace noise is dropped",
        "noise/laplace.py",
        "Inversion(EXPONENTIAL, scale, shift, signed=True)",
        "Inversion(EXPONENTIAL, scale, shift, signed=False)",
        LAPLACE,
    ),
    broken(
        "zero counted for both signs of Laplace noise",
        "noise/laplace.py",
        "return ball(scale) * -(((-1 / ball(scale)).exp() + 1) / 2).log()",
        "return arb(0)",
        LAPLACE,
    ),
    broken(
        "Gaussian noise 5 % too small",
        "noise/gaussian.py",
        'Inversion(NORMAL, scale_in_range("sigma", sigma), ',
        'Inversion(NORMAL, float(scale_in_range("sigma", sigma)) * 0.95, ',
        GAUSSIAN,
    ),
    broken(
        "Gaussian noise rounded down, not to nearest",
        "noise/gaussian.py",
        "lambda: arb(fmpq(1, 2)), signed=True",
        "lambda: arb(0), signed=True",
        GAUSSIAN,
    ),
    broken(
        "discrete Gaussian rejects too rarely",
        "noise/gaussian.py",
        "    twice_variance = 2 * Fraction(sigma) ** 2",
        "    twice_variance = Fraction(21, 10) * Fraction(sigma) ** 2",
        GAUSSIAN,
    ),
    broken(
        "the float estimate is believed where it cannot decide",
        "noise/interval.py",
        "        undecided: NDArray[np.bool_] = low != error",
        "        undecided: NDArray[np.bool_] = np.zeros(len(low), dtype=bool)",
        LAPLACE,
        GAUSSIAN,
        INTERVAL,
    ),
    broken(
        "more bits are zeros, not random",
        "noise/interval.py",
        "self.whole = self.whole << 64 | bits.one_word()",
        "self.whole = self.whole << 64",
        LAPLACE,
        GAUSSIAN,
        COIN,
        INTERVAL,
    ),
    broken(
        "an error bound below the real error of log",
        "noise/interval.py",
        "LOG_ERROR = 2.0**-48",
        "LOG_ERROR = 2.0**-56",
        BOUNDS,
    ),
    broken(
        "an error bound below the real error of ndtri",
        "noise/interval.py",
        "NDTRI_ERROR = 2.0**-46",
        "NDTRI_ERROR = 2.0**-53",
        BOUNDS,
    ),
    broken(
        "draws beyond int64 wrap",
        "noise/interval.py",
        "part[index] = min(exact, INT64)",
        "part[index] = exact % INT64",
        LAPLACE,
        GAUSSIAN,
        INTERVAL,
    ),
    broken(
        "a coin is reused",
        "noise/bits.py",
        "len(taken := block.read(wanted))",
        "len(taken := block.getvalue()[:wanted])",
        BITS,
    ),
    Mutant(
        "a forked child keeps its parent's randomness",
        (
            ("noise/bits.py", "        os.register_at_fork(after_in_child=self._empty)\n", ""),
            ("noise/bits.py", "owner == os.getpid() and len", "owner and len"),
        ),
        (BITS,),
    ),
    broken(
        "a coin at its threshold always falls heads",
        "noise/coin.py",
        "below[index] = prefix.whole < scaled(prefix.count)",
        "below[index] = True",
        COIN,
    ),
    broken(
        "uniform integers without rejection",
        "noise/coin.py",
        "    if limit < 2**64:\n",
        "    if limit < 0:\n",
        COIN,
    ),
    broken(
        "the race forgets the weights",
        "noise/race.py",
        "1 if weights is None else int(weights[i]), int(words[i])",
        "1, int(words[i])",
        RACE,
    ),
    broken(
        "Gumbel noise with the wrong sign",
        "noise/race.py",
        "    ends = [-(-(1 - arb(fmpq(edge, end))).log()).log()",
        "    ends = [(-(1 - arb(fmpq(edge, end))).log()).log()",
        RACE,
    ),
    broken(
        "near ties are decided by floats",
        "noise/race.py",
        "places[high >= threshold]",
        "places[np.argsort(high + low)[-2 if lead else -1 :]]",
        RACE,
    ),
    broken(
        "who is far behind is left out of a race whose front is, too",
        "noise/race.py",
        "    if found is None or not found[1] > _KNOWN - _NEAR + 1:\n",
        "    if found is None:\n",
        RACE,
    ),
    broken(
        "who is far behind is left out though its word says nothing",
        "noise/race.py",
        "~(far & known)",
        "~far",
        RACE,
    ),
]
