"""The mechanisms on a small invented survey: `.venv/bin/python examples/mechanisms.py`."""

from __future__ import annotations

import numpy as np

from discreet.mechanisms import CountingQueries, Exponential, Gaussian, Grid, RandomizedResponse, SparseVector
from discreet.mechanisms import sensitivity as sensitivities

chance = np.random.default_rng()
incomes = np.clip(chance.lognormal(10.3, 0.6, 20_000), 0, 200_000)

# A sum of clipped incomes, to the cent.
reach = sensitivities.bounded_sum(0, 200_000)
total = Gaussian.calibrate(epsilon=1, delta=1e-9, sensitivity=reach, grid=Grid(0.01))
print(
    f"total income   {total.release(incomes.sum()):18,.2f}  ±{total.interval(0.95):,.2f}   truth {incomes.sum():,.2f}"
)

# The median, chosen among all cents from 0 to 200,000.00: a cent's score is minus its rank's distance from the middle.
cents = np.sort((incomes * 100).astype(np.int64))
edges = [0, *(cents + 1).tolist(), 20_000_001]
scores = -np.abs(2 * np.arange(len(cents) + 1) - len(cents))
median = Exponential.calibrate(epsilon=0.5, sensitivity=1).release_from(edges, scores)
print(f"median income  {median / 100:18,.2f}   truth {float(np.median(incomes)):,.2f}")

# Twenty brackets at once, overlapping on purpose: every income counts in each bracket below it.
levels = np.arange(20) * 10_000
above = np.array([int((incomes >= level).sum()) for level in levels])
queries = CountingQueries.calibrate(epsilon=1, queries=len(levels), delta=1e-9)
released = queries.release(above)
print(f"above 50,000   {released[5]:18,}  ±{queries.interval(0.95)}   truth {above[5]:,}")

# A sensitive yes or no, randomized by each respondent.
truth = chance.random(20_000) < 0.12
response = RandomizedResponse.calibrate(epsilon=1)
estimate = response.estimate(response.release(truth))
print(f"share of yes   {estimate.fraction:18.3f}  {estimate.low:.3f} to {estimate.high:.3f}   truth {truth.mean():.3f}")

# Daily counts watched for the first two days above 500.
days = [120, 90, 130, 80, 610, 110, 720, 95, 640]
run = SparseVector.calibrate(epsilon=0.5, cutoff=2, monotone=True)
print(f"alarms         {run.release(days, threshold=500)}")
