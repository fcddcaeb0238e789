"""`complete` in scikit-learn's verbs."""

from .completer import TensorCompleter

__all__ = ["TensorCompleter"]
