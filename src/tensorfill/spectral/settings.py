"""SpectralSettings: what steers a run of the spectral model, each with the reason for its default.

They are for those who change the method; users have the settings of `Spectral`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class SpectralSettings:
    """Tolerances are relative residuals of linear systems; errors are those at held-out entries."""

    # Solving
    tolerance: float = 1e-3
    structured_tolerance: float = 1e-5  # what is inside of holes comes last, and learning before it is there goes wrong
    first_tolerance: float = 0.1  # the first priors are far off
    sharper: float = 0.5  # what the tolerance is multiplied by from round to round
    final: float = 0.1  # times the tolerance: for the last mean
    most_final_steps: int = 240
    constrained_tolerance: float = 3e-4  # for W ≥ 0
    structured_constrained_tolerance: float = 3e-5

    # Learning
    smoothing: float = 2.0  # bins to either side
    structured_smoothing: float = 3.0
    bound_round: int = 1  # before it a preconditioner for holes is looked for: the first prior tells little
    window_rounds: int = 8  # in a part of large data
    after_window: float = 10.0  # times the tolerance: for the first round after those in a window
    least_noise: float = 1e-6  # σ² on data with largest value 1
    least_variance: float = 1e-8  # the same for the variance of all entries

    # When a stage ends
    settled: float = 0.995  # error, relative to the best so far, from which on a round is no progress
    patience: int = 2  # rounds without progress
    close: float = 1.03  # a stage also ends if its error is not this close to a rival's …
    slow: float = 0.96  # … and falls this slowly
    tie: float = 1.005  # errors of candidates that differ by less are taken to be the same

    # Whether W ≥ 0 is part of the problem
    matters: float = 0.1  # of the error: if less than that is below zero, W ≥ 0 cannot make much of a difference
    matters_if_small: float = 0.01  # small data is looked at more closely, for it costs next to nothing there
    small: int = 2**16  # entries
    as_good: float = 1.002  # error with W ≥ 0, relative to that without, up to which it stays
