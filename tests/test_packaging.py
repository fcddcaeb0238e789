"""What is released: one version everywhere, an archive and a wheel with all that they need, and no more."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

import tensorfill

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OPTIONAL = (
    "skimage",
    "sklearn",
    "av",
    "h5py",
    "nibabel",
    "zarr",
    "polars",
    "pandas",
    "xarray",
    "matplotlib",
    "starlette",
)
NOT_CODE = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*.*") if path.is_file()}
NOT_CODE = {path for path in NOT_CODE if not path.endswith((".py", ".pyc", ".nbi", ".nbc"))}


def run(*command: str, **environment: str) -> str:
    """What a command prints; it must succeed."""
    given = {**os.environ, **environment}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=given, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The source archive and the wheel."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder))
    (archive,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return archive, wheel


def test_the_classifiers_name_the_pythons_that_are_supported() -> None:
    named = [entry.rpartition(" :: ")[2] for entry in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", entry)]
    assert f">={named[0]}" == PROJECT["requires-python"]
    assert named == [f"3.{minor}" for minor in range(11, 11 + len(named))]


def test_the_licence_is_that_of_the_file() -> None:
    assert PROJECT["license"] == "BSD-3-Clause"
    assert (ROOT / "LICENSE").read_text().startswith("BSD 3-Clause License")


def test_everything_that_an_extra_of_the_command_needs_is_in_all() -> None:
    (everything,) = PROJECT["optional-dependencies"]["all"]
    for_users = set(PROJECT["optional-dependencies"]) - {"all", "test", "docs", "bench"}
    assert set(re.findall(r"\w+", everything.partition("[")[2])) == for_users


@pytest.mark.slow
def test_an_archive_and_a_wheel_are_built_that_an_index_accepts(built: tuple[Path, Path]) -> None:
    archive, wheel = built
    assert archive.name == f"tensorfill-{tensorfill.__version__}.tar.gz"
    assert wheel.name == f"tensorfill-{tensorfill.__version__}-py3-none-any.whl"
    run(sys.executable, "-m", "twine", "check", "--strict", str(archive), str(wheel))


@pytest.mark.slow
def test_the_wheel_has_types_and_all_files_of_the_package_and_nothing_else(built: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(built[1]) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        (about,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        described = message_from_string(wheel.read(about).decode())
    assert "tensorfill/py.typed" in names
    assert NOT_CODE - names == set()
    code = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*.py")}
    assert names == NOT_CODE | code
    assert described["Version"] == tensorfill.__version__
    assert described["Requires-Python"] == PROJECT["requires-python"]


@pytest.mark.slow
def test_the_archive_has_what_tests_and_documentation_need(built: tuple[Path, Path]) -> None:
    with tarfile.open(built[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "LICENSE", "README.md", "Makefile", "docs/conf.py", "tests/test_packaging.py"} <= names
    assert not [name for name in names if name.startswith((".venv", "build", "demo", "docs/auto_gallery"))]


@pytest.mark.slow
def test_the_wheel_works_without_extras(built: tuple[Path, Path], tmp_path: Path) -> None:
    """Unpacked into an empty folder; what is optional cannot be imported."""
    with zipfile.ZipFile(built[1]) as wheel:
        wheel.extractall(tmp_path)
    program = f"""
import sys
for name in {OPTIONAL!r}:
    sys.modules[name] = None
import numpy as np, tensorfill
data = np.multiply.outer([1.0, 2.0, 3.0], np.outer([1.0, 2.0], [3.0, 1.0]))
data[0, 1, 1] = np.nan
done = tensorfill.complete(data, rank=1, C=1000)
filled = tensorfill.TensorCompleter(rank=1, C=1000).fit_transform(data)
print((tensorfill.__file__, round(float(done.tensor[0, 1, 1]), 1), filled.shape))
"""
    place, value, shape = ast.literal_eval(run(sys.executable, "-P", "-c", program, PYTHONPATH=str(tmp_path)))
    assert Path(place).is_relative_to(tmp_path)
    assert (value, shape) == (2.0, (3, 2, 2))
