"""Make the picture of docs/explanation/spectral.md: the demo picture at 10 %, three completions, one uncertainty.

python benchmarks/pictures.py
"""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

import numpy as np

import tensorfill
from tensorfill import formats, metrics, sampling
from tensorfill.cli.preview import side_by_side

TARGET = Path(__file__).parent.parent / "docs" / "pictures" / "spectral.png"
BRIGHTEST = 0.995  # quantile of the deviations that is shown as white


def main() -> None:
    """Complete, print the errors, and write the picture."""
    with as_file(files("tensorfill.assets") / "cat.png") as path:
        truth = formats.read_contents(path).data
    observed = sampling.uniform(truth.shape, keep=0.1, seed=0)
    shown = {"10 % observed": np.where(observed, truth, np.uint8(0))}
    for method in ("nonneg-dual", "t-ctv", "spectral"):
        done = tensorfill.complete(truth, observed, method)
        shown[method] = done.tensor
        print(f"{method}: RMSE {metrics.score(truth, done.tensor, observed).rmse:.4f}, {done.seconds:.1f} s")
    unsure = np.sqrt(np.mean(np.square(done.uncertainty), axis=2))
    grey = np.clip(255 * unsure / np.quantile(unsure, BRIGHTEST), 0, 255).astype(np.uint8)
    shown |= {"bright is unsure": np.repeat(grey[:, :, None], 3, axis=2), "truth": truth}
    formats.write(TARGET, formats.Contents(side_by_side(shown)))


if __name__ == "__main__":
    main()
