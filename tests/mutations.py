"""The rules of the project, each broken once: what `mutants.py` puts into a copy of the source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """A broken rule: the edits (file, old text, new text) that break it and the tests that must notice."""

    name: str
    edits: tuple[tuple[str, str, str], ...]
    tests: tuple[str, ...]


def broken(name: str, file: str, old: str, new: str, *tests: str) -> Mutant:
    """Return a mutant with one edit."""
    return Mutant(name, ((file, old, new),), tests)


BITS, LAPLACE, GAUSSIAN = "tests/noise/test_bits.py", "tests/noise/test_laplace.py", "tests/noise/test_gaussian.py"
COIN, RACE, INTERVAL = "tests/noise/test_coin.py", "tests/noise/test_race.py", "tests/noise/test_interval.py"
BOUNDS = "tests/noise/test_error_bounds.py"

NOISE = (
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
        "weights[i] if weights else 1, int(words[i])",
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
        "for i in np.flatnonzero(high >= threshold)",
        "for i in np.argsort(high + low)[-2 if lead else -1 :]",
        RACE,
    ),
)

BASE = (
    broken(
        "rounding up rounds down",
        "base/rounding.py",
        "    return -down(-value) + 0.0",
        "    return down(value) + 0.0",
        "tests/base/test_rounding.py",
    ),
    broken(
        "sums wrap at int64",
        "base/wide.py",
        "held: Ints = np.clip(value + bounded, -LIMIT, LIMIT)",
        "held: Ints = 4 * value + 4 * bounded",
        "tests/base/test_wide.py",
    ),
    broken(
        "values beyond the limit are not held",
        "base/wide.py",
        "return np.clip(array.astype(np.int64), -LIMIT, LIMIT)",
        "return array.astype(np.int64)",
        "tests/base/test_wide.py",
    ),
    broken(
        "error messages quote data",
        "base/errors.py",
        'kind = getattr(data, "dtype", None)',
        "kind = repr(data)",
        "tests/base/test_wide.py",
        "tests/base/test_errors.py",
    ),
    broken(
        "reals are rounded down to the grid",
        "base/grid.py",
        "floats / float(self.step) + 0.5",
        "floats / float(self.step)",
        "tests/base/test_grid.py",
    ),
    broken(
        "near a half, floats decide the grid point",
        "base/grid.py",
        "return np.floor(shifted - error), np.floor(shifted + error)",
        "return np.floor(shifted), np.floor(shifted)",
        "tests/base/test_grid.py",
    ),
    broken(
        "NaN is not replaced by the public value",
        "base/grid.py",
        "floats = np.where(np.isnan(floats), self.missing, floats)",
        "floats = np.nan_to_num(floats, nan=1.0, posinf=np.inf, neginf=-np.inf)",
        "tests/base/test_grid.py",
    ),
)

PRIVACY = (
    broken(
        "the discrete Laplace is charged as a wider one",
        "privacy/noises.py",
        "rate = 1 / ball(self.scale)",
        "rate = 1 / (ball(self.scale) * 1.05)",
        "tests/privacy/test_noises.py",
        "tests/mechanisms/test_laplace.py",
    ),
    broken(
        "the Gaussian curve with half the shift",
        "privacy/noises.py",
        "near, far = ball(epsilon) / mu - mu / 2, ball(epsilon) / mu + mu / 2",
        "near, far = ball(epsilon) / mu - mu / 4, ball(epsilon) / mu + mu / 4",
        "tests/privacy/test_noises.py",
        "tests/mechanisms/test_gaussian.py",
    ),
    broken(
        "the exponential mechanism charged with half its range",
        "privacy/guarantees.py",
        "        top, at = ball(self.epsilon_), ball(epsilon)",
        "        top, at = ball(self.epsilon_) / 2, ball(epsilon) / 2",
        "tests/privacy/test_guarantees.py",
        "tests/mechanisms/test_exponential.py",
    ),
    broken(
        "the zCDP conversion forgets a factor",
        "privacy/guarantees.py",
        "exponent.exp() / (order - 1)",
        "exponent.exp() / (order - 1) / 100",
        "tests/privacy/test_guarantees.py",
    ),
    broken(
        "a certified bound is the lower one",
        "privacy/loss.py",
        "low, high = down(below), up(above)",
        "low, high = down(below), down(below)",
        "tests/privacy",
    ),
    broken(
        "an unknown version of a loss is guessed",
        "privacy/loss.py",
        "version if type(version) is int else -1]",
        "1]",
        "tests/privacy/test_loss.py",
    ),
    broken(
        "the discrete Gaussian's tail without its rest",
        "privacy/discrete_normal.py",
        "    return total + rest * arb(mid=0, rad=1)",
        "    return total * arb('0.999999')",
        "tests/privacy/test_discrete_normal.py",
    ),
)

MECHANISMS = (
    broken(
        "scales are rounded down",
        "mechanisms/laplace.py",
        'ratio_up(steps, check.positive("epsilon", epsilon))',
        'float(steps / Fraction(check.positive("epsilon", epsilon))) * (1 - 2**-52)',
        "tests/mechanisms/test_laplace.py",
        "tests/mechanisms/test_additive.py",
    ),
    broken(
        "intervals one step too narrow",
        "mechanisms/laplace.py",
        "return max(0, floor_of(crossing))",
        "return max(0, floor_of(crossing) - 1)",
        "tests/mechanisms/test_laplace.py",
    ),
    broken(
        "the classical Gaussian formula from epsilon 1 on",
        "mechanisms/gaussian.py",
        "if bound >= 1:",
        "if bound >= 10:",
        "tests/mechanisms/test_gaussian.py",
    ),
    broken(
        "discrete Gaussian vectors charged as one number",
        "mechanisms/discrete_gaussian.py",
        'if check.integer("dim", count, least=1) == 1:',
        'if check.integer("dim", count, least=1):',
        "tests/mechanisms/test_discrete_gaussian.py",
    ),
    broken(
        "zero counted for both signs of the staircase",
        "mechanisms/staircase.py",
        "missing = missing[negative & (magnitude == 0)]",
        "missing = missing[:0]",
        "tests/mechanisms/test_staircase.py",
    ),
    broken(
        "the staircase charged for less than a whole flight",
        "mechanisms/staircase.py",
        "-(-steps // self.width) + count - 1",
        "steps // self.width + count - 1",
        "tests/mechanisms/test_staircase.py",
    ),
    broken(
        "scores that move apart are charged once",
        "mechanisms/selection.py",
        "return steps if self.monotone else 2 * steps",
        "return steps",
        "tests/mechanisms/test_exponential.py",
        "tests/mechanisms/test_noisy_max.py",
        "tests/mechanisms/test_selection.py",
    ),
    broken(
        "monotone scores under replace neighbours",
        "mechanisms/selection.py",
        "if Neighbours.named(neighbours) is Neighbours.REPLACE and monotone:",
        "if not Neighbours.named(neighbours):",
        "tests/mechanisms/test_selection.py",
    ),
    broken(
        "all pieces of a range weigh the same",
        "mechanisms/exponential.py",
        "self.scale, [widths[piece] for piece in full]",
        "self.scale, [1 for piece in full]",
        "tests/mechanisms/test_exponential.py",
    ),
    broken(
        "the gap with exponential noise",
        "mechanisms/noisy_max.py",
        'if self.noise != "laplace":',
        'if self.noise not in ("laplace", "exponential"):',
        "tests/mechanisms/test_noisy_max.py",
    ),
    broken(
        "permute-and-flip without the permutation",
        "mechanisms/permute_and_flip.py",
        "heads[noise.uniform_int(len(heads))]",
        "heads[0]",
        "tests/mechanisms/test_permute_and_flip.py",
    ),
    broken(
        "randomized response lies 5 % too rarely",
        "mechanisms/randomized_response.py",
        "noise.bernoulli(Fraction(self.lie), truth.shape)",
        "noise.bernoulli(Fraction(self.lie) * 95 / 100, truth.shape)",
        "tests/mechanisms/test_randomized_response.py",
    ),
    broken(
        "sparse vector's question noise does not grow with the cutoff",
        "mechanisms/sparse_vector.py",
        "self.cutoff * (question + answer)",
        "(question + answer)",
        "tests/mechanisms/test_sparse_vector.py",
        "tests/mechanisms/test_sparse_vector_runs.py",
    ),
    broken(
        "sparse vector goes on after its cutoff",
        "mechanisms/sparse_vector.py",
        "            self._left -= 1\n",
        "",
        "tests/mechanisms/test_sparse_vector.py",
        "tests/mechanisms/test_sparse_vector_runs.py",
    ),
    broken(
        "sparse vector keeps a threshold it should redraw",
        "mechanisms/sparse_vector.py",
        "            if mechanism.redraw:\n",
        "            if not mechanism.cutoff:\n",
        "tests/mechanisms/test_sparse_vector.py",
        "tests/mechanisms/test_sparse_vector_runs.py",
    ),
    broken(
        "sparse vector's threshold has no noise",
        "mechanisms/sparse_vector.py",
        "< level + self._noise",
        "< level",
        "tests/mechanisms/test_sparse_vector.py",
        "tests/mechanisms/test_sparse_vector_runs.py",
    ),
    broken(
        "the grid's rounding is not paid for",
        "mechanisms/sensitivity.py",
        'return math.ceil(steps) + check.integer("dim", dim, least=1) - 1',
        "return math.ceil(steps)",
        "tests/mechanisms/test_sensitivity.py",
    ),
    broken(
        "replacing a term is charged as adding one",
        "mechanisms/sensitivity.py",
        "furthest = max(abs(low), abs(high)) if add_remove else high - low",
        "furthest = max(abs(low), abs(high))",
        "tests/mechanisms/test_sensitivity.py",
    ),
)

ACCOUNTING = (
    broken(
        "mass between grid points goes to the lower one",
        "privacy/grid_law.py",
        "        masses[:, 1:] += later\n        masses[:, :-1] += p + error_p - later\n",
        "        masses[:, :-1] += p + error_p\n",
        "tests/privacy/test_grid_law.py",
    ),
    broken(
        "the optimistic law is rounded up",
        "privacy/grid_law.py",
        "        place = np.floor((losses + slack - shift) / step)",
        "        place = np.ceil((losses + slack - shift) / step)",
        "tests/privacy/test_grid_law.py",
    ),
    broken(
        "a stand-in on the grid is larger than the pair",
        "privacy/pairs.py",
        "smaller = np.where(on_grid > self.parameter, on_grid - step, on_grid)",
        "smaller = on_grid + step",
        "tests/privacy/test_grid_law.py",
    ),
    broken(
        "gathered atoms forget where their cell ends",
        "privacy/gathered.py",
        "np.add.reduceat(np.append(mass, 0.0), ends)[:-1] for mass",
        "np.add.reduceat(np.append(mass, 0.0), ends)[1:] for mass",
        "tests/privacy/test_gathered.py",
    ),
    broken(
        "the upper tail of a law is forgotten",
        "privacy/grid_law.py",
        "        infinite += (pair.above(points[-1:])[0] * (1 + SAMPLED_ERROR)).reshape(-1)\n",
        "",
        "tests/privacy/test_grid_law.py",
    ),
    broken(
        "sampling forgets what only one side can say",
        "privacy/pairs.py",
        "    if alone > 0:\n",
        "    if alone > 2:\n",
        "tests/privacy/test_grid_law.py",
        "tests/privacy/test_pairs.py",
    ),
    broken(
        "composing k times counts k - 1",
        "privacy/composed.py",
        "counts[part] += times * count",
        "counts[part] += max(1, times * count - 1)",
        "tests/privacy/test_composed.py",
    ),
    broken(
        "the least bound is taken from the lower ends",
        "privacy/composed.py",
        "    high = min([found.high, *bounds])\n",
        "    high = min([found.low, *bounds])\n",
        "tests/privacy/test_composed.py",
    ),
    broken(
        "a filter forgets what was spent",
        "privacy/filter.py",
        "return replace(self, spent=sums)",
        "return replace(self, spent=self.spent)",
        "tests/privacy/test_filters.py",
    ),
    broken(
        "the budget's filter converts with all of delta",
        "privacy/budget.py",
        "rho_cap(self.epsilon, self.delta / 2) if self.delta else 0.0",
        "rho_cap(self.epsilon, self.delta) if self.delta else 0.0",
        "tests/privacy/test_budget.py",
    ),
    broken(
        "a filter over loss distributions",
        "privacy/filters.py",
        'if accounting in ("pld", "f-dp", "tradeoff", "accountant"):',
        'if accounting in ("f-dp", "tradeoff", "accountant"):',
        "tests/privacy/test_filters.py",
    ),
    broken(
        "advanced composition without its second term",
        "privacy/composition.py",
        " + k * ball(each) * ball(each).expm1()",
        "",
        "tests/privacy/test_composition.py",
    ),
)

MUTANTS = ACCOUNTING + NOISE + BASE + PRIVACY + MECHANISMS
