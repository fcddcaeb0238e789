"""Watch a completion while it runs, stop it when the time is up, and look back at its history."""

import numpy as np

from tensorfill import Snapshot, complete

TIME_LIMIT = 1.0


def main() -> None:
    """Complete a tensor within a time limit, asking for more accuracy than there is time for."""
    rng = np.random.default_rng(0)
    shape = (60, 50, 40)
    truth = np.einsum("ir,jr,kr->ijk", *(rng.random((size, 4)) for size in shape))
    observed = rng.random(shape) < 0.2
    hidden = np.argwhere(~observed)[::50]

    def watch(snapshot: Snapshot) -> bool:
        """Called after every outer iteration; True stops, and what was found so far is kept."""
        step = snapshot.step
        if step.iteration % 5 == 0:
            error = snapshot.estimate.at(hidden) - truth[tuple(hidden.T)]
            print(f"iteration {step.iteration:3}   cost {step.cost:9.4f}   RMSE {np.sqrt(np.mean(error**2)):.4f}")
        return step.seconds > TIME_LIMIT

    done = complete(
        truth, observed, rank=4, C=100.0, max_iter=10_000, gradient_tolerance=0.0, gap_tolerance=0.0, watch=watch
    )

    print(done.stop)
    history = done.history
    print(f"{done.iterations} iterations, {history.operator_calls[-1]} operator calls, {done.seconds:.1f} s")
    print(f"cost {history.cost[0]:.4f} at the start, {history.cost[-1]:.4f} at the end")
    assert done.certificate is not None
    print(f"relative gap {done.certificate.relative_gap:.1e}")


if __name__ == "__main__":
    main()
