"""The rules of measuring a census at the desk, each broken once."""

from __future__ import annotations

from mutants.mutant import Mutant, broken

LEVELS = "tests/curator/door/test_levels.py"
KEPT = "tests/curator/door/test_kept_parts.py"
MEASURED = "tests/topdown/measure/test_measurement.py"
PARTS = "tests/ledger/test_parts.py"

DOOR = "curator/door/levels.py"

HOSTILE = "tests/curator/door/test_hostile_wings.py"

MUTATIONS = [
    broken(
        "census: a schedule's checkpoint hides that a part was drawn",
        DOOR,
        "            recorder.flush()\n",
        "",
        LEVELS,
    ),
    broken(
        "a desk uses what was written into a noise",
        "mechanisms/identity.py",
        "    if type(made) not in FORMS.classes:\n",
        "    if True:\n",
        HOSTILE,
    ),
    broken(
        "a function's dimension is read again after it was paid for",
        "curator/door/desk.py",
        "choose_norm(noise), dimension)",
        "choose_norm(noise))",
        HOSTILE,
    ),
    broken(
        "census: every part of a measurement is charged as a whole one",
        DOOR,
        "                names.append(recorder.draw(hash_json(asked), draw))\n",
        "                names.append(recorder.answer(asked, cost, loss, draw))\n",
        LEVELS,
    ),
    Mutant(
        "census: a part is charged by its size",
        (
            (
                DOOR,
                "    cost, loss = cost_areas(plan, noise)\n",
                "    cost, loss = cost_areas(plan, noise)\n"
                "    cost = Charge(cost.epsilon, Fraction(cost.rho) / len(areas.split()), cost.delta)\n",
            ),
            (
                DOOR,
                "from functools import partial\n",
                "from fractions import Fraction\nfrom functools import partial\n",
            ),
        ),
        (LEVELS,),
    ),
    broken(
        "census: nothing is paid",
        DOOR,
        "            if first == 0:\n",
        "            if first < 0:\n",
        LEVELS,
    ),
    broken(
        "census: areas without people have no noise",
        DOOR,
        "    noisy = noise.release(areas.count(read(), first, last))\n",
        "    exact = areas.count(read(), first, last)\n"
        "    noisy = np.where(exact.any(axis=1, keepdims=True), noise.release(exact), exact)\n",
        LEVELS,
    ),
    broken(
        "census: answers without people have no noise",
        DOOR,
        "    noisy = noise.release(areas.count(read(), first, last))\n",
        "    exact = areas.count(read(), first, last)\n    noisy = np.where(exact, noise.release(exact), exact)\n",
        LEVELS,
    ),
    broken(
        "census: answers of an area have one noise",
        DOOR,
        "    noisy = noise.release(areas.count(read(), first, last))\n",
        "    exact = areas.count(read(), first, last)\n"
        "    noisy = exact + noise.release(exact[:, :1]) - exact[:, :1]\n",
        LEVELS,
    ),
    broken(
        "census: the same part is drawn twice",
        DOOR,
        "        return [(first, min(first + each, self.many)) for first in range(0, self.many, each)]\n",
        "        return [(first, min(first + each, self.many)) for first in range(0, self.many, each) for _ in '12']\n",
        LEVELS,
    ),
    broken(
        "census: a run that died draws its parts again",
        DOOR,
        '            asked: Json = {**call, "part": [first, last]}\n',
        '            asked: Json = {**call, "part": [first, last, id(object())]}\n',
        LEVELS,
    ),
    broken(
        "census: another part is the same call",
        DOOR,
        '            asked: Json = {**call, "part": [first, last]}\n',
        "            asked: Json = call\n",
        LEVELS,
    ),
    broken(
        "census: another noise is the same call",
        "curator/door/desk.py",
        '{"count areas": declared, "areas": forms, "noise": describe_mechanism(noise)}',
        '{"count areas": declared, "areas": forms}',
        LEVELS,
    ),
    broken(
        "census: the factor of replace neighbours is forgotten",
        DOOR,
        "PARTITION.bound_l2_squared(unit.rows, unit.factor)",
        "PARTITION.bound_l2_squared(unit.rows, 1)",
        LEVELS,
    ),
    broken(
        "census: one row of a unit is paid for",
        DOOR,
        "PARTITION.bound_l2_squared(unit.rows, unit.factor)",
        "PARTITION.bound_l2_squared(1, unit.factor)",
        LEVELS,
    ),
    broken(
        "census: a row is counted in two answers",
        DOOR,
        "        return found.reshape(last - first, self.size)\n",
        "        found = found + (np.roll(found, 1) > 0)\n        return found.reshape(last - first, self.size)\n",
        LEVELS,
    ),
    broken(
        "census: rows of no area are counted in the first",
        DOOR,
        "        return np.where(known, places[found], -1)\n",
        "        return np.where(known, places[found], 0)\n",
        LEVELS,
    ),
    broken(
        "census: rows of no area are counted in the next one",
        DOOR,
        "            known &= same & paired\n",
        "            known &= paired\n",
        LEVELS,
    ),
    broken(
        "census: two areas may have one code",
        DOOR,
        "        self.find(self.numbers[:0])\n",
        "",
        LEVELS,
    ),
    broken(
        "census: a caller's arrays see exact numbers",
        DOOR,
        "np.array(numbers, copy=True, subok=False)",
        "np.array(numbers, copy=True, subok=True)",
        LEVELS,
    ),
    broken(
        "census: a class of one's own counts areas",
        DOOR,
        "    if type(areas) is not AreaCounts:\n",
        "    if not isinstance(areas, AreaCounts):\n",
        LEVELS,
    ),
    broken(
        "census: any noise will do",
        DOOR,
        "    if type(noise) is not Gaussian or noise.grid is not None:\n",
        "    if noise.grid is not None:\n",
        LEVELS,
    ),
    broken(
        "census: a try keeps its parts",
        "curator/door/desk.py",
        "            check_both,\n            refuse_telling,\n",
        "            check_both,\n            refuse_telling,\n            self.__parts,\n",
        LEVELS,
    ),
    broken(
        "census: a part is named before it is kept",
        "ledger/parts.py",
        "            with self._store.explaining():\n                files.write(data)\n",
        "            pass\n",
        PARTS,
        MEASURED,
    ),
    broken(
        "census: a part on PostgreSQL is whatever lies there",
        "ledger/parts.py",
        "        if found is None or hash_bytes(found) != name:\n",
        "        if found is None:\n",
        PARTS,
    ),
    broken(
        "census: anybody may set a part",
        "ledger/ledger.py",
        "    if name.startswith(PART):\n",
        "    if False:\n",
        PARTS,
    ),
    broken(
        "census: numbers that do not fit are cut off",
        "curator/door/kept_parts.py",
        "-(1 << (8 * each - 1)) <= least and most < 1 << (8 * each - 1))",
        "-(1 << (8 * each)) <= least and most < 1 << (8 * each))",
        KEPT,
    ),
    broken(
        "census: equal rows are counted once",
        "engines/held.py",
        "np.add.reduceat(counts[order], first)",
        "np.ones(len(first), dtype=np.int64)",
        LEVELS,
    ),
]
