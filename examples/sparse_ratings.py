"""A tensor that is never built: 10⁹ entries, 100,000 of them known, given and asked for by their coordinates.

Tasters fill in a sheet for some wines: taster × wine × question. A sheet has answers to about half of the 50
questions, and most pairs of taster and wine have no sheet at all. What can be predicted are the other answers on a
sheet that was begun: where nothing is known along any of its three fibres, an entry is predicted as zero.
"""

import warnings

import numpy as np

from tensorfill import ObservedTensor, complete
from tensorfill.errors import UnrecoverableSlice


def main() -> None:
    """Predict held-out answers."""
    rng = np.random.default_rng(0)
    shape = tasters, wines, questions = 5000, 4000, 50
    sheets = np.unique(rng.integers(0, (tasters, wines), (4000, 2)), axis=0)
    character = rng.dirichlet((0.7, 0.7, 0.7), len(sheets))  # every wine is a mixture of three kinds
    kinds = rng.gamma(1.0, 1.0, (3, questions))
    answers = np.maximum(character @ kinds + rng.normal(0.0, 0.05, (len(sheets), questions)), 0.0)

    sheet, question = np.nonzero(rng.random(answers.shape) < 0.6)
    order = rng.permutation(len(sheet))
    coordinates = np.column_stack((sheets[sheet], question))[order]
    values = answers[sheet, question][order]
    known, held_out = slice(0, 100_000), slice(100_000, None)

    observed = ObservedTensor.from_coordinates(coordinates[known], values[known], shape)
    with warnings.catch_warnings():
        # Tasters and wines without a sheet cannot be recovered, and are not asked for.
        warnings.simplefilter("ignore", UnrecoverableSlice)
        done = complete(
            observed,
            rank=(1, 1, 3),
            lam=(1.0, 1.0, 50.0),  # most of the freedom to the mode whose fibres are well filled
            max_iter=10,
            nonnegative_on="observed",  # going through 10⁹ entries again and again would take too long
        )

    predicted = done.predict(coordinates[held_out])
    print(f"{observed.count:,} of {observed.size:,} entries known, {len(predicted):,} held out")
    print(f"{done.iterations} iterations in {done.seconds:.1f} s. {done.stop}")
    usual = np.bincount(coordinates[known][:, 2], weights=values[known]) / np.bincount(coordinates[known][:, 2])
    for name, estimate in (("mean of the question", usual[coordinates[held_out][:, 2]]), ("predicted", predicted)):
        print(f"{name:21} RMSE {np.sqrt(np.mean((estimate - values[held_out]) ** 2)):.3f}   (noise 0.05)")


if __name__ == "__main__":
    main()
