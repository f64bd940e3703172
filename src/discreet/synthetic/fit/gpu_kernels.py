"""The two kernels of multiplicative weights on a GPU, written for each shape: all sizes in them are constants.

`update` reads four weights at a time, several such before the first is used, and looks factors up by the digits of a
cell's number: divisions by constants. `collapse` adds up the middle axis of a cube: threads lie along the last axis,
then along the middle one, so that a warp reads neighbours; what several threads added up is joined in shared memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from discreet.families.domain import ColumnSet, Domain

THREADS = 256
"""Threads of a block."""

LOADS = 4
"""Groups of four weights that a thread of `update` loads before it uses the first."""

TILE = THREADS * LOADS * 4
"""Weights that a block of `update` changes."""

DEPTH = 8
"""Numbers that a thread of `collapse` loads before it uses the first."""

ENOUGH_BLOCKS = 4096
"""Blocks that keep a GPU busy: with fewer, the middle axis is cut into parts."""

_REDUCE = """
__device__ double add_block(double sum) {
    __shared__ double warps[32];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) for (int warp = 1; warp < blockDim.x / 32; warp++) sum += warps[warp];
    return sum;
}
"""


def write_update(domain: Domain, factors: Sequence[tuple[ColumnSet, bool]]) -> str:
    """Return the kernel that multiplies weights by so many factors, each of some columns or of their parity."""
    arguments = "".join(f", const float* __restrict__ factor{place}" for place in range(len(factors)))
    found = [_find_index(domain, columns, parity) for columns, parity in factors]
    shared = [f"factor{place}[{index}]" for place, (index, stride) in enumerate(found) if stride % 4 == 0]
    single = [f"factor{place}[{index}]" for place, (index, stride) in enumerate(found) if stride % 4]
    each = "".join(f" * {term}" for term in single)
    return f"""{_REDUCE}
extern "C" __global__ void update(
    float* __restrict__ weights, const double* __restrict__ total, double* __restrict__ sums{arguments}
) {{
    const float scale = (float)({domain.cells}.0 / total[0]);
    const unsigned first = blockIdx.x * {TILE}u + threadIdx.x * 4u;
    float4 loaded[{LOADS}];
    #pragma unroll
    for (int load = 0; load < {LOADS}; load++) {{
        const unsigned start = first + load * {THREADS * 4}u;
        loaded[load] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (start < {domain.cells}u) loaded[load] = *reinterpret_cast<const float4*>(weights + start);
    }}
    double sum = 0.0;
    #pragma unroll
    for (int load = 0; load < {LOADS}; load++) {{
        const unsigned start = first + load * {THREADS * 4}u;
        if (start < {domain.cells}u) {{
            float part[4] = {{loaded[load].x, loaded[load].y, loaded[load].z, loaded[load].w}};
            unsigned cell = start;
            const float common = scale{"".join(f" * {term}" for term in shared)};
            #pragma unroll
            for (int offset = 0; offset < 4; offset++) {{
                cell = start + offset;
                part[offset] *= common{each};
                sum += (double)part[offset];
            }}
            *reinterpret_cast<float4*>(weights + start) = make_float4(part[0], part[1], part[2], part[3]);
        }}
    }}
    sum = add_block(sum);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}}
"""


def _find_index(domain: Domain, columns: ColumnSet, parity: bool) -> tuple[str, int]:
    """Return where `cell` looks its factor up, in C, and how many neighbours from a multiple of it look up the same."""
    strides = [math.prod(domain.sizes[place + 1 :]) for place in domain.columns]
    if parity:
        mask = sum(strides[place] for place in columns)
        return f"__popc(cell & {mask}u) & 1", min((strides[place] for place in columns), default=4)
    terms, behind, place = [], 1, len(domain.sizes)
    least = 4
    while place > 0:
        place -= 1
        if place not in columns:
            continue
        size, stride = domain.sizes[place], strides[place]
        while place - 1 in columns:
            place -= 1
            size *= domain.sizes[place]
        least = min(least, stride) if stride % 4 == 0 else 1
        terms.append(f"cell / {stride}u % {size}u * {behind}u")
        behind *= size
    return " + ".join(terms) or "0", least


@dataclass(frozen=True, slots=True)
class CollapseShape:
    """How threads share a cube: by block along each axis, and how many blocks and parts of the middle axis."""

    vector: int
    width: int
    rows: int
    groups: int
    tiles: int
    blocks: int
    parts: int
    span: int

    @property
    def threads(self) -> int:
        """How many threads a block has."""
        return self.width * self.rows * self.groups


def split_cube(cube: tuple[int, int, int], itemsize: int) -> tuple[tuple[int, int, int], tuple[int, int, int] | None]:
    """Return a cube whose last axis can be read 16 bytes at a time, and what is left to add up behind it."""
    before, middle, behind = cube
    wide = 16 // itemsize
    for fold in (2, 4):
        if behind % wide and behind * fold % wide == 0 and middle % fold == 0 and middle >= 64 * fold:
            return (before, middle // fold, behind * fold), (before, fold, behind)
    return cube, None


def plan_collapse(cube: tuple[int, int, int], itemsize: int) -> CollapseShape:
    """Return how threads share a cube."""
    before, middle, behind = cube
    vector = 16 // itemsize if behind % (16 // itemsize) == 0 else 1
    across = behind // vector
    width, rows = min(across, THREADS), 1
    while 2 * rows * width <= THREADS and 2 * rows * DEPTH <= middle:
        rows *= 2
    groups = max(1, min(before, THREADS // (width * rows)))
    tiles = -(-across // width)
    blocks = -(-before // groups) * tiles
    parts = max(1, min(-(-ENOUGH_BLOCKS // blocks), middle // (rows * DEPTH)))
    span = -(-middle // parts)
    return CollapseShape(vector, width, rows, groups, tiles, blocks, -(-middle // span), span)


def write_collapse(cube: tuple[int, int, int], shape: CollapseShape, kind: str) -> str:
    """Return the kernel that adds up the middle axis of a cube of floats of this kind, in parts."""
    before, middle, behind = cube
    number = {"float32": "float", "float64": "double"}[kind]
    across = behind // shape.vector
    return f"""
struct alignas({shape.vector} * sizeof({number})) Several {{ {number} each[{shape.vector}]; }};

extern "C" __global__ void collapse(const Several* __restrict__ table, double* __restrict__ found) {{
    __shared__ double shared[{shape.threads * shape.vector}];
    const unsigned column = blockIdx.x % {shape.tiles}u * {shape.width}u + threadIdx.x % {shape.width}u;
    const unsigned row = threadIdx.x / {shape.width}u % {shape.rows}u;
    const unsigned line = blockIdx.x / {shape.tiles}u * {shape.groups}u + threadIdx.x / {shape.width * shape.rows}u;
    const bool inside = line < {before}u && column < {across}u;
    double sum[{shape.vector}] = {{}};
    if (inside) {{
        const Several* start = table + (unsigned long long)line * {middle * across}ull + column;
        unsigned place = blockIdx.y * {shape.span}u + row;
        const unsigned end = min({middle}u, (blockIdx.y + 1) * {shape.span}u);
        for (; place + {(DEPTH - 1) * shape.rows}u < end; place += {DEPTH * shape.rows}u) {{
            Several loaded[{DEPTH}];
            #pragma unroll
            for (int load = 0; load < {DEPTH}; load++)
                loaded[load] = start[(unsigned long long)(place + load * {shape.rows}u) * {across}ull];
            #pragma unroll
            for (int load = 0; load < {DEPTH}; load++)
                #pragma unroll
                for (int one = 0; one < {shape.vector}; one++) sum[one] += (double)loaded[load].each[one];
        }}
        for (; place < end; place += {shape.rows}u) {{
            const Several loaded = start[(unsigned long long)place * {across}ull];
            #pragma unroll
            for (int one = 0; one < {shape.vector}; one++) sum[one] += (double)loaded.each[one];
        }}
    }}
    #pragma unroll
    for (int one = 0; one < {shape.vector}; one++) shared[one * {shape.threads} + threadIdx.x] = sum[one];
    for (unsigned step = {shape.rows // 2}u; step > 0; step /= 2) {{
        __syncthreads();
        if (row < step)
            for (int one = 0; one < {shape.vector}; one++)
                shared[one * {shape.threads} + threadIdx.x] +=
                    shared[one * {shape.threads} + threadIdx.x + step * {shape.width}u];
    }}
    if (inside && row == 0)
        for (int one = 0; one < {shape.vector}; one++)
            found[(blockIdx.y * {before}ull + line) * {behind}ull + column * {shape.vector}ull + one] =
                shared[one * {shape.threads} + threadIdx.x];
}}
"""
