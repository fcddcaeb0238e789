"""Large tensors: cut into tiles, with everything chosen once, on a few windows; and told of as one completion."""
