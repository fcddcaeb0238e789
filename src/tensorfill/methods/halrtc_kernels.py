"""Compiled step of `halrtc`: entry by entry through full arrays, each read and written once."""

import numpy as np

from ..compiling import compiled

_BLOCK = 1024


@compiled(nogil=True, fastmath=True)
def settle(whole, known, duals, share, new, first, last):  # type: ignore[no-untyped-def]
    """The new X at entries `first` … `last` − 1, and the new T_n in the place of D_n; returns ‖X_new − X‖², ‖X_new‖².

    X_new = X − mean D_n where nothing is known; then T_n = X_new + share · (D_n + X_new − X).
    """
    step = np.empty(_BLOCK)
    mean = 1.0 / len(duals)
    changed, length = 0.0, 0.0
    for start in range(first, last, _BLOCK):
        here = slice(start, min(start + _BLOCK, last))  # slices, for their indices are known not to be negative
        before, fixed, after = whole[here], known[here], new[here]
        count = len(before)
        step[:] = 0.0
        for n in range(len(duals)):
            dual = duals[n, here]
            for i in range(count):
                step[i] -= dual[i]
        for i in range(count):
            step[i] = 0.0 if fixed[i] else mean * step[i]
            after[i] = before[i] + step[i]
            changed += step[i] * step[i]
            length += after[i] * after[i]
        for n in range(len(duals)):
            dual = duals[n, here]
            for i in range(count):
                dual[i] = after[i] + share * (dual[i] + step[i])
    return changed, length
