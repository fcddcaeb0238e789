"""PatchSettings: what steers a run of groups of similar patches, each with the reason for its default.

They are for those who change the method; users have the settings of `Patches`. An ablation is a subclass of `Patches`
with another value of these.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class PatchSettings:
    """Squared errors at held-out entries are compared in pairs; differences are in standard errors of their mean."""

    # Rounds
    progress: float = -1.0  # below which a round was one
    little: float = 0.995  # error, relative to the one before, from which on a round was no progress even so
    patience: int = 2  # rounds without progress
    usual_rounds: int = 4  # until then
    rounds_on_strokes: int = 3  # nearly all of every patch is known: more bring next to nothing
    worse: float = 2.0  # from which on a round did harm

    # What is chosen by held-out entries
    useful: float = -0.5  # below which the best round was better than the start
    useful_in_large_holes: float = -2.0  # the same where pieces of few holes are compared, such as lost frames
    better: float = -2.0  # below which other settings are taken
    least_share: float = 0.5  # of what groups say, the rest being the start's
    enough_for_share: int = 100  # held-out entries to tell that share from

    # Where groups are solved for
    covered: float = 0.95  # of the start's squared error
    covered_in_volumes: float = 0.92  # the same in clips and volumes, where groups cost more

    # The model of a group
    strength: float = 1.0  # so many patches the covariance that all have in common counts for
    passes: int = 2  # the second one knows the conditional covariances of the first
    relaxation: float = 1.6  # by how much more than groups say estimates move from round to round
    relaxation_of_many_bands: float = 1.2  # the same with more bands than colours

    # Strokes
    mended: float = -1.0  # below which mending was better than the start
    first_rounds: int = 2  # after which what is found is averaged
    more_noise: float = 8.0  # by which more noise is tried
