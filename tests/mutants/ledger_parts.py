"""The rules of parts of results in the ledger, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

PARTS, SWEPT = "tests/ledger/test_verify_parts.py", "tests/ledger/entries/test_leftovers.py"
LEFTOVERS, NAMES = "ledger/entries/leftovers.py", "ledger/entries/part_names.py"

MUTATIONS = [
    broken(
        "parts: a sweep does not ask who runs",
        "ledger/parts.py",
        "            if leftovers.is_any_running(db, self._store.leases):\n",
        "            if False:\n",
        SWEPT,
    ),
    broken(
        "parts: who runs late may lose a part",
        LEFTOVERS,
        "WHERE record IS NULL AND token IS NOT NULL",
        "WHERE record IS NULL AND expires > 1800050000 AND token IS NOT NULL",
        SWEPT,
    ),
    broken(
        "parts: a run that lost its lease names what was swept",
        "ledger/parts.py",
        "            leftovers.overtake_lost(db)\n",
        "",
        SWEPT,
    ),
    broken(
        "parts: what a journal names is swept",
        NAMES,
        "        return hash_bytes(name.encode()) in self.hashes\n",
        "        return False\n",
        PARTS,
        SWEPT,
    ),
    broken(
        "parts: what a record names is swept",
        LEFTOVERS,
        "(names.holds(name) or name in answers)",
        "names.holds(name)",
        SWEPT,
    ),
    broken(
        "parts: files of others are swept",
        LEFTOVERS,
        '        is_ours = is_name(whole) and (not rest or rest.endswith("part"))\n',
        "        is_ours = True\n",
        SWEPT,
    ),
    broken(
        "parts: a sweep leaves no entry",
        LEFTOVERS,
        '    chain.append(db, chain.SWEEP, time, {"part": found.name, "bytes": found.bytes})\n',
        "",
        SWEPT,
    ),
    broken(
        "parts: a missing part is not found",
        "ledger/verify.py",
        '    yield from _differing("the part", kept, known)\n',
        '    yield from _differing("the part", kept, {each: known[each] for each in known if each in kept})\n',
        PARTS,
    ),
    broken(
        "parts: a changed part is not found",
        "ledger/verify.py",
        '                kept[name] = "" if _read_beside(name, results) is None else name\n',
        "                kept[name] = name\n",
        PARTS,
    ),
    broken(
        "parts: a named part may be swept by hand",
        "ledger/entries/recompute.py",
        '            if self.parts.holds(body["part"]):\n',
        "            if False:\n",
        PARTS,
    ),
]
