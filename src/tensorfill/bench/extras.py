"""Extras: methods and datasets of your own, each from one Python file, for one bench."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import ModuleType

from ..errors import InvalidInput, UnreadableFile
from ..methods.registry import forget, register
from .dataset import Dataset, datasets


@dataclass(frozen=True)
class Extras:
    """What files of one's own brought, and the versions of these files."""

    methods: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    known: dict[str, Dataset] = field(default_factory=dict)
    """Every dataset by name, those of the package and those of the files."""
    versions: dict[str, dict[str, str]] = field(default_factory=dict)
    """By the name of a method or dataset: what a row of it says about its file."""

    def versions_for(self, method: str, dataset: str) -> dict[str, str]:
        """What a row says about the files its method and its dataset come from."""
        return {**self.versions.get(f"method {method}", {}), **self.versions.get(f"dataset {dataset}", {})}


@contextmanager
def load_extras(files: Sequence[Path]) -> Iterator[Extras]:
    """Run the files and add what they define, as long as the block lasts. Use only files you trust."""
    known = datasets()
    methods: list[str] = []
    brought: list[str] = []
    versions: dict[str, dict[str, str]] = {}
    try:
        for path in files:
            module, version = _load(path)
            if not (hasattr(module, "METHOD") or hasattr(module, "DATASET")):
                raise InvalidInput(f"{path} must define METHOD, a class of methods, or DATASET, or both.")
            if hasattr(module, "METHOD"):
                register(module.METHOD)
                methods.append(module.METHOD.name)
                versions[f"method {module.METHOD.name}"] = version
            if hasattr(module, "DATASET"):
                dataset = _check_dataset(path, module.DATASET, known)
                known[dataset.name] = dataset
                brought.append(dataset.name)
                versions[f"dataset {dataset.name}"] = version
        yield Extras(tuple(methods), tuple(brought), known, versions)
    finally:
        for name in methods:
            forget(name)


def _check_dataset(path: Path, dataset: object, known: dict[str, Dataset]) -> Dataset:
    if not isinstance(dataset, Dataset):
        raise InvalidInput(
            f"The DATASET of {path} must be a tensorfill.bench.dataset.Dataset. Got {dataset!r} instead."
        )
    if dataset.name in known:
        raise InvalidInput(f"There is a dataset called '{dataset.name}' already; give that of {path} another name.")
    return dataset


def _load(path: Path) -> tuple[ModuleType, dict[str, str]]:
    try:
        source = path.read_bytes()
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror or error}.") from error
    digest = sha256(source).hexdigest()[:12]
    name = f"tensorfill_extra_{digest}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UnreadableFile(f"{path} must be a Python file, with a name that ends in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look themselves up there
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise InvalidInput(f"{path} cannot be run: {type(error).__name__}: {error}.") from error
    return module, {path.name: f"sha256 {digest}"}
