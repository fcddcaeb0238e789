"""The paper's dual problem: operators on fibres, inner solvers, start, recovery, certificate.

Letters follow the paper: U, Z, S, W, C, lam, Theta. See docs/reference/notation.md.
"""
