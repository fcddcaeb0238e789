"""TensorCompleter where scikit-learn is not installed, and tensorfill where it is and nobody asked for it."""

from __future__ import annotations

import subprocess
import sys

WITHOUT = """
import sys
sys.modules["sklearn"] = None
import numpy as np, pandas as pd, pickle
from tensorfill import TensorCompleter
"""


def run(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_completes_tables_frames_and_new_rows() -> None:
    run(
        WITHOUT
        + """
table = np.outer(np.arange(1.0, 7.0), [2.0, 4.0, 6.0])
frame = pd.DataFrame(table, columns=["a", "b", "c"])
frame.iloc[1, 2] = np.nan
completer = TensorCompleter(rank=1, C=1000)
assert abs(completer.fit_transform(frame)[1, 2] - 12) < 0.1
assert completer.n_features_in_ == 3
assert completer.get_feature_names_out().tolist() == ["a", "b", "c"]
assert abs(completer.transform([[7.0, np.nan, 21.0]])[0, 1] - 14) < 0.1
assert abs(completer.transform(pd.DataFrame([[7, None, 21]], dtype=object))[0, 1] - 14) < 0.1
assert TensorCompleter().fit(table.reshape(3, 2, 3)).transform(table.reshape(3, 2, 3)).shape == (3, 2, 3)
assert not hasattr(TensorCompleter(), "tensor_")
pickle.loads(pickle.dumps(completer))
"""
    )


def test_what_it_cannot_do_is_said() -> None:
    told = run(
        WITHOUT
        + """
def attempt(what):
    try:
        what()
    except ValueError as error:
        print(error)
completer = TensorCompleter()
attempt(lambda: completer.set_output(transform="pandas"))
attempt(lambda: completer.fit([["x", 1.0]]))
attempt(lambda: completer.fit(pd.DataFrame({"a": ["x"], "b": [1.0]})))
attempt(lambda: completer.fit(np.ones((2, 3))).transform(np.ones((2, 4))))
"""
    )
    assert told.splitlines() == [
        "set_output needs scikit-learn 1.6 or later: pip install scikit-learn",
        "The data must be real numbers (integers or floating point). Got <U32 instead.",
        "The table must hold numbers and nothing else; text is in it, or something else.",
        "X has 4 features, but TensorCompleter is expecting 3 features as input.",
    ]


def test_importing_tensorfill_does_not_load_scikit_learn() -> None:
    told = run(
        "import sys, tensorfill; print('sklearn' in sys.modules); tensorfill.complete; print('sklearn' in sys.modules)"
    )
    assert told.split() == ["False", "False"]
