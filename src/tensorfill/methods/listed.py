"""Every method that ships, the default first. Adding one is a file and a line here."""

from __future__ import annotations

from importlib import import_module

from ..method import Method

_LISTED = (
    "auto:Auto",
    "patches:Patches",
    "spectral:Spectral",
    "scaled_spectral:ScaledSpectral",
    "dual:NonnegDual",
    "dual:Dual",
    "dual:DualDemo",
    "tucker:RPrecon",
    "tucker:GeomCG",
    "ncpc:NCPC",
    "tmac:TMac",
    "lrtc_tv:LRTCTV",
    "smf_lrtc:SMFLRTC",
    "ffw:FFW",
    "t_ctv:TCTV",
    "tnn:TNN",
    "halrtc:HaLRTC",
    "lrtc_tnn:LRTCTNN",
    "spc:SPC",
    "bcpf:BCPF",
    "bayes_factors:BayesFactors",
    "main_effects:MainEffects",
    "constant_fill:ZeroFill",
    "constant_fill:MeanFill",
    "nearest_slices:NearestSlices",
    "interpolation:Linear",
    "interpolation:Biharmonic",
)
"""MODULE:CLASS, modules of this package."""


def _load(entry: str) -> type[Method]:
    module, name = entry.split(":")
    found: type[Method] = getattr(import_module(f".{module}", __package__), name)
    return found


METHODS: tuple[type[Method], ...] = tuple(map(_load, _LISTED))
