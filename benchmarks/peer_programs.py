"""Public programs that predict ratings, each as one function of the known entries and the wanted coordinates.

Run as a script it is one measurement in a process of its own: `python peer_programs.py NAME FOLDER` reads
`FOLDER/known.npz` (shape, coordinates, values) and `FOLDER/wanted.npy`, writes `FOLDER/predictions.npy`, and prints
seconds, seconds of CPU and the most memory as JSON. It never sees the values that are wanted, and needs only NumPy
and the program itself, which may be installed for another Python.

Programs run at their own defaults, except for what is said in their docstrings. Not here: implicit, which ranks items
by interactions and predicts no ratings.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
_DENSE = 2**25  # entries of the largest full array that a program is given


@dataclass(frozen=True)
class Known:
    """What a program is told."""

    shape: tuple[int, ...]
    coordinates: NDArray[np.int64]
    values: Numbers

    @property
    def scale(self) -> tuple[float, float]:
        """The smallest and the largest known value."""
        return float(self.values.min()), float(self.values.max())


class Unsuitable(Exception):
    """Why a program cannot do it, in a sentence."""


def biases(known: Known, wanted: NDArray[np.int64]) -> Numbers:
    """The mean plus an effect of every index of every mode, shrunk as if it had 5 more entries without effect."""
    effects = [np.zeros(size) for size in known.shape]
    level = known.values.mean()
    for _ in range(20):
        for mode, own in enumerate(effects):
            others = sum((effects[m][known.coordinates[:, m]] for m in range(len(effects)) if m != mode), np.zeros(1))
            left = known.values - level - others
            totals = np.bincount(known.coordinates[:, mode], left, minlength=len(own))
            own[:] = totals / (np.bincount(known.coordinates[:, mode], minlength=len(own)) + 5)
    return np.asarray(level + sum(own[wanted[:, mode]] for mode, own in enumerate(effects)))


def surprise_svd(known: Known, wanted: NDArray[np.int64]) -> Numbers:
    """scikit-surprise: SVD, 100 factors and biases by stochastic gradient descent."""
    return _with_surprise("SVD", known, wanted)


def surprise_baseline(known: Known, wanted: NDArray[np.int64]) -> Numbers:
    """scikit-surprise: BaselineOnly, shrunk effects of users and items."""
    return _with_surprise("BaselineOnly", known, wanted)


def surprise_neighbours(known: Known, wanted: NDArray[np.int64]) -> Numbers:
    """scikit-surprise: KNNBaseline, 40 similar users, deviations from baselines."""
    if known.shape[0] > 20_000:
        raise Unsuitable("similarities of all pairs of so many users do not fit into memory")
    return _with_surprise("KNNBaseline", known, wanted)


def _with_surprise(algorithm: str, known: Known, wanted: NDArray[np.int64]) -> Numbers:
    _require_matrix(known)
    surprise: Any = import_module("surprise")
    np.random.seed(0)  # noqa: NPY002 - the program draws from there
    frame = _table(known)
    data = surprise.Dataset.load_from_df(frame, surprise.Reader(rating_scale=known.scale))
    options = {"random_state": 0} if algorithm == "SVD" else {"verbose": False}
    fitted = getattr(surprise, algorithm)(**options)
    fitted.fit(data.build_full_trainset())
    return np.array([fitted.predict(user, item).est for user, item in wanted.tolist()])


def _table(known: Known) -> Any:
    pandas: Any = import_module("pandas")
    columns = {"user": known.coordinates[:, 0], "item": known.coordinates[:, 1], "value": known.values}
    return pandas.DataFrame(columns)


def cornac_mf(known: Known, wanted: NDArray[np.int64]) -> Numbers:
    """cornac: MF, 10 factors and biases by stochastic gradient descent."""
    _require_matrix(known)
    cornac: Any = import_module("cornac")
    rows = list(zip(*known.coordinates.T.tolist(), known.values.tolist(), strict=True))
    data = cornac.data.Dataset.build(rows)
    model = cornac.models.MF(use_bias=True, seed=0, verbose=False)
    model.fit(data)
    # Indices of what it has seen are given out in the order in which they come up.
    users, items = np.full(known.shape[0], -1), np.full(known.shape[1], -1)
    users[list(data.uid_map)], items[list(data.iid_map)] = list(data.uid_map.values()), list(data.iid_map.values())
    user, item = users[wanted[:, 0]], items[wanted[:, 1]]
    found = np.full(len(wanted), float(model.mu if hasattr(model, "mu") else model.global_mean))
    found += np.where(user >= 0, np.asarray(model.u_biases)[user], 0) + np.where(
        item >= 0, np.asarray(model.i_biases)[item], 0
    )
    both = (user >= 0) & (item >= 0)
    products = np.einsum("ij,ij->i", np.asarray(model.u_factors)[user[both]], np.asarray(model.i_factors)[item[both]])
    found[both] += products
    return found


def myfm_regression(known: Known, wanted: NDArray[np.int64]) -> Numbers:
    """myFM: a Bayesian factorisation machine, 10 factors, 300 samples by Gibbs sampling; any number of modes."""
    myfm: Any = import_module("myfm")
    model = myfm.MyFMRegressor(rank=10, random_seed=0)
    groups = list(known.shape)
    model.fit(_one_hot(known.coordinates, known.shape), known.values, n_iter=300, group_shapes=groups)
    return np.asarray(model.predict(_one_hot(wanted, known.shape)), dtype=np.float64)


def _one_hot(coordinates: NDArray[np.int64], shape: tuple[int, ...]) -> Any:
    sparse: Any = import_module("scipy.sparse")
    columns = coordinates + np.concatenate(([0], np.cumsum(shape[:-1])))
    ends = np.arange(0, columns.size + 1, len(shape))
    return sparse.csr_matrix((np.ones(columns.size), columns.reshape(-1), ends), (len(columns), sum(shape)))


def sklearn_nmf(known: Known, wanted: NDArray[np.int64]) -> Numbers:
    """scikit-learn: NMF with 10 components, to which what is missing is 0, for it knows nothing else."""
    _require_matrix(known)
    decomposition: Any = import_module("sklearn.decomposition")
    sparse: Any = import_module("scipy.sparse")
    matrix = sparse.csr_matrix((known.values, tuple(known.coordinates.T)), known.shape)
    model = decomposition.NMF(10, init="nndsvda", random_state=0, max_iter=200)
    users = model.fit_transform(matrix)
    return np.asarray(np.einsum("ij,ji->i", users[wanted[:, 0]], model.components_[:, wanted[:, 1]]))


def tensorly_parafac(known: Known, wanted: NDArray[np.int64]) -> Numbers:
    """TensorLy: non_negative_parafac of rank 3 with a mask, 100 iterations on the full array."""
    tensorly: Any = import_module("tensorly")
    decomposition: Any = import_module("tensorly.decomposition")
    full, mask = _make_full(known)
    found = decomposition.non_negative_parafac(full, 3, n_iter_max=100, init="random", random_state=0, mask=mask)
    return np.asarray(tensorly.cp_to_tensor(found)[tuple(wanted.T)])


def pyttb_gcp(known: Known, wanted: NDArray[np.int64]) -> Numbers:
    """pyttb: generalized CP of rank 3 with a mask, squared errors, L-BFGS-B on the full array."""
    pyttb: Any = import_module("pyttb")
    objectives: Any = import_module("pyttb.gcp.handles")
    optimizers: Any = import_module("pyttb.gcp.optimizers")
    full, mask = _make_full(known)
    np.random.seed(0)  # noqa: NPY002 - the program draws from there
    model, *_ = pyttb.gcp_opt(
        pyttb.tensor(full), 3, objectives.Objectives.GAUSSIAN, optimizers.LBFGSB(maxiter=200, iprint=-1), mask=mask,
        printitn=0,
    )  # fmt: skip
    return np.asarray(model.full().data[tuple(wanted.T)])


def _make_full(known: Known) -> tuple[Numbers, Numbers]:
    """The full array, 0 where nothing is known, and where something is."""
    if np.prod([float(size) for size in known.shape]) > _DENSE:
        raise Unsuitable("it needs the full array, which is too large")
    full, mask = np.zeros(known.shape), np.zeros(known.shape)
    full[tuple(known.coordinates.T)] = known.values
    mask[tuple(known.coordinates.T)] = 1
    return full, mask


def _require_matrix(known: Known) -> None:
    if len(known.shape) != 2:
        raise Unsuitable("it knows users and items and no third mode")


@dataclass(frozen=True)
class Program:
    """What is imported, what to install for it, and what it does; nothing is imported for biases."""

    package: str
    install: str
    predict: Callable[[Known, NDArray[np.int64]], Numbers]


PROGRAMS: dict[str, Program] = {
    "biases": Program("numpy", "numpy", biases),
    "surprise BaselineOnly": Program("surprise", "scikit-surprise pandas", surprise_baseline),
    "surprise SVD": Program("surprise", "scikit-surprise pandas", surprise_svd),
    "surprise KNNBaseline": Program("surprise", "scikit-surprise pandas", surprise_neighbours),
    "cornac MF": Program("cornac", "cornac", cornac_mf),
    "myFM": Program("myfm", "myfm", myfm_regression),
    "scikit-learn NMF": Program("sklearn", "scikit-learn", sklearn_nmf),
    "TensorLy nonnegative CP": Program("tensorly", "tensorly", tensorly_parafac),
    "pyttb GCP": Program("pyttb", "pyttb", pyttb_gcp),
}


def main() -> None:
    """One measurement."""
    name, folder = sys.argv[1], Path(sys.argv[2])
    program = PROGRAMS[name]
    try:
        import_module(program.package)
    except ImportError:
        print(json.dumps({"skipped": f"not installed: pip install {program.install}"}))
        return
    with np.load(folder / "known.npz") as file:
        known = Known(tuple(file["shape"].tolist()), file["coordinates"], file["values"])
    began, worked = time.perf_counter(), time.process_time()
    try:
        found = program.predict(known, np.load(folder / "wanted.npy"))
    except Unsuitable as error:
        print(json.dumps({"skipped": str(error)}))
        return
    told = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - worked}
    np.save(folder / "predictions.npy", found)
    print(json.dumps({**told, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))


if __name__ == "__main__":
    main()
