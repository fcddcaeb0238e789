"""What steers `patches`, each with the reason for its default.

They are for those who change the method; users have the settings of `Patches`. An ablation is a subclass of `Patches`
with another value of these. Values are scaled so that the largest known one is 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """How large patches and groups are, unless a user says."""

    # Bands of a site
    few_bands: int = 4  # such as colours: up to so many need no basis
    directions: int = 16  # that stand for more bands than that

    # Patches
    fewest_sites: int = 1000  # with fewer, no two of them are similar
    largest: int = 150  # entries: the covariance has so many squared
    most_known: int = 45  # entries of a patch, on average: what it costs grows with their square
    longest: int = 6  # side: larger ones have nothing in common
    overlap: float = 0.7  # of the side, from one reference patch to the next, where it is longer than 3

    # Groups
    reach: int = 32  # sites to either side within which similar patches are looked for
    reach_of_many_bands: int = 12  # a site with many bands tells more by itself
    reach_on_strokes: int = 24
    reach_in_volumes: tuple[int, int, int] = (5, 5, 15)  # in a clip what is similar is near, at another time
    equal_reach_in_volumes: int = 6  # which is tried instead
    members: int = 40
    members_on_strokes: int = 20  # most patches of a group are complete: fewer have to be solved for
    informers: float = 2.5  # times as many
    informers_in_volumes: float = 2.0
    informers_on_strokes: float = 4.0  # they cost next to nothing
    strength: float = 1.0  # so many patches the covariance that all have in common counts for
    passes: int = 2  # the second one knows the conditional covariances of the first
    relaxation: float = 1.6  # by how much more than groups say estimates move from round to round
    relaxation_of_many_bands: float = 1.2  # the same with more bands than colours

    # Noise
    noise: float = 0.4  # of σ² as `spectral` has learned it, which takes what its one prior cannot tell for noise
    untold_noise: float = 1e-6  # σ² as `spectral` learns it is no less, so what it takes for that is likely to be less
    other_noise: float = 4.0  # factor by which other noise is tried
    least_noise: float = 1e-12  # σ² that single precision can work with
    most_noise: float = 1e6


@dataclass(frozen=True, kw_only=True)
class StrokeSettings:
    """What counts as strokes, and which like them are held out."""

    few: float = 0.2  # share of the sites that is missing, at most: with more, the whole tensor has to be learned
    deepest: int = 4  # sites between a missing one and what is known: half a thick pen
    least_deep: float = 1 / 30  # of the shortest mode: strokes on a large picture may be wider
    most_deep: float = 1 / 8  # of the shortest mode: on a small one, what is as deep hides whole things
    shifts: int = 6  # places that are looked at for strokes to hold out
    nearest: int = 12  # sites by which strokes are moved along every mode, at least
    farthest: int = 60  # and at most: what is farther away is of another kind
    apart: int = 4  # sites between what is held out and what is missing
    tile: int = 32  # sites: strokes are held out by tiles
    held: float = 0.4  # of the missing sites that are held out
    fewest_held: int = 2000  # sites that are held out even so, if there are as many
    noise: float = 0.4  # of the squared second differences, which smooth surfaces do not have, in the median
    looked_at: int = 2**20  # sites from which noise is told
    least_noise: float = 1e-6  # σ²


@dataclass(frozen=True, kw_only=True)
class RoundSettings:
    """How a round is computed."""

    pieces: int = 32  # that reference patches are cut into along the first mode, whatever the number of threads
    at_a_time: int = 16  # of them have sums of their own at the same time, so that memory is bounded
    rounding: float = 2e-5  # σ² relative to the trace of Σ: with less, rounding would make Σ indefinite
    rounding_exact: float = 4e-14  # the same in double precision
    tiny: float = 1e-5  # noise relative to the trace of Σ₀ that is less than rounding in single precision
    most_exact: int = 2_000_000  # coefficients: beyond that time and memory count for more


@dataclass(frozen=True, kw_only=True)
class MendingSettings:
    """How strokes on pictures are mended, each patch by itself."""

    sides: tuple[int, ...] = (8, 6, 10)  # of patches; averaged, they are better than any of them
    near: int = 24  # sites to either side within which patches like them are looked for
    likest: int = 20  # patches that count in full
    informers: int = 8  # times as many in all
    first_rounds: int = 2  # after which what is found is averaged
    useful: float = -1.0  # standard errors below which mending was better than the start
    more_noise: float = 8.0  # factor by which more noise is tried


@dataclass(frozen=True, kw_only=True)
class PatchSettings:
    """Squared errors at held-out entries are compared in pairs; differences are in standard errors of their mean."""

    model: ModelSettings = field(default_factory=ModelSettings)
    strokes: StrokeSettings = field(default_factory=StrokeSettings)
    mending: MendingSettings = field(default_factory=MendingSettings)
    round: RoundSettings = field(default_factory=RoundSettings)

    # Rounds
    progress: float = -1.0  # below which a round was one
    little: float = 0.995  # error, relative to the one before, from which on a round was no progress even so
    patience: int = 2  # rounds without progress
    usual_rounds: int = 4  # until then
    rounds_on_strokes: int = 3  # nearly all of every patch is known: more bring next to nothing
    worse: float = 2.0  # from which on a round did harm

    last_rounds_in_tiles: int = 1  # after as many as windows needed without their held-out entries

    # What is chosen by held-out entries
    useful: float = -0.5  # below which the best round was better than the start
    useful_in_large_holes: float = -2.0  # the same where pieces of few holes are compared, such as lost frames
    better: float = -2.0  # below which other settings are taken
    least_share: float = 0.5  # of what groups say, the rest being the start's
    enough_for_share: int = 100  # held-out entries to tell that share from

    # Where groups are solved for
    covered: float = 0.95  # of the start's squared error
    covered_in_volumes: float = 0.92  # the same in clips and volumes, where groups cost more
    around: int = 9  # sites along every mode over which squared misfits are averaged
    tile: int = 32  # sites along two modes: settings are compared on some of these tiles
    sampled: int = 6  # of so many tiles one is taken
    fewest_tiles: int = 3  # unless that makes fewer
