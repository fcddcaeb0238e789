"""The spectral model: a Gaussian prior, diagonal in a product of bases, one per mode, with a learned spectrum."""
