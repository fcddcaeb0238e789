"""Knowing beforehand whether a kernel will have to be compiled."""

import importlib.util
import os
import sys
import time
from pathlib import Path

import pytest

from tensorfill.numerics.compilation import is_cached

SOURCE = """
from numba import njit

@njit(cache=True)
def doubled(x):
    return 2 * x
"""


def loaded(path: Path) -> object:
    spec = importlib.util.spec_from_file_location("some_kernels", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["some_kernels"] = module
    spec.loader.exec_module(module)
    return module.doubled


@pytest.mark.slow
def test_a_kernel_is_cached_from_its_first_call_to_the_next_change_of_its_source(tmp_path: Path) -> None:
    path = tmp_path / "some_kernels.py"
    path.write_text(SOURCE)
    kernel = loaded(path)
    assert not is_cached(kernel)
    assert kernel(2) == 4  # type: ignore[operator]
    assert is_cached(kernel)
    assert is_cached(loaded(path))
    later = time.time() + 10
    os.utime(path, (later, later))
    assert not is_cached(loaded(path))
