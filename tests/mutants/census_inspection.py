"""The rules of the owner's look at the rows of a census, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

LOOK, INSPECTING = "tests/curator/owner/test_look.py", "tests/topdown/measure/test_inspecting.py"
SOURCE = "topdown/measure/inspecting.py"

MUTATIONS = [
    broken(
        "census look: sessions count rows exactly",
        "curator/telling.py",
        "from __future__ import annotations\n",
        "from __future__ import annotations\n\ndef tell(policy):\n"
        "    from discreet.curator.owner.look import OwnersLook\n    return OwnersLook(policy)\n",
        LOOK,
    ),
    broken(
        "census look: a ledger is opened",
        SOURCE,
        "    with OwnersLook(asked.policy, tables) as look:\n",
        "    __import__('discreet').Curator.open(asked.policy.path, operator=True).close()\n"
        "    with OwnersLook(asked.policy, tables) as look:\n",
        INSPECTING,
    ),
    broken(
        "census look: rows of no area are not told",
        SOURCE,
        "    outside = codes.find(tally.points[:, :-1]) < 0\n",
        "    outside = codes.find(tally.points[:, :-1]) < -1\n",
        INSPECTING,
    ),
    broken(
        "census look: areas that have no code are left out",
        "topdown/measure/people.py",
        'f"COALESCE({code}, {areas.no_code}) AS code{at}"',
        'f"{code} AS code{at}"',
        INSPECTING,
    ),
    broken(
        "census look: more rows than is public are not told",
        SOURCE,
        " + np.maximum(counted - bounds.high, 0)\n",
        "\n",
        INSPECTING,
    ),
    broken(
        "census look: what is counted are all rows",
        SOURCE,
        "look.tally(*write_people(table.table.name, areas, asked.schema)), codes)",
        "look.tally(*write_everybody(table.table.name, areas, asked.schema)), codes)",
        INSPECTING,
    ),
]
