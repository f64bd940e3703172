"""Names of areas as whole numbers: the engine's and the desk's are the same, and no other text is taken for a name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.base.types import Type
from discreet.curator.door.levels import AreaCodes
from discreet.policy.model import DeclaredColumn
from discreet.topdown.measure.area_codes import MOST_CODE, AreaColumn, TextAreas, WholeAreas, place_areas
from support.hospital import engine_of, rows_of

POLICY = "[budget]\nepsilon = 1\n[tables.people]\nrows_are_units = true\nsize = 10\n"


def read_codes(areas: AreaColumn, values: list[Any], kind: pa.DataType) -> list[tuple[int, ...]]:
    """Return the codes that an engine makes of a column's values, sorted; rows without one are left out."""
    engine = engine_of(POLICY, {"people": pa.table({"area": pa.array(values, kind)})})
    parameters: dict[str, Any] = {}
    listed = ", ".join(f"{code} AS c{at}" for at, code in enumerate(areas.write_codes(parameters)))
    rows = engine.read(rows_of(engine, f"SELECT {listed} FROM people", parameters)).result()
    return sorted(map(tuple, rows.points.tolist()))


NAMES = {
    "digits": tuple(f"06037{place:010d}" for place in range(40)),
    "lengths": ("a", "ab", "abc", "b", "ba", "0123456789"),
    "letters": ("Ärm", "ärm", "Arm", "arm", "日本", "日", "x'y", 'x"y', "$1", "%_", "\\", " ", "  "),
    "long": tuple(
        "".join(sorted("Landkreis Musterstadt / Gemeinde Überall, Bezirk")) + f" {place}" for place in range(9)
    ),
    "one": ("only",),
    "two letters": tuple(f"{place:040b}" for place in range(5)),
}


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_an_engine_writes_names_as_the_desk_does(names: tuple[str, ...]) -> None:
    areas = TextAreas("area", names)
    codes = areas.list_codes()
    assert read_codes(areas, list(names), pa.string()) == sorted(map(tuple, codes.tolist()))
    assert codes.shape[1] == -(-areas.lengths[1] // areas.together)
    assert 0 <= codes.min() <= codes.max() < MOST_CODE
    assert AreaCodes(codes).find(codes).tolist() == list(range(len(names)))


def test_digits_of_usual_codes_are_one_number() -> None:
    assert TextAreas("area", NAMES["digits"]).list_codes().shape == (40, 1)


LETTERS = st.text(st.sampled_from("01aÄ $\u0000\U0001f600"), max_size=6)


@settings(max_examples=60)
@given(st.lists(LETTERS.filter(lambda text: text and "\0" not in text), min_size=1, max_size=6, unique=True), st.data())
def test_no_other_text_has_the_code_of_a_name(names: list[str], data: st.DataObject) -> None:
    areas = TextAreas("area", tuple(names))
    known = AreaCodes(areas.list_codes())
    texts = [text for text in data.draw(st.lists(LETTERS, max_size=8)) if "\0" not in text]
    texts += [names[0] + " ", names[0][:-1], names[0].swapcase(), names[0] + names[-1]]
    codes = read_codes(areas, texts, pa.string())
    found = known.find(np.array(codes, dtype=np.int64).reshape(len(codes), -1) if codes else known.numbers[:0])
    counted = dict.fromkeys(range(len(names)), 0)
    for place in found.tolist():
        if place >= 0:
            counted[place] += 1
    assert counted == {place: texts.count(name) for place, name in enumerate(names)}


def test_a_row_without_a_name_has_no_code() -> None:
    areas = TextAreas("area", ("ab", "cd"))
    assert len(read_codes(areas, ["ab", None, "", "a", "abc", "cd"], pa.string())) == 2


def test_whole_numbers_are_codes_and_those_beyond_all_areas_are_nobodys() -> None:
    areas = place_areas(DeclaredColumn("area", Type.INTEGER), ["7", "-3", "60371234001001"])
    assert isinstance(areas, WholeAreas)
    codes = areas.list_codes()
    assert codes.tolist() == [[7], [-3], [60371234001001]]
    values = [7, -3, 60371234001001, 8, None, -(2**63), 2**63 - 1]
    found = AreaCodes(codes).find(np.array(read_codes(areas, values, pa.int64()), dtype=np.int64))
    assert sorted(found[found >= 0].tolist()) == [0, 1, 2]


@pytest.mark.parametrize(
    ("column", "names", "told"),
    [
        (DeclaredColumn("area", Type.INTEGER), ["7", "07"], "a column of such"),
        (DeclaredColumn("area", Type.INTEGER), ["x"], "a column of such"),
        (DeclaredColumn("area", Type.INTEGER), ["٣"], "a column of such"),
        (DeclaredColumn("area", Type.INTEGER), [str(2 * 10**15 + 1)], "a column of such"),
        (DeclaredColumn("area", Type.FLOAT), ["7"], "texts or of whole numbers"),
        (DeclaredColumn("area", Type.TEXT), ["a", ""], "1 to 200 letters"),
        (DeclaredColumn("area", Type.TEXT), ["a" * 201], "1 to 200 letters"),
        (DeclaredColumn("area", Type.TEXT), ["a\0b"], "1 to 200 letters"),
        (DeclaredColumn("area", Type.TEXT, longest=3), ["abcd"], "longer ones than 3 are NULL"),
    ],
)
def test_a_column_that_cannot_hold_the_names_is_refused(column: DeclaredColumn, names: list[str], told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        place_areas(column, names)
