"""The rules of inference about a population, each broken once: what intervals cover, and what is paid for them."""

from __future__ import annotations

from mutants.mutant import broken

LAWS = "tests/robust/intervals/test_laws.py"
MEANS = "tests/robust/intervals/test_means.py"
HYPOTHESES = "tests/robust/testing/test_hypotheses.py"
SURVIVAL = "tests/robust/survival/test_survival.py"
INTERVALS = "tests/robust/intervals/test_intervals.py"
QUANTILES = "tests/robust/intervals/test_quantile_ends.py"
MEDIANS = "tests/robust/intervals/test_medians.py"
CLIPS = "tests/robust/estimators/test_clipped_sums.py"

MUTATIONS = [
    broken(
        "robust: the noise is left out of an interval of a mean",
        "robust/intervals/sums.py",
        "ErrorLaw.of(variance, [(1.0, self.noises[1]), (mean, self.noises[0])])",
        "ErrorLaw.of(variance, [])",
        MEANS,
    ),
    broken(
        "robust: the noise of the squares is left out of the variance",
        "robust/intervals/sums.py",
        "squared + bound_square_noise(self.noises, self.scale.reach, mean, miss), 0.0)",
        "squared, 0.0)",
        MEANS,
    ),
    broken(
        "robust: the sampling error is left out of an interval of a mean",
        "robust/intervals/means.py",
        "    return sums.err(mean, squares).explain(sums.total - mean * sums.count)",
        "    return sums.err(mean, 0 * squares).explain(sums.total - mean * sums.count)",
        MEANS,
    ),
    broken(
        "robust: the noise is left out of an interval of a share",
        "robust/intervals/proportions.py",
        "ErrorLaw.of(variance, [(1 - share, self.noise), (share, self.noise)])",
        "ErrorLaw.of(variance, [])",
        MEANS,
    ),
    broken(
        "robust: integer noise is taken for real noise",
        "robust/intervals/laws.py",
        "np.maximum(np.abs(distance) - self.slack, 0.0)",
        "np.abs(distance)",
        LAWS,
    ),
    broken(
        "robust: equal noises are taken apart by making one narrower",
        "robust/intervals/laws.py",
        "APART = 1.03\n",
        "APART = 1.0000001\n",
        LAWS,
    ),
    broken(
        "robust: an error reaches a little less far than it is said to",
        "robust/intervals/laws.py",
        "    return high\n",
        "    return low\n",
        LAWS,
    ),
    broken(
        "robust: a result does not say that clamping is not covered",
        "robust/results.py",
        '"" if self.clamped is None else CLAMPING.format(self.clamped)',
        '""',
        INTERVALS,
    ),
    broken(
        "robust: what is recorded is charged again",
        "robust/asking.py",
        "fresh=terms.fresh",
        "fresh=True",
        INTERVALS,
    ),
    broken(
        "robust: the sample is of rows, not of people",
        "robust/people.py",
        "        if self.unit is None:\n            listed",
        "        if self.unit:\n            listed",
        INTERVALS,
    ),
    broken(
        "robust: who is in both groups is in one of them",
        "robust/measuring.py",
        "WHERE place = last",
        "WHERE place <= last",
        INTERVALS,
    ),
    broken(
        "robust: the noise is left out of what tables are compared with",
        "robust/testing/contingency.py",
        "    cells = rng.multinomial(count, shares, draws) + draw_noise(noise, (draws, len(shares)), rng)\n",
        "    cells = rng.multinomial(count, shares, draws) + 0.0\n",
        HYPOTHESES,
    ),
    broken(
        "robust: the noise is left out of what several means are compared with",
        "robust/testing/analysis.py",
        "    for scale in law.scales:\n",
        "    for scale in ():\n",
        HYPOTHESES,
    ),
    broken(
        "robust: the noise is left out of the interval of a survival curve",
        "robust/survival/life_tables.py",
        "find_reach(greenwood + few, find_variance(table.noise) * slopes, miss)",
        "find_reach(greenwood + few, 0 * slopes, miss)",
        SURVIVAL,
    ),
    broken(
        "robust: the noise is left out of the log-rank test",
        "robust/survival/life_tables.py",
        "np.maximum(sampled, 0.0) + find_variance(first.noise) * noisy",
        "np.maximum(sampled, 0.0)",
        SURVIVAL,
    ),
    broken(
        "robust: a curve goes on when nobody is left",
        "robust/survival/life_tables.py",
        "np.maximum(LEAST_SURE * self.doubt, 1.0)",
        "-1e9",
        SURVIVAL,
    ),
    broken(
        "robust: groups are compared however few they are",
        "robust/intervals/means.py",
        "    enough = sums.bound_count(DOUBT_MISS) < MOST_DOUBT * sums.count\n",
        "    enough = sums.count > 0\n",
        MEANS,
    ),
    broken(
        "robust: the noise is left out of an interval of a quantile",
        "robust/intervals/quantile_ends.py",
        "bound_binomial_tail((ranks[:, None] - values) / share.denominator",
        "bound_binomial_tail((ranks[:, None] - 0 * values) / share.denominator",
        QUANTILES,
    ),
    broken(
        "robust: the sampling error is left out of an interval of a quantile",
        "robust/intervals/quantile_ends.py",
        "people[:, None], float(share))",
        "1.0, float(share))",
        QUANTILES,
    ),
    broken(
        "robust: binomial tails are those of a normal law",
        "robust/intervals/quantile_ends.py",
        "(np.asarray(distance, dtype=float) - 1) / people",
        "np.asarray(distance, dtype=float) / people",
        QUANTILES,
    ),
    broken(
        "robust: the noisy number of people is taken for the true one",
        "robust/intervals/quantile_ends.py",
        "each.total + each.bound_total(miss * NUISANCE)",
        "each.total",
        QUANTILES,
    ),
    broken(
        "robust: an end of a quantile skips edges that say otherwise",
        "robust/intervals/quantile_ends.py",
        "                left = left[~doubted]\n            told[left] += 1\n",
        "            told[left[~doubted]] = 1 + (place if side < 0 else pieces - 2 - place)\n",
        QUANTILES,
    ),
    broken(
        "robust: far edges of a quantile are passed by as if counts had no noise",
        "robust/intervals/quantile_ends.py",
        "steep**2 * sampled / 8 + noise - steep * far",
        "steep**2 * sampled / 8 - steep * far",
        QUANTILES,
    ),
    broken(
        "robust: far edges of a quantile are passed by as if nobody were drawn",
        "robust/intervals/quantile_ends.py",
        "steep**2 * sampled / 8 + noise - steep * far",
        "noise - steep * far",
        QUANTILES,
    ),
    broken(
        "robust: the counts around a quantile cost nothing",
        "robust/intervals/quantile_operation.py",
        "ratio_up(moved, take_part(priced, 1 - DRAW))",
        "ratio_up(moved, take_part(priced, Fraction(1)))",
        MEDIANS,
    ),
    broken(
        "robust: the draw near a quantile is not in the charge",
        "robust/intervals/quantile_operation.py",
        "add_charges(cost_measures(plan, Draws((draw,))), cost_vector(moved, noise))",
        "cost_vector(moved, noise)",
        MEDIANS,
    ),
    broken(
        "robust: a person who is replaced is in one piece alone",
        "robust/intervals/quantile_operation.py",
        "moved, points = bound_sum(rows, ONCE),",
        "moved, points = ONCE.steps,",
        MEDIANS,
    ),
    broken(
        "robust: finding a clip costs nothing",
        "robust/estimators/clips.py",
        '{"sum": (Fraction(2, 5), Fraction(3, 5))',
        '{"sum": (Fraction(2, 5), Fraction(1))',
        CLIPS,
    ),
    broken(
        "robust: a clipped sum has noise for a smaller clip",
        "robust/estimators/clips.py",
        "ratio_up(bound_sum(self.rows, clip), self.spent)",
        "ratio_up(bound_sum(self.rows, clip) // 2, self.spent)",
        CLIPS,
    ),
    broken(
        "robust: a clip is found in noise alone",
        "robust/estimators/clips.py",
        "        least = bound_noise(scale, ((1, 1),), CHANCE / len(counts))\n",
        "        least = 0.0\n",
        CLIPS,
    ),
    broken(
        "robust: a clipped sum does not say that more lies beyond the clip",
        "robust/estimators/clipped_sums.py",
        '            ("not covered", self.not_covered),\n',
        "",
        CLIPS,
    ),
    broken(
        "robust: the noise of the number of people is left out of a clipped mean",
        "robust/estimators/clipped_sums.py",
        "found.people - doubt, found.people + doubt",
        "found.people, found.people",
        CLIPS,
    ),
]
