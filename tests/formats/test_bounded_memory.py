"""An array of 370 MB, as large as ten seconds of a clip, is read and written within 300 MB."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
from pathlib import Path
import numpy as np
from tensorfill.formats import Contents, DataFile, Metadata, scratch_in
from tensorfill.formats.contents import Reading
from tensorfill.formats.file_array import fill_by_pieces

step, folder, name = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
format, shape = "frames" if name == "frames" else None, (480, 854, 300, 3)
with scratch_in(folder) as scratch:
    if step == "make":
        kind = "array" if name.endswith((".npy", ".h5", ".zarr")) else "video"
        clip = scratch.allocate(shape, np.uint8, None if kind == "array" else (2, 0, 1, 3))
        levels = np.arange(480 + 854 + 300, dtype=np.uint8)
        fill_by_pieces(clip, lambda region: np.add.outer(np.add.outer(np.add.outer(
            *(levels[part] for part in region[:2])), levels[region[2]]), np.array([0, 50, 90], np.uint8)[region[3]]))
        DataFile.of(folder / f"in{name}", format).write(Contents(clip, metadata=Metadata(kind=kind)))
    else:
        found = DataFile.of(folder / f"in{name}", format).read(Reading(size=(854, 480)), scratch)
        assert found.on_disk and found.shape == shape
        DataFile.of(folder / f"out{name}", format).write(found.fill(found.data))
# Of this process alone: what the system counts of children begins with what their parent had when it started them.
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:")))
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells how much a process had at most")
@pytest.mark.parametrize("name", [".npy", ".zarr", ".h5", ".tif", ".mkv", ".yuv", ".y4m", "frames"])
def test_little_memory_is_enough(tmp_path: Path, name: str) -> None:
    for step in ("make", "read and write"):
        command = [sys.executable, "-c", PROGRAM, step, tmp_path, name]
        told = subprocess.run(command, stdout=subprocess.PIPE, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert int(told.stdout) * 1024 < 300e6
