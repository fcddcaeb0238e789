"""A choice knows methods by what they offer: any may lead; one that holds nothing out is run again."""

from __future__ import annotations

import ast
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tensorfill import available_methods, selection
from tensorfill.method import Question
from tensorfill.methods.constant_fill import MeanFill, ZeroFill
from tensorfill.methods.interpolation import Linear
from tensorfill.methods.spectral import Spectral
from tensorfill.observed import ObservedTensor
from tensorfill.selection.choice import Candidates, Choice, Refused
from tensorfill.selection.judge import HoldsOut


def slope() -> NDArray[np.float64]:
    return np.add.outer(np.arange(30.0), 2 * np.arange(20.0))


def observed(known: NDArray[np.bool_] | None = None) -> ObservedTensor:
    some = np.random.default_rng(0).random((30, 20)) < 0.6
    return ObservedTensor.from_array(slope(), some if known is None else known)


def compared(data: ObservedTensor, candidates: Candidates) -> Any:
    choice = Choice(data, np.random.default_rng(0), None)
    return choice.compared(candidates, Question("normal", data.shape, data.missingness.structured))


def test_a_leader_that_holds_nothing_out_is_compared_all_the_same() -> None:
    assert not isinstance(MeanFill(), HoldsOut)
    done = compared(observed(), Candidates(MeanFill(), {"linear": Linear()}, {}))
    assert done.settings == {"weights": {"linear": 1.0}, "lost_weights": None}
    assert done.method == "linear"
    assert "mean-fill" in done.reasons["weights"]
    assert np.abs(done.tensor - slope())[5:-5, 5:-5].max() < 1e-9


def test_a_leader_that_is_better_stays() -> None:
    done = compared(observed(), Candidates(Linear(), {"zero-fill": ZeroFill()}, {}))
    assert done.settings["weights"] == {"linear": 1.0}
    assert done.deviations is None


def test_a_leader_without_others_is_not_run_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[int] = []
    real = Linear.complete

    def look(method: Linear, *given: Any, **more: Any) -> Any:
        runs.append(1)
        return real(method, *given, **more)

    monkeypatch.setattr(Linear, "complete", look)
    done = compared(observed(), Candidates(Linear(), {}, {}))
    assert done.settings["weights"] == {"linear": 1.0}
    assert len(runs) == 1


def test_one_that_holds_out_tells_it_in_the_units_of_the_data() -> None:
    method, data = Spectral(), observed()
    assert isinstance(method, HoldsOut)
    done, run = method.run(data, rng=np.random.default_rng(0))
    assert run is not None
    assert np.abs(run.predictions - slope()[run.held]).max() < 0.1 * slope().max()
    assert run.deviations is not None
    errors = run.predictions - slope()[run.held]
    one, other = (run.deviations(done.model, errors=errors, more=more) for more in (0.0, 1.0))
    np.testing.assert_allclose(other**2 - one**2, data.values.max() ** 2, rtol=1e-9)


def test_where_nothing_tells_the_mean_of_those_that_disagree_is_taken() -> None:
    known = np.zeros((30, 20), dtype=bool)
    known[4] = True
    unjudged = {"mean-fill": MeanFill(), "linear": Linear()}
    done = compared(observed(known), Candidates(MeanFill(), {"linear": Linear()}, unjudged))
    assert done.settings["lost_weights"] == {"mean-fill": 0.5, "linear": 0.5}


def test_given_weights_are_taken_and_refusals_told() -> None:
    data, methods = observed(), {"linear": Linear(), "mean-fill": MeanFill()}
    done = Choice(data, np.random.default_rng(0), None).blended(methods, {"linear": 0.25, "mean-fill": 0.75})
    parts = [method.complete(data, rng=np.random.default_rng(0)).tensor for method in methods.values()]
    np.testing.assert_allclose(done.tensor, 0.25 * parts[0] + 0.75 * parts[1])
    pickle.loads(pickle.dumps(done))

    class Unwilling(Linear):
        def refuses(self, observed: ObservedTensor) -> str | None:
            return "It will not."

    with pytest.raises(Refused) as caught:
        Choice(data, np.random.default_rng(0), None).blended({"linear": Unwilling()}, {"linear": 1.0})
    assert caught.value.refusal == "It will not."


def test_no_method_is_known_by_name() -> None:
    for path in Path(selection.__path__[0]).glob("*.py"):
        words = {node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)}
        assert words.isdisjoint(available_methods()), path.name
