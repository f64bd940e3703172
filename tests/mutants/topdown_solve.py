"""The rules of finding the nearest counts, each broken once: non-negative, adding up, certified."""

from __future__ import annotations

from mutants.mutant import broken

QUADRATIC = "tests/topdown/solve/test_quadratic.py"
CERTIFICATE = "tests/topdown/solve/test_certificate.py"
PROJECTION = "tests/topdown/solve/test_projection.py"
REGION = "tests/topdown/solve/test_region.py"
FAILSAFE = "tests/topdown/solve/test_failsafe.py"
CHILDREN = "tests/topdown/solve/test_children.py"
PRECISION = "tests/topdown/solve/test_precision.py"
ENTRIES = "tests/topdown/solve/test_area_precision.py"

DESCENT = "topdown/solve/quadratic.py"

MUTATIONS = [
    broken(
        "census: a gap is stated that nothing certifies",
        DESCENT,
        "            best = max(best, self._bound(prices), self._bound(self.prices.rows))\n",
        "            best = max(best, value - 1e-9)\n",
        QUADRATIC,
    ),
    broken(
        "census: a certificate forgets counts that are not 0",
        DESCENT,
        "return value - float(prices @ spare) - float((counts * (steep - least)).sum())",
        "return value - float(prices @ spare)",
        CERTIFICATE,
    ),
    broken(
        "census: a certificate forgets what rows have beyond their bounds",
        DESCENT,
        "return value - float(prices @ spare) - float((counts * (steep - least)).sum())",
        "return value - float((counts * (steep - least)).sum())",
        CERTIFICATE,
    ),
    broken(
        "census: a certificate uses prices of the wrong sign",
        DESCENT,
        "        prices[~rows.exact] = np.maximum(prices[~rows.exact], 0.0)\n",
        "",
        CERTIFICATE,
    ),
    broken(
        "census: the root's certificate forgets where the gradient is negative",
        DESCENT,
        "        needed = float(needs.max(initial=0.0))\n",
        "        needed = 0.0 * float(needs.max(initial=0.0))\n",
        CERTIFICATE,
    ),
    broken(
        "census: the root's certificate forgets the squares",
        DESCENT,
        "        squares = 0.5 * needed**2 * float((ones * grown).sum())\n",
        "        squares = 0.0\n",
        CERTIFICATE,
    ),
    broken(
        "census: the root is certified by multipliers below 0",
        DESCENT,
        "or np.any(region.allowed & (grown < 0) & (lifted < 0))",
        "",
        CERTIFICATE,
    ),
    broken(
        "census: every gap is called certified",
        DESCENT,
        "        return self.gap <= CERTIFIED * max(self.objective, 1.0)\n",
        "        return True\n",
        QUADRATIC,
    ),
    broken(
        "census: the descent ends early",
        DESCENT,
        "AIM = 1e-8\n",
        "AIM = 1e-2\n",
        QUADRATIC,
    ),
    broken(
        "census: measurements where the parent has nobody are dropped",
        "topdown/solve/children.py",
        "    outside = -targets\n",
        "    outside = np.zeros(targets.shape)\n",
        QUADRATIC,
        CHILDREN,
    ),
    broken(
        "census: real counts may be negative in the root",
        "topdown/solve/projection.py",
        "        return np.where(allowed, np.maximum(point, low), low), prices\n",
        "        return np.where(allowed, point, low), prices\n",
        QUADRATIC,
    ),
    broken(
        "census: real counts of children may be negative",
        "topdown/solve/projection.py",
        "    return np.where(allowed, np.maximum(point - scale * prices, low), low), prices\n",
        "    return np.where(allowed, point - scale * prices, low), prices\n",
        PROJECTION,
    ),
    broken(
        "census: real counts of children need not add up",
        "topdown/solve/region.py",
        "        return np.asarray(self.people + self.low.sum(axis=0))\n",
        "        return np.asarray(self.people + self.low.sum(axis=0) + 1e-3)\n",
        PROJECTION,
    ),
    broken(
        "census: rows that cannot hold are not told",
        "topdown/solve/projection.py",
        '    if solved is None:\n        raise EmptyRegionError("no counts keep all invariants")\n',
        "    if solved is None:\n        return np.zeros(point.shape), paid\n",
        PROJECTION,
    ),
    broken(
        "census: people may be where a child cannot have any",
        "topdown/solve/region.py",
        "        found &= find_bounds(each)[1][:, each.query.places] > 0\n",
        "        pass\n",
        REGION,
    ),
    broken(
        "census: upper bounds are forgotten",
        "topdown/solve/region.py",
        "        (~same & (high > 0) & (high < most), high, -1.0, False),\n",
        "",
        REGION,
    ),
    broken(
        "census: lower bounds are forgotten",
        "topdown/solve/region.py",
        "        (~same & (low > 0), low, 1.0, False),\n",
        "",
        REGION,
    ),
    broken(
        "census: zeros are forgotten in a solve",
        "topdown/solve/children.py",
        "    allowed = shut_cells(~zeros, invariants)\n",
        "    allowed = shut_cells(np.ones(targets.shape, dtype=bool), invariants)\n",
        CHILDREN,
    ),
    broken(
        "census: queries that group some cells alike count once",
        "topdown/solve/precision.py",
        "weights[key] = weights.get(key, 0.0) + self.weights[:, place]",
        "weights[key] = self.weights[:, place]",
        PRECISION,
    ),
    broken(
        "census: areas of all kinds have the first one's precision",
        "topdown/solve/area_precision.py",
        "        if len(self.matrices) == 1:\n",
        "        if len(self.matrices):\n",
        ENTRIES,
    ),
    broken(
        "census: a path to rows that cannot hold goes on until it overflows",
        "topdown/solve/interior.py",
        "            return None\n",
        "            pass\n",
        FAILSAFE,
    ),
]
