"""Spectral: a smooth prior whose spectrum and bases are learned from the known entries, and W ≥ 0.

minimise  C ‖(W − Y)_Ω‖² + ½ Σ c²/s      over W = μ + (Q_1 ⊗ … ⊗ Q_K) c ≥ 0

s and σ² = 1/(2C) maximise the marginal likelihood; held-out entries decide which of the Q_k are learned.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..completion import Completion, Watch
from ..dual.recover import RecoveredTensor
from ..estimates.derived import AffineEstimate, ClippedEstimate
from ..estimates.interpolated import InterpolatedEstimate
from ..iterating import Clock, follow, iterate
from ..method import Cost, HeldOutUnits, Method, Question
from ..numerics.threads import quiet_blas
from ..observed import ObservedTensor
from ..selection.judge import HeldOutRun
from ..spectral.bases import Borders
from ..spectral.data import KnownData, find_borders, find_places
from ..spectral.prior import CORRELATIONS, Family, ParametricSpectrum
from ..spectral.run import Plan, SpectralRun, SpectralSettings
from ..spectral.shared import SharedPrior, SharedSolver
from ..spectral.spectral_solver import SpectralSolver
from ..tensor import Array
from .baseline import complete_zeros, scale_back, too_large_to_fill
from .dual import Dual, NonnegDual
from .powers import ChosenPower, check_power, check_power_fits, choose_power, share_power
from .setting_checks import Rank, check_choice, check_count, check_positive, resolve_rank, wrong
from .shared_spectral import pool_spectra
from .spectral_settings import check_borders, check_matrix, give_reasons, is_named, make_basis
from .study import Notes, Study, are_bright, study_windows

_NAMES = ("dct", "fourier", "identity", "learned")
_ARRAYS = 12  # of single precision that are alive at a time, at most

BasisName = str
Bases = Sequence[BasisName | ArrayLike] | None
Spectrum = Literal["learned", "identity", "matern-1/2", "matern-3/2", "squared-exponential", "constant+local"]
_SPECTRA = ("learned", "identity", *CORRELATIONS)


@dataclass(frozen=True, kw_only=True)
class Spectral(Method):
    """A Gaussian prior that is diagonal in a product of bases. Everything is learned; no setting needs to be given.

    The cost in the history is the root mean square error at held-out entries, on data scaled to a largest value of 1.

    Parameters
    ----------
    bases
        A basis per mode: "dct" (cosines, for modes with an order), "fourier" (for modes that close in a circle),
        "learned" (principal directions of the data), "identity" (nothing in common along the mode), or an orthonormal
        matrix of your own, columns from what is common to what is rare (default: chosen by held-out entries among
        cosines everywhere, learned bases everywhere, and learned bases from mode 3 on).
    spectrum
        "learned" (free), or bound to a family of correlations: "matern-1/2", "matern-3/2", "squared-exponential",
        "constant+local"; bases are cosines then unless given. "identity": nothing but the paper's components, which is
        nonneg-dual with `rank`.
    borders
        How many indices stand alone at the beginning and at the end of every mode, because what is there is nothing
        like what is beside it; where the basis is "dct" and the spectrum "learned" (default: found).
    lengths
        How far correlations reach along every mode, in entries, for a family (default: learned).
    rank
        Ranks of the paper's components, one per mode or one for all, to be added to the model (default: none).
    smoothing
        How many neighbouring bins of the spectrum are averaged over, to either side (default: 2; 3 if missingness is
        structured, for then fewer frequencies can be told apart).
    max_iter
        Most rounds of learning with the bases one starts with.
    learned_rounds
        Most rounds for each choice of learned bases.
    constrained
        Whether W ≥ 0 is part of the problem (True), or reached by clipping alone (False); by default it is part of the
        problem unless that makes predictions of held-out entries worse.
    negativity_tolerance
        Largest −W left, as a share of the largest observed value, before clipping, if W ≥ 0 is part of the problem.
    power
        Which power of the data is completed, above 0 and at most 1; certificates are of that problem (default: chosen
        by held-out entries of a part among 1, ¾ and ½, where a few values are far larger than most).
    """

    name: ClassVar[str] = "spectral"
    summary: ClassVar[str] = "Smooth in learned or cosine bases, with a learned spectrum; nonnegative everywhere"
    reference: ClassVar[str] = "Ours; empirical Bayes after MacKay, Neural Computation 1992, in the paper's dual"
    nonnegative: ClassVar[bool] = True
    tells_uncertainty: ClassVar[bool] = True
    tile_costs: ClassVar[tuple[Cost, Cost] | None] = (
        Cost(52, 2.6, seconds=0.1),
        Cost(70, 0.6, 80, 15, seconds=0.1),
    )
    solver: ClassVar[SpectralSettings] = SpectralSettings()
    """What steers the rounds; an ablation is a subclass with another one."""
    interpolates: ClassVar[bool] = True
    costs: ClassVar[tuple[Cost, Cost]] = Cost(80, 2.8, seconds=0.3), Cost(70, 2, 100, 50, seconds=0.3)

    bases: Bases = None
    spectrum: Spectrum = "learned"
    borders: Sequence[Sequence[int]] | None = None
    lengths: Sequence[float] | None = None
    rank: Rank = None
    smoothing: float | None = None
    max_iter: int = 14
    learned_rounds: int = 8
    constrained: bool | None = None
    negativity_tolerance: float = 5e-6
    power: float | None = None

    def __post_init__(self) -> None:
        check_choice(self.name, "spectrum", self.spectrum, _SPECTRA)
        if self.lengths is not None and self.spectrum not in CORRELATIONS:
            raise wrong(
                self.name, "lengths", f"come with a spectrum that has them: {', '.join(CORRELATIONS)}", self.lengths
            )
        if self.rank is not None and self.spectrum in CORRELATIONS:
            raise wrong(self.name, "rank", "come with spectrum='learned' or 'identity'", self.rank)
        for length in self.lengths or ():
            check_positive(self.name, "lengths", length)
        if self.smoothing is not None:
            check_positive(self.name, "smoothing", self.smoothing)
        check_count(self.name, "max_iter", self.max_iter)
        check_count(self.name, "learned_rounds", self.learned_rounds)
        if not (self.constrained is None or isinstance(self.constrained, bool)):
            raise wrong(self.name, "constrained", "be True, False or None", self.constrained)
        check_positive(self.name, "negativity_tolerance", self.negativity_tolerance)
        check_power(self.name, self.power)
        if self.bases is not None and (isinstance(self.bases, str) or not isinstance(self.bases, Iterable)):
            raise wrong(self.name, "bases", "hold one basis per mode", self.bases)
        for basis in () if self.bases is None else self.bases:
            if isinstance(basis, str) and basis not in _NAMES:
                raise wrong(self.name, "bases", f"hold {', '.join(map(repr, _NAMES))} or matrices", basis)

    def candidate(self, question: Question) -> int | None:
        """Where strokes are filled without it, if it costs little; else it, or what begins with it, leads."""
        return 0 if question.strokes and question.small and question.effort != "low" else None

    def held_out_units(self, observed: ObservedTensor) -> HeldOutUnits | None:
        """A share of the largest known value."""
        return "largest"

    def looks_at_neighbours(self, observed: ObservedTensor) -> bool:
        """Whether slices without a known entry are filled from those beside them."""
        return self.spectrum != "identity"

    def refuses(self, observed: ObservedTensor) -> str | None:
        """Raises for bases that do not fit the tensor; refuses what does not fit into memory."""
        self._check_bases(observed.shape)
        resolve_rank(self.name, self.rank, observed.shape)
        if (
            self.bases is not None
            and self.rank is not None
            and "learned" in [b for b in self.bases if isinstance(b, str)]
        ):
            raise wrong(self.name, "bases", "not be learned if the paper's components are added", self.bases)
        if self.borders is not None:
            check_borders(self.name, self.borders, observed.shape)
        if self.lengths is not None and len(self.lengths) != observed.order:
            raise wrong(self.name, "lengths", f"hold one length for each of the {observed.order} modes", self.lengths)
        if self.spectrum == "identity":
            return self._paper().refuses(observed)
        check_power_fits(self.name, self.power, observed)
        if self.constrained and observed.floor != 0:
            raise wrong(self.name, "constrained", "not be True where there is no lower bound to keep to", True)
        return too_large_to_fill(self.name, observed, _ARRAYS // 2 + 2)

    def complete(self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None) -> Completion:
        """Complete the tensor."""
        if self.spectrum == "identity":
            done = self._paper().complete(observed, rng=rng, watch=watch)
            return replace(done, method=self.name, settings={**self._settings(observed), "rank": done.settings["rank"]})
        return self.run(observed, rng=rng, watch=watch)[0]

    def _paper(self) -> NonnegDual:
        return NonnegDual(rank=self.rank, negativity_tolerance=self.negativity_tolerance)

    def run(
        self, observed: ObservedTensor, *, rng: np.random.Generator, watch: Watch | None = None
    ) -> tuple[Completion, HeldOutRun | None]:
        """Complete the tensor, and tell what was predicted where entries were held out, if it came to that."""
        clock = Clock()
        chosen = self._choose_power(observed, rng, keeps=watch is None)
        done, held_out = chosen.run(partial(self._run, clock=clock), observed, rng=rng, watch=watch)
        if chosen.made is not None:  # by one of several runs
            done = replace(done, seconds=clock.seconds)
        return done, held_out

    def learn(self, samples: Sequence[ObservedTensor], *, rng: np.random.Generator, work: int = 0) -> Method:
        """Spectrum, noise, power, where bases are learned and how sure to be are those of the windows.

        Not with settings that belong to one size, nor with spectra of a family or components: then tiles learn alone.
        """
        return self.pool(self.study(samples, rng))

    def study(self, samples: Sequence[ObservedTensor], rng: np.random.Generator) -> list[Study]:
        """What it makes of windows; none if it learns nothing there that tiles could share."""
        samples = are_bright(samples)
        if not samples or not self._can_be_shared:
            return []
        power = share_power([self._choose_power(sample, rng, keeps=False) for sample in samples])

        def look(observed: ObservedTensor, rng: np.random.Generator, unit: float) -> Notes:
            done, work = self.follow(observed, rng=rng, scale=unit)
            return Notes(done, None if work is None else work.held_out(unit), work)

        return study_windows(samples, power, look, rng)

    def pool(self, studies: Sequence[Study]) -> Method:
        """The method for tiles, after a study."""
        return pool_spectra(self, studies) or self

    @property
    def _can_be_shared(self) -> bool:
        free = self.spectrum == "learned" and self.rank is None and not self._is_fixed
        return free and "fourier" not in (self.bases or ())

    def _choose_power(self, observed: ObservedTensor, rng: np.random.Generator, *, keeps: bool) -> ChosenPower:
        if self.power is not None or self.spectrum != "learned" or self.rank is not None or self._is_fixed:
            return ChosenPower(1.0 if self.power is None else float(self.power))
        return choose_power(observed, self._run, rng, keeps=keeps)

    @property
    def _is_fixed(self) -> bool:
        """Whether some setting belongs to a tensor of one size, so that nothing can be tried on a part of it."""
        borders = any(map(any, self.borders or ()))
        return borders or any(not isinstance(basis, str) for basis in self.bases or ())

    def _run(
        self,
        observed: ObservedTensor,
        *,
        rng: np.random.Generator,
        watch: Watch | None = None,
        clock: Clock | None = None,
    ) -> tuple[Completion, HeldOutRun | None]:
        """The data as it is."""
        done, work = self.follow(observed, rng=rng, watch=watch, clock=clock)
        return done, None if work is None else work.held_out(float(observed.known.max()))

    def follow(
        self,
        observed: ObservedTensor,
        *,
        rng: np.random.Generator,
        watch: Watch | None = None,
        clock: Clock | None = None,
        shared: SharedPrior | None = None,
        scale: float | None = None,
    ) -> tuple[Completion, SpectralRun | None]:
        """Complete the tensor as it is; the run itself, in its own units, unless there was nothing to do.

        Its units are those in which `scale` is 1, by default the largest value. What is `shared` is in the same.
        """
        largest = float(observed.known.max())  # not `values`, which would stay: a large array in double precision
        if largest == 0:
            zeros = complete_zeros(observed, self.name, self._settings(observed))
            return replace(zeros, deviations=partial(np.zeros, observed.shape)), None
        scale = largest if scale is None else scale
        with quiet_blas():  # the same bits for any number of threads
            solver = self.start(observed, rng, scale, shared)
            found = iterate(scale_back(follow(solver), scale), 10**9, watch, clock=clock)
        work = solver.run
        done = Completion(
            observed=observed,
            method=self.name,
            estimate=found.estimate if work.constrained else ClippedEstimate(found.estimate, observed.floor),
            nonnegative=True,
            stop=found.stop,
            seconds=found.seconds,
            certificate=work.certificate,
            history=found.history,
            settings=self._settings(observed, work),
            smallest=None if work.smallest is None else scale * work.smallest,
            reasons=give_reasons(work, scale, bases=self.bases is None, borders=self.borders is None),
            deviations=partial(work.deviations_of, found.estimate, scale),
        )
        return done, work

    def start(
        self, observed: ObservedTensor, rng: np.random.Generator, scale: float, shared: SharedPrior | None = None
    ) -> SpectralSolver:
        """The start of the iteration, on data divided by `scale`, about its largest value."""
        dtype: np.dtype[Any] = np.dtype(np.float64 if observed.size < self.solver.double_below else np.float32)
        pattern = observed.missingness
        values = np.asarray(observed.known / scale, dtype)
        mean = float(values.mean(dtype=np.float64))
        data = KnownData(pattern.mask, values - dtype.type(mean))
        plan = self._plan(observed, data)
        if self.rank is not None:
            plan = replace(plan, find_factors=partial(self._factors, observed, rng))
        at_first = InterpolatedEstimate(observed.shape, observed.positions, observed.known)
        start = AffineEstimate(at_first, 1 / scale)
        if shared is not None:
            return SharedSolver(data, pattern, mean, plan, rng, start, shared)
        return SpectralSolver(data, pattern, mean, plan, rng, start)

    def _borders(self, data: KnownData) -> Borders:
        """What stands alone: as given, or as found, where there are cosines and their spectrum is free."""
        none = ((0, 0),) * len(data.shape)
        if self.spectrum != "learned" or self.rank is not None:
            return none
        if self.borders is not None:
            return tuple((int(first), int(last)) for first, last in self.borders)
        bases = ["dct"] * len(none) if self.bases is None else list(self.bases)
        cosines = [is_named(basis, "dct") or is_named(basis, "learned") for basis in bases]
        found = find_borders(data, self.solver.borders) if any(cosines) else none
        return tuple(alone if has else (0, 0) for alone, has in zip(found, cosines, strict=True))

    def _plan(self, observed: ObservedTensor, data: KnownData) -> Plan:
        shape, borders = observed.shape, self._borders(data)
        bases = tuple(
            make_basis(*which, data.values.dtype, self.solver.binning)
            for which in zip(self._check_bases(shape), shape, borders, strict=True)
        )
        family = None
        if self.spectrum in CORRELATIONS:
            family = ParametricSpectrum(cast(Family, self.spectrum), bases, self.lengths, self.solver.family)
        return Plan(
            bases=bases,
            borders=borders,
            places=find_places(data, self.solver.places),
            candidates=self._candidates(observed),
            rounds=self.max_iter,
            learned_rounds=self.learned_rounds,
            smoothing=None if self.smoothing is None else float(self.smoothing),
            negativity=float(self.negativity_tolerance),
            settings=self.solver,
            constrained=self.constrained if observed.floor == 0 else False,
            floor=observed.floor,
            family=family,
        )

    def _candidates(self, observed: ObservedTensor) -> tuple[tuple[int, ...], ...]:
        """Sets of modes whose bases may be learned."""
        if self.bases is not None:
            return (tuple(mode for mode, basis in enumerate(self.bases) if is_named(basis, "learned")),)
        if self.spectrum in CORRELATIONS or self.rank is not None:
            return ((),)
        # An index of which nothing is ever seen would teach a basis its own interpolation.
        unseen, longest = {mode for mode, _ in observed.empty_slices()}, self.solver.longest_learned
        everywhere = tuple(mode for mode, size in enumerate(observed.shape) if size <= longest and mode not in unseen)
        return tuple(dict.fromkeys([(), everywhere, tuple(mode for mode in everywhere if mode >= 2)]))

    def _factors(
        self, observed: ObservedTensor, rng: np.random.Generator, held: NDArray[np.bool_]
    ) -> tuple[Array, ...]:
        """U_k of `dual`, learned without what is held out."""
        kept = ~held.reshape(-1)[observed.positions]
        less = replace(observed, positions=observed.positions[kept], known=observed.known[kept])
        found = Dual(rank=self.rank).complete(less, rng=rng).estimate
        return tuple(found.factors) if isinstance(found, RecoveredTensor) else ()

    def _check_bases(self, shape: tuple[int, ...]) -> tuple[Any, ...]:
        """One basis per mode to start with, checked."""
        if self.bases is None:
            return ("dct",) * len(shape)
        if isinstance(self.bases, str) or len(self.bases) != len(shape):
            raise wrong(self.name, "bases", f"hold one basis for each of the {len(shape)} modes", self.bases)
        for basis, size in zip(self.bases, shape, strict=True):
            if not isinstance(basis, str):
                check_matrix(self.name, basis, size)
        return tuple(self.bases)

    def _settings(self, observed: ObservedTensor, work: SpectralRun | None = None) -> dict[str, Any]:
        """Settings as they were used, as far as a run came."""
        bases = list(self._check_bases(observed.shape))
        for mode in () if work is None else work.learned:
            bases[mode] = "learned"
        return {
            "bases": tuple(bases),
            "spectrum": self.spectrum,
            "borders": None if work is None else work.plan.borders,
            "lengths": None if self.lengths is None else tuple(map(float, self.lengths)),
            "rank": self.rank,
            "smoothing": None if work is None else work.smoothing,
            "max_iter": self.max_iter,
            "learned_rounds": self.learned_rounds,
            "constrained": self.constrained if work is None else work.constrained,
            "negativity_tolerance": float(self.negativity_tolerance),
            "power": self.power,
        }
