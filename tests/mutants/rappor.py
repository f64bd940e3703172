"""The rules of RAPPOR, each broken once: permanent noise, secrets, bounds, and what is called significant."""

from __future__ import annotations

from mutants.mutant import broken

CLIENT = "tests/local/client/test_rappor.py"
STRINGS = "tests/local/client/test_rappor_strings.py"
ORACLE = "tests/local/rappor/test_oracle.py"
CANDIDATES = "tests/local/rappor/test_candidates.py"
RATES = "tests/local/rappor/test_rates.py"
MODEL = "tests/local/rappor/test_model.py"
SIGNIFICANCE = "tests/local/rappor/test_significance.py"
LIFETIMES = "tests/local/test_lifetimes.py"

PRIVATE = [
    broken(
        "rappor: permanent noise never clears a bit",
        "local/client/rappor.py",
        "    return (bloom & ~replaced) | (fair & replaced)\n",
        "    return bloom | (fair & replaced)\n",
        CLIENT,
    ),
    broken(
        "rappor: permanent noise of many people at once never clears a bit",
        "local/rappor/oracle.py",
        "    permanent = np.where(replaced, fair, true.reshape(-1))\n",
        "    permanent = true.reshape(-1) | (replaced & fair)\n",
        ORACLE,
    ),
    broken(
        "rappor: less permanent noise is taken than was asked for",
        "local/client/rappor.py",
        "math.ceil(Fraction(f) * SHARES)",
        "math.floor(Fraction(f) * SHARES)",
        CLIENT,
    ),
    broken(
        "rappor: the keyed stream replaces fewer bits than is claimed",
        "local/client/rappor.py",
        "byte >> 1 < self.f for byte",
        "byte >> 1 < self.f - 1 for byte",
        CLIENT,
    ),
    broken(
        "rappor: bounds are those of another f than is realised",
        "local/client/rappor.py",
        "        return Fraction((2 * SHARES - self.f) * own + self.f * other, 2 * SHARES * ONE)\n",
        "        return Fraction((2 * SHARES - self.f - 1) * own + (self.f + 1) * other, 2 * SHARES * ONE)\n",
        CLIENT,
    ),
    broken(
        "rappor: the epsilon of a report is that of one hash",
        "local/client/rappor.py",
        "        return _scale(self.hashes, bound_log(ratio))\n",
        "        return bound_log(ratio)\n",
        CLIENT,
    ),
    broken(
        "rappor: one secret for cohort and permanent noise",
        "local/client/rappor.py",
        'self.settle(self.filter(value, cohort), derive_secret(secret, "permanent", cohort))',
        "self.settle(self.filter(value, cohort), secret)",
        CLIENT,
    ),
    broken(
        "rappor: secrets of two purposes can be the same",
        "local/client/rappor.py",
        'b"".join(len(part).to_bytes(4, "big") + part for part in',
        'b"".join(part for part in',
        CLIENT,
    ),
    broken(
        "rappor: all parts of a text share one secret",
        "local/client/rappor_strings.py",
        'derive_secret(secret, "permanent", seed, name)',
        'derive_secret(secret, "permanent", seed)',
        STRINGS,
    ),
    broken(
        "rappor: parts of a text tell as much as one",
        "local/client/rappor_strings.py",
        "    return math.nextafter(PARTS * bound, math.inf)\n",
        "    return bound\n",
        STRINGS,
    ),
    broken(
        "rappor: reports of a text that changes just add up",
        "local/client/rappor.py",
        "        return chained * (1 + 2.0**-45)\n",
        "        return reports * self.epsilon\n",
        CLIENT,
    ),
    broken(
        "rappor: a table of lifetimes adds up reports that share permanent noise",
        "local/lifetimes.py",
        "MemoisedMechanism | Rappor | RapporStrings)",
        "MemoisedMechanism)",
        LIFETIMES,
    ),
]

SOUND = [
    broken(
        "rappor: reports of cohorts that there are none count",
        "local/rappor/oracle.py",
        " & (batch.seeds >= 0) & (batch.seeds < mechanism.cohorts)",
        " & (batch.seeds < mechanism.cohorts)",
        ORACLE,
    ),
    broken(
        "rappor: a bit that two hashes set counts twice",
        "local/rappor/candidates.py",
        "        marked[repeated, later] = rappor.bits\n",
        "        marked[repeated, later] = found[repeated, later]\n",
        CANDIDATES,
    ),
    broken(
        "rappor: bits are counted oftener than there are reports",
        "local/rappor/rates.py",
        "    if held[cohort, place + 1] > held[cohort, 0]:\n",
        "    if held[cohort, place + 1] < 0:\n",
        RATES,
    ),
    broken(
        "rappor: people's falling into cohorts adds no error",
        "local/rappor/model.py",
        "            found += weighed @ joint @ weighed.T / self.design.reports[cohort]\n",
        "",
        MODEL,
    ),
    broken(
        "rappor: Bonferroni forgets how many candidates there are",
        "local/rappor/significance.py",
        "        return p_values <= level / count\n",
        "        return p_values <= level\n",
        SIGNIFICANCE,
    ),
    broken(
        "rappor: the false-discovery rate stops at the first",
        "local/rappor/significance.py",
        "ordered[fits[-1]]",
        "ordered[fits[0]]",
        SIGNIFICANCE,
    ),
]

MUTATIONS = [*PRIVATE, *SOUND]
