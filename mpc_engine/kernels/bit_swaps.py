"""Halving swaps of bit squares on vectors of eight words, written as plain LLVM vector code.

Eight 64 x 64 bit squares lie side by side: word ``s`` of vector ``r`` is row r of square s. A swap
at distance ``w`` exchanges bits of rows r and r + w: of the one those in columns with ``w`` set, of
the other those without. All six distances transpose every square (Knuth, The Art of Computer
Programming 4A, section 7.1.3). Three distances of eight rows fit in registers, so that memory is
passed twice. Any processor can run this; LLVM cuts the vectors to its own. Everything here reads
and writes memory at places that the caller has checked.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import extending, types

intrinsic: Any = extending.intrinsic

TILE_WORDS = 8
"""Words of a column taken at once: a cache line, since columns lie far apart in memory."""
_ROWS = 8
_DISTANCES = (4, 2, 1)
_WORD = ir.IntType(64)
_INDEX = ir.IntType(32)
_PAIR = ir.VectorType(_WORD, 2)
_VECTOR = ir.VectorType(_WORD, TILE_WORDS)
_EVEN = [place for first in range(0, TILE_WORDS, 2) for place in (first, TILE_WORDS + first)]
_ODD = [place + 1 for place in _EVEN]


class _Code:
    """Writes vector code at one place of a kernel."""

    def __init__(self, context: Any, builder: Any) -> None:
        self._context = context
        self.builder = builder

    def data(self, array_type: Any, array: Any) -> Any:
        """Return the pointer to an array's words."""
        return self._context.make_array(array_type)(self._context, self.builder, array).data

    def place(self, pointer: Any, word: Any, kind: Any) -> Any:
        """Return the pointer to a vector of a kind that begins at a word."""
        place = self.builder.gep(pointer, [word], source_etype=_WORD)
        return self.builder.bitcast(place, kind.as_pointer())

    def rows(self, pointer: Any, first: Any, stride: Any) -> list[Any]:
        """Read eight vectors, the first at a word and the others ``stride`` words apart."""
        found = []
        for row in range(_ROWS):
            word = self.builder.add(first, self.builder.mul(stride, ir.Constant(_WORD, row)))
            vector = self.builder.load(self.place(pointer, word, _VECTOR), typ=_VECTOR)
            vector.align = 8
            found.append(vector)
        return found

    def swapped(self, rows: list[Any], between: int) -> list[Any]:
        """Return eight rows that are ``between`` apart, swapped at three distances."""
        builder, rows = self.builder, list(rows)
        for distance in _DISTANCES:
            width = distance * between
            mask = sum(1 << bit for bit in range(64) if not bit & width)
            shift, masks = (ir.Constant(_VECTOR, [value] * TILE_WORDS) for value in (width, mask))
            for low in (row for row in range(_ROWS) if not row & distance):
                above = rows[low + distance]
                moved = builder.xor(builder.lshr(rows[low], shift), above)
                moved = builder.and_(moved, masks)
                rows[low] = builder.xor(rows[low], builder.shl(moved, shift))
                rows[low + distance] = builder.xor(above, moved)
        return rows

    def shuffled(self, first: Any, second: Any, places: list[int]) -> Any:
        """Return the words of two vectors that have these places."""
        mask = ir.Constant(ir.VectorType(_INDEX, len(places)), places)
        return self.builder.shuffle_vector(first, second, mask)


@intrinsic
def swap_far(
    typing_context: Any, source: Any, first: Any, stride: Any, squares: Any, row: Any
) -> Any:
    """Swap rows ``row + 8 k`` at distances 32, 16 and 8.

    Row ``row + 8 k`` is read at word ``first + k stride`` of ``source``; vectors of ``squares``
    uint64[64, 8] get the result.
    """
    signature = types.none(source, types.int64, types.int64, squares, types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Code(context, builder)
        rows = code.rows(code.data(signature.args[0], arguments[0]), arguments[1], arguments[2])
        target = code.data(signature.args[3], arguments[3])
        for number, vector in enumerate(code.swapped(rows, _ROWS)):
            at = builder.add(arguments[4], ir.Constant(_WORD, _ROWS * number))
            word = builder.mul(at, ir.Constant(_WORD, TILE_WORDS))
            builder.store(vector, code.place(target, word, _VECTOR), align=8)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def swap_near(typing_context: Any, low: Any, high: Any, row: Any, rows: Any, first: Any) -> Any:
    """Swap rows ``row`` to ``row + 7`` at distances 4, 2 and 1 and write them out.

    ``low`` and ``high`` are squares uint64[64, 8] of the two halves of a row of 128 bits. Square s
    of them makes rows ``first + 64 s`` of ``rows`` uint64[n, 2].
    """
    signature = types.none(low, high, types.int64, rows, types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Code(context, builder)
        step = ir.Constant(_WORD, TILE_WORDS)
        begin = builder.mul(arguments[2], step)
        halves = [
            code.swapped(code.rows(code.data(signature.args[i], arguments[i]), begin, step), 1)
            for i in (0, 1)
        ]
        target = code.data(signature.args[3], arguments[3])
        top = builder.add(arguments[4], arguments[2])
        for number, (left, right) in enumerate(zip(*halves, strict=True)):
            mixed = [code.shuffled(left, right, places) for places in (_EVEN, _ODD)]
            for square in range(TILE_WORDS):
                at = builder.add(top, ir.Constant(_WORD, 64 * square + number))
                lane = 2 * (square // 2)
                pair = code.shuffled(mixed[square % 2], mixed[square % 2], [lane, lane + 1])
                word = builder.mul(at, ir.Constant(_WORD, 2))
                builder.store(pair, code.place(target, word, _PAIR), align=8)
        return context.get_dummy_value()

    return signature, generate
