"""Hide 70 % of a small colour picture, fill it in again, and see how far off the filled entries are."""

from importlib.resources import files

import numpy as np
from PIL import Image

from tensorfill import complete, score


def main() -> None:
    """Complete the picture that comes with the package, at 96 × 96."""
    with (files("tensorfill.assets") / "cat.png").open("rb") as file:
        small = Image.open(file).resize((96, 96), Image.Resampling.LANCZOS)
    picture = np.asarray(small)  # (row, column, channel), uint8

    observed = np.random.default_rng(0).random(picture.shape) < 0.3  # True means known
    done = complete(picture, observed, rank=(10, 10, 3))

    print(done.stop)
    print(f"dtype in {picture.dtype}, dtype out {done.tensor.dtype}")
    print("known entries kept:", bool((done.tensor[observed] == picture[observed]).all()))
    mean = np.where(observed, picture, np.rint(picture[observed].mean())).astype(picture.dtype)
    for name, estimate in (("filled with the mean", mean), ("completed", done.tensor)):
        found = score(picture, estimate, observed)
        print(f"{name:22} RMSE of the hidden entries {found.rmse_unobserved:.4f}   (values in [0, 1])")


if __name__ == "__main__":
    main()
