"""bayes-factors: main effects and interactions of the indices of a sparse tensor, by Gibbs sampling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from ..completion import Completion, Watch
from ..estimates.derived import ClippedEstimate, deviation_of_root
from ..estimates.estimate import ConstantEstimate
from ..factors.choosing import choose_model, lowered, raised
from ..factors.samples import SampledModel, bytes_of_sample
from ..factors.solver import GibbsSettings, GibbsSolver, Internals
from ..factors.terms import Interactions, make_terms
from ..iterating import Progress, follow, iterate
from ..method import Cost
from ..numerics.threads import quiet_blas
from ..observed import ObservedTensor
from ..tensor import Array
from .baseline import CheckedMethod, complete_zeros, refuse_memory
from .powers import check_power_fits
from .setting_checks import Count, Flag, is_number, require

Power = Annotated[float, require("be above 0 and at most 1", lambda value: is_number(value) and 0 < value <= 1)]

_MANY = 1_000_000  # known entries above which fewer samples are drawn: the posterior is narrow
_WELL_KNOWN = 200  # known entries per index from which on more components can be told apart
_MOST_TRACED = 2_000_000  # known entries up to which footprints are looked at


@dataclass(frozen=True, kw_only=True)
class BayesFactors(CheckedMethod):
    """The mean of samples of a multilinear model whose priors are learned.

    Parameters
    ----------
    rank
        Components of every interaction (default: 8, or 16 where much is known of every index). What explains nothing is
        shrunk to nothing.
    interactions
        "pairs": every pair of modes interacts; "product": all modes together, as in the CP model. Default: what
        predicts held-out entries better.
    power
        The power of the data that is modelled, such as 0.5 for counts. Default: by held-out entries where a few values
        are far larger than most, else 1.
    footprints
        Whether it counts where an index is known at all, such as which items a user has rated. Default: up to two
        million known entries.
    max_iter
        Iterations, of which the first fifth gives no samples (default: 100, or 40 above a million known entries).
    """

    name: ClassVar[str] = "bayes-factors"
    summary: ClassVar[str] = "Main effects and interactions of indices, sampled; for ratings, counts, sparse tensors"
    reference: ClassVar[str] = "Salakhutdinov & Mnih, ICML 2008; Rendle, TIST 2012; Simm et al., MLSP 2017"
    nonnegative: ClassVar[bool] = True
    tells_uncertainty: ClassVar[bool] = True
    needs_known_only: ClassVar[bool] = True
    place_if_sparse: ClassVar[int | None] = 0
    costs: ClassVar[tuple[Cost, Cost]] = 2 * (Cost.of_known(130, 16, seconds=1.0),)

    rank: Count | None = None
    interactions: Interactions | None = None
    power: Power | None = None
    footprints: Flag | None = None
    max_iter: Count | None = None

    def fills_lost_slices(self, observed: ObservedTensor) -> bool:
        """By the main effects of the other modes."""
        return True

    def settled(self, done: Completion) -> BayesFactors:
        """With the model that was chosen."""
        return replace(self, interactions=done.settings["interactions"], power=done.settings["power"])

    def resolve(self, observed: ObservedTensor) -> dict[str, Any]:
        """What needs no comparison."""
        check_power_fits(self.name, self.power, observed)
        per_index = observed.count / sum(min(size, observed.count) for size in observed.shape)
        return {
            "rank": self.rank or min(16 if per_index > _WELL_KNOWN else 8, max(observed.shape)),
            "footprints": observed.count <= _MOST_TRACED if self.footprints is None else bool(self.footprints),
            "max_iter": self.max_iter or (100 if observed.count <= _MANY else 40),
        }

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Refuses what does not fit into memory."""
        settings = self.resolve(observed)
        rows = [min(size, observed.count) for size in observed.shape]
        samples = min(
            bytes_of_sample(make_terms(observed.order, settings["rank"], "pairs"), rows) * settings["max_iter"],
            int(Internals().most_bytes),
        )
        return refuse_memory(
            observed.count * (8 * observed.order + 40) + 12 * sum(observed.shape) + 2 * samples,
            f"{self.name} would need {{needed}} GiB for {observed.count} known entries of a tensor of shape "
            f"{observed.shape} and this machine has {{there}}.",
        )

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""
        settings = self.used_on(observed)
        if not observed.values.any():
            return complete_zeros(observed, self.name, settings)
        reasons: dict[str, str] = {}
        models: list[SampledModel] = []

        def states() -> Iterator[Progress]:
            mean = float(observed.values.mean())  # while a model is being chosen
            yield Progress(float(observed.values.std()), ConstantEstimate(observed.shape, mean))
            chain = follow(self._begin(observed, settings, reasons, rng))
            next(chain)  # its start is no better than the mean
            for state in chain:
                models[:] = [cast(SampledModel, state.estimate)]
                yield replace(state, estimate=ClippedEstimate(lowered(models[0], settings["power"]), observed.floor))

        with quiet_blas():
            found = iterate(states(), settings["max_iter"], watch)
        return Completion(
            observed=observed,
            method=self.name,
            estimate=found.estimate,
            nonnegative=self.nonnegative,
            stop=found.stop,
            seconds=found.seconds,
            history=found.history,
            settings=settings,
            reasons=reasons,
            deviations=partial(deviate, models[0], settings["power"]) if models else None,
            deviations_at=partial(deviate_at, models[0], settings["power"]) if models else None,
        )

    def _begin(
        self, observed: ObservedTensor, settings: dict[str, Any], reasons: dict[str, str], rng: np.random.Generator
    ) -> GibbsSolver:
        """The chain at its start; what is chosen for it is written into the settings."""
        chain = self._chain(settings)
        own = np.random.default_rng(int(rng.integers(2**31)))  # so that what is chosen, if named, gives the same bits
        chosen = choose_model(observed, chain, self.interactions, self.power, own)
        settings |= {"interactions": chosen.interactions, "power": chosen.power}
        if chosen.errors:
            reasons["model"] = chosen.reason
        return GibbsSolver(raised(observed, chosen.power), replace(chain, interactions=chosen.interactions), rng)

    @staticmethod
    def _chain(settings: Mapping[str, Any]) -> GibbsSettings:
        forgotten = settings["max_iter"] // 5
        return GibbsSettings(
            rank=settings["rank"],
            samples=settings["max_iter"] - forgotten,
            forgotten=forgotten,
            footprints=GibbsSettings.footprints if settings["footprints"] else 0,
        )


def deviate(model: SampledModel, power: float) -> Array:
    """The standard deviation of every entry. A function of the module, so that a completion can be pickled."""
    deviations = np.sqrt(model.dense_variances())
    return deviations if power == 1 else deviation_of_root(model.dense(), power, deviations)


def deviate_at(model: SampledModel, power: float, coordinates: NDArray[np.int64]) -> Array:
    """The same at rows of coordinates."""
    deviations = np.sqrt(model.variances_at(coordinates))
    return deviations if power == 1 else deviation_of_root(model.at(coordinates), power, deviations)
