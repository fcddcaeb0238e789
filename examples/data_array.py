"""An xarray DataArray with holes goes in, a DataArray with the same coordinates and attributes comes out."""

from importlib import import_module
from typing import Any

import numpy as np

from tensorfill import complete


def main() -> None:
    """Complete a small cube of spectra in which pixels and values are missing."""
    xarray: Any = import_module("xarray")
    rng = np.random.default_rng(0)
    row, column = np.mgrid[0:1:32j, 0:1:32j]
    band = np.linspace(0.0, 1.0, 13)
    places = np.stack((row * column, np.sin(3 * row) ** 2, 0.3 + 0.5 * column**2))
    spectra = np.stack((band, np.exp(-8 * (band - 0.3) ** 2), 1 - band**2))
    cube = xarray.DataArray(
        np.einsum("prc,pb->rcb", places, spectra),
        dims=("y", "x", "wavelength"),
        coords={"wavelength": np.linspace(400.0, 700.0, 13)},
        attrs={"units": "reflectance"},
        name="scene",
    )
    holes = cube.where(rng.random(cube.shape) < 0.3)

    filled = complete(holes).filled

    print(
        f"{filled.name}: dimensions {filled.dims}, {filled.attrs['units']}, {float(holes.isnull().mean()):.0%} filled"
    )
    hidden = holes.isnull()
    for name, guess in (("mean of the band", holes.mean(("y", "x"))), ("completed", filled)):
        error = float(np.sqrt(((guess - cube).where(hidden) ** 2).mean()))
        print(f"{name:17} RMSE where it was missing: {error:.4f}")
    green, true = (float(whole.sel(wavelength=550.0).mean()) for whole in (filled, cube))
    print(f"still labelled: the mean at 550 nm is {green:.4f} (true {true:.4f})")


if __name__ == "__main__":
    main()
