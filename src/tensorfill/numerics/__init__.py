"""Vectors and operators: linear systems, nonnegative least squares, sharing work between cores."""
