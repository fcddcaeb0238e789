"""Synthetic tensors with holes on which a completion should not be foolish, and what that means in numbers."""
