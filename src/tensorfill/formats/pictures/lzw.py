"""LZW, the compression of GIF and of many TIFF files: codes for strings of bytes that were seen before.

T. A. Welch, "A Technique for High-Performance Data Compression", Computer 17 (6), 1984. GIF packs codes from the lowest
bit on; TIFF from the highest, and widens its codes one step early.
"""

import numpy as np

from ...compiling import compiled

_MOST = 4096


@compiled()
def decode(packed, out, first_bits, tiff):  # type: ignore[no-untyped-def]
    """Fill `out` from `packed`, whose symbols have `first_bits` bits; returns how many came, −1 if it is damaged."""
    clear = 1 << first_bits
    prefix = np.zeros(_MOST, dtype=np.int32)
    last = np.zeros(_MOST, dtype=np.uint8)
    first = np.zeros(_MOST, dtype=np.uint8)
    length = np.ones(_MOST, dtype=np.int64)
    for code in range(clear):
        last[code] = code
        first[code] = code
    bits, free, before = first_bits + 1, clear + 2, -1
    buffer, held, position = np.int64(0), 0, 0
    for byte in packed:
        buffer = ((buffer & 0xFFFFFF) << 8) | np.int64(byte) if tiff else buffer | (np.int64(byte) << held)
        held += 8
        while held >= bits:
            held -= bits
            if tiff:
                code = (buffer >> held) & ((1 << bits) - 1)
            else:
                code = buffer & ((1 << bits) - 1)
                buffer >>= bits
            if code == clear:
                bits, free, before = first_bits + 1, clear + 2, -1
                continue
            if code == clear + 1:
                return position
            if code > free or (before < 0 and code > clear) or (code == free and free == _MOST):
                return -1
            if before >= 0 and free < _MOST:
                prefix[free] = before
                first[free] = first[before]
                last[free] = first[code] if code < free else first[before]
                length[free] = length[before] + 1
                free += 1
                if free + (1 if tiff else 0) >= 1 << bits and bits < 12:
                    bits += 1
            end = position + length[code]
            part = code
            for place in range(end - 1, position - 1, -1):
                if place < len(out):
                    out[place] = last[part]
                part = prefix[part]
            position = min(end, len(out))
            if position == len(out):
                return position
            before = code
    return position


@compiled()
def encode(symbols, out, first_bits):  # type: ignore[no-untyped-def]
    """GIF's codes for symbols of `first_bits` bits, into `out`, twice as long and 16 more; returns their size."""
    clear = 1 << first_bits
    longer = np.zeros((_MOST, clear), dtype=np.int16)  # the code of a string and one more symbol; 0: none yet
    bits, free = first_bits + 1, clear + 2
    buffer, held, position = np.int64(clear), bits, 0
    before = np.int64(-1)
    for index in range(len(symbols) + 2):
        if index == 0:
            before = np.int64(symbols[0])
            continue
        if index < len(symbols):
            symbol = symbols[index]
            if longer[before, symbol]:
                before = np.int64(longer[before, symbol])
                continue
            code = before
        else:
            code = before if index == len(symbols) else np.int64(clear + 1)
        buffer |= code << held
        held += bits
        while held >= 8:
            out[position] = buffer & 255
            position += 1
            buffer >>= 8
            held -= 8
        if index >= len(symbols):
            if free < _MOST and free == 1 << bits and bits < 12:
                bits += 1
            free += 1
            continue
        if free < _MOST:
            longer[before, symbol] = free
            if free == 1 << bits:
                bits += 1
            free += 1
        else:
            buffer |= np.int64(clear) << held
            held += bits
            longer[:] = 0
            bits, free = first_bits + 1, clear + 2
        before = np.int64(symbol)
    if held:
        out[position] = buffer & 255
        position += 1
    return position
