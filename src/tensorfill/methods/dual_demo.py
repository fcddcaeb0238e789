"""Dual-demo: `dual` with the settings of its authors' demonstration, λ_k = 1 and C = 1000."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..cost import UNMEASURED, Cost
from ..method import Stroke
from .dual import Dual
from .setting_checks import Weights


@dataclass(frozen=True, kw_only=True)
class DualDemo(Dual):
    """The preset at which published figures for `dual` come out; settings as in `DualSettings`."""

    name: ClassVar[str] = "dual-demo"
    stroke: ClassVar[Stroke] = Stroke("#56b4e9", "D", "--")
    summary: ClassVar[str] = "dual with its authors' demo settings, lam=1 and C=1000"
    costs: ClassVar[tuple[Cost, Cost]] = UNMEASURED

    C: float = 1000.0
    lam: Weights = 1.0
