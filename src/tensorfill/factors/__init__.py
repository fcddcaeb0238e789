"""Bayesian factor models of sparse tensors: main effects and products of factors, fitted by Gibbs sampling."""
