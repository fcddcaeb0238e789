"""Labels that the data does not have are predicted by methods that can, and as an index without a known entry is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tensorfill import Completion, complete


def rated() -> pd.DataFrame:
    """Ratings by users of whom a few rate most, as usual."""
    rng = np.random.default_rng(0)
    users, films = rng.normal(0, 0.7, 120), rng.normal(0, 0.7, 80)
    chance = np.outer(1 / np.arange(3, 123), 1 / np.arange(3, 83)).ravel()
    user, film = np.divmod(np.sort(rng.choice(120 * 80, 1500, replace=False, p=chance / chance.sum())), 80)
    stars = np.clip(3 + users[user] + films[film] + rng.normal(0, 0.5, len(user)), 1, 5)
    return pd.DataFrame({"user": [f"u{n}" for n in user], "film": [f"f{n}" for n in film], "stars": stars})


@pytest.fixture(scope="module", params=["main-effects", "bayes-factors", "auto"])
def done(request: pytest.FixtureRequest) -> Completion:
    return complete(
        rated(), method=request.param, coordinates=["user", "film"], value="stars", lower=1, upper=5, random_state=1
    )


def test_somebody_new_likes_what_others_like(done: Completion) -> None:
    films = [f"f{n}" for n in range(20)]
    new = done.predict(user="nobody", film=films)
    usual = np.mean([done.predict(user=f"u{n}", film=films, raw=True) for n in range(50)], axis=0)
    assert np.corrcoef(new, usual)[0, 1] > 0.9
    assert new.min() >= 1
    assert new.max() <= 5


def test_the_last_index_is_not_taken_for_the_new_one(done: Completion) -> None:
    last = rated()["user"].iloc[-1]
    known = done.predict(user=last, film=["f0", "f1", "f2"], raw=True)
    assert not np.allclose(done.predict(user="nobody", film=["f0", "f1", "f2"], raw=True), known)


def test_where_both_are_new_there_is_still_an_answer(done: Completion) -> None:
    (value,) = done.predict(user="nobody", film="nothing")
    assert abs(value - rated()["stars"].mean()) < 0.6
