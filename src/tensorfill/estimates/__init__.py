"""Estimates: fitted tensors in the form their method found them, whole or entry by entry."""
