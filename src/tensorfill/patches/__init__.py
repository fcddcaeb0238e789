"""Groups of similar patches: each has a Gaussian prior of its own, and missing entries are its conditional mean."""
