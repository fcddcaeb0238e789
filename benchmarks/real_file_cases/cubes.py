"""Cubes and volumes: dead bands, a dead slice, NaN."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .case import Case, gray_rgb, shades
from .material import Material, library


def envi_with_dead_bands(material: Material, folder: Path) -> Case:
    """Two bands of the camera are dead."""
    envi = library("spectral.io.envi")
    truth, waves = material.cube, material.wavelengths
    dead = [4, 11]
    known = np.ones(truth.shape, dtype=bool)
    known[:, :, dead] = False
    names = [f"band at {wave:g} nm" for wave in waves]
    header = {"wavelength": [str(wave) for wave in waves], "wavelength units": "nm", "band names": names}
    envi.save_image(
        str(folder / "cube.hdr"), np.where(known, truth, 0).astype(np.uint16), metadata=header, interleave="bil"
    )
    return Case(
        "envi",
        "ENVI cube: two dead bands",
        truth,
        known,
        ("cube.hdr", "--missing-bands", "4,11"),
        folder / "cube-filled.hdr",
        check=lambda found: {
            "wavelengths": found.metadata.wavelengths == waves,
            "band names": list(found.metadata.band_names) == names,
            "opens in spectral": np.array_equal(
                np.asarray(envi.open(str(folder / "cube-filled.hdr")).load(dtype=np.uint16)), found.data
            ),
        },
        view=lambda data: np.hstack([shades(data[:, :, 3], truth), shades(data[:, :, 4], truth)]),
    )


def matlab_73(material: Material, folder: Path) -> Case:
    """A variable of doubles in which NaN is missing, as MATLAB's save -v7.3 stores it."""
    h5py = library("h5py")
    truth = (material.cube / 65535.0)[::2, ::2]
    known = np.random.default_rng(2).random(truth.shape) < 0.3
    path = folder / "cube.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        variable = file.create_dataset("reflectances", data=np.where(known, truth, np.nan).T)
        variable.attrs["MATLAB_class"] = np.bytes_("double")
    with path.open("r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64, Created on: Mon Nov 16 2026".ljust(124) + b"\x00\x02IM")
    return Case(
        "mat-7.3",
        ".mat of version 7.3: 70 % NaN",
        truth,
        known,
        ("cube.mat",),
        folder / "cube-filled.mat",
        check=lambda found: {
            "doubles": found.dtype == np.float64,
            "name": found.metadata.variable == "reflectances",
            "still 7.3": (folder / "cube-filled.mat").read_bytes()[:10] == b"MATLAB 7.3",
        },
        view=lambda data: np.kron(gray_rgb(shades(data[:, :, 8], truth)), np.ones((2, 2, 1), np.uint8)),
    )


def nifti_volume(material: Material, folder: Path) -> Case:
    """A slice of the scan is dead, and a ball where the signal was lost."""
    nibabel = library("nibabel")
    scan = nibabel.load(material.scan)
    truth = np.asarray(scan.dataobj)[..., 0].astype(np.int16)
    places = np.indices(truth.shape) - np.array([60, 30, 12]).reshape(3, 1, 1, 1)
    lost = np.square(places * np.array([1, 1, 2.2]).reshape(3, 1, 1, 1)).sum(axis=0) < 9**2
    known = ~lost
    known[:, :, 14] = False
    image = nibabel.Nifti1Image
    image(np.where(known, truth, 0).astype(np.int16), scan.affine).to_filename(folder / "brain.nii.gz")
    image(lost.astype(np.uint8), scan.affine).to_filename(folder / "lost.nii.gz")
    return Case(
        "nifti",
        "NIfTI scan: a dead slice, a ball without signal",
        truth,
        known,
        ("brain.nii.gz", "--mask", "lost.nii.gz", "--mask-means", "missing", "--missing-bands", "14"),
        folder / "brain-filled.nii.gz",
        check=lambda found: {
            "affine": np.array_equal(found.metadata.affine, scan.affine),
            "opens in nibabel": np.array_equal(
                np.asarray(nibabel.load(folder / "brain-filled.nii.gz").dataobj),
                found.data,
            ),
        },
        view=lambda data: np.hstack([shades(np.rot90(data[:, :, 12]), truth), shades(np.rot90(data[:, :, 14]), truth)]),
    )


def zarr_cube(material: Material, folder: Path) -> Case:
    """NaN in single precision, in chunks."""
    import zarr

    truth = (material.cube / 65535.0)[::2, ::2].astype(np.float32)
    known = np.random.default_rng(4).random(truth.shape) < 0.5
    array: Any = zarr.create_array(
        str(folder / "cube.zarr"), shape=truth.shape, chunks=(32, 32, 8), dtype="float32", attributes={"units": "1"}
    )
    array[:] = np.where(known, truth, np.float32(np.nan))
    return Case(
        "zarr",
        "Zarr: 50 % NaN",
        truth,
        known,
        ("cube.zarr",),
        folder / "cube-filled.zarr",
        check=lambda found: {
            "opens in zarr": np.array_equal(zarr.open_array(str(folder / "cube-filled.zarr"), mode="r")[:], found.data)
        },
    )
