"""Tables of whole numbers as bytes: the same numbers back, in few bytes, in a form that never changes its meaning."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.errors import LedgerError
from discreet.curator.door.kept_parts import pack_numbers, unpack_numbers
from discreet.mechanisms import Gaussian

BITS = st.sampled_from([7, 8, 15, 16, 31, 32, 63])


@st.composite
def tables(draw: st.DrawFn) -> list[list[int]]:
    bits, columns = draw(BITS), draw(st.integers(1, 5))
    return draw(
        st.lists(st.lists(st.integers(-(2**bits), 2**bits - 1), min_size=columns, max_size=columns), min_size=1)
    )


@given(tables())
def test_numbers_are_the_same_again(listed: list[list[int]]) -> None:
    numbers = np.array(listed, dtype=np.int64)
    found = unpack_numbers(pack_numbers(numbers))
    assert found.dtype == np.int64
    assert np.array_equal(found, numbers)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_tables_without_numbers_keep_their_shape(shape: tuple[int, int]) -> None:
    assert unpack_numbers(pack_numbers(np.zeros(shape, dtype=np.int64))).shape == shape


@pytest.mark.parametrize(
    ("end", "width"),
    [(127, 1), (128, 2), (-128, 1), (-129, 2), (2**15, 4), (-(2**31), 4), (2**31, 8), (-(2**63), 8), (2**63 - 1, 8)],
)
def test_numbers_have_the_narrowest_type_that_holds_them(end: int, width: int) -> None:
    packed = pack_numbers(np.array([[0, end]], dtype=np.int64))
    assert packed[1] == width
    assert unpack_numbers(packed).tolist() == [[0, end]]


def test_noise_takes_little_more_than_its_entropy() -> None:
    """log2(sigma sqrt(2 pi e)) / 8 bytes: 0.406 at 2.3, and 0.92 at 40."""
    for sigma, most in ((2.3, 0.43), (40.0, 1.15)):
        packed = pack_numbers(Gaussian(sigma).release(np.zeros((200, 2000), dtype=np.int64)))
        assert len(packed) / 400_000 < most


def test_the_form_of_version_1_is_read_for_good() -> None:
    """Byte by byte: version, width, packing, 0, lines, columns; then lowest bytes first, and what is packed by zstd."""
    plain = bytes.fromhex("01020000 0100000000000000 0300000000000000") + bytes([1, 0, 255, 0, 1, 255])
    assert unpack_numbers(plain).tolist() == [[1, 256, -1]]
    assert pack_numbers(np.array([[1, 256, -1]], dtype=np.int64)) == plain
    zstd = "28b52ffd6000004d000010000001007b0a6001"
    packed = bytes.fromhex(f"01010100 0200000000000000 8000000000000000 {zstd}")
    assert unpack_numbers(packed).tolist() == [[0] * 128] * 2


@pytest.mark.parametrize("data", [b"", b"\x01\x01", b"\x02" + b"\x01" * 40, b"\x01\x03" + b"\0" * 40])
def test_bytes_of_another_form_are_refused(data: bytes) -> None:
    with pytest.raises(LedgerError, match="use what wrote it"):
        unpack_numbers(data)
