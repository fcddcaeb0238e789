"""The registry: every method by its name, and how to make one from settings."""

from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, cast

from ..errors import InvalidSetting
from .auto import Auto
from .bcpf import BCPF
from .biharmonic import Biharmonic
from .constant_fill import MeanFill, ZeroFill
from .dual import Dual
from .dual_demo import DualDemo
from .ffw import FFW
from .geomcg import GeomCG
from .halrtc import HaLRTC
from .linear import Linear
from .lrtc_tnn import LRTCTNN
from .lrtc_tv import LRTCTV
from .method import Method
from .ncpc import NCPC
from .nonneg_dual import NonnegDual
from .rprecon import RPrecon
from .smf_lrtc import SMFLRTC
from .spc import SPC
from .spectral import Spectral
from .t_ctv import TCTV
from .tmac import TMac
from .tnn import TNN

_METHODS: tuple[type[Method], ...] = (
    Auto,
    Spectral,
    NonnegDual,
    Dual,
    DualDemo,
    RPrecon,
    GeomCG,
    NCPC,
    TMac,
    LRTCTV,
    SMFLRTC,
    FFW,
    TCTV,
    TNN,
    HaLRTC,
    LRTCTNN,
    SPC,
    BCPF,
    ZeroFill,
    MeanFill,
    Linear,
    Biharmonic,
)


_PROTOCOL = ("name", "summary", "reference", "nonnegative", "refuses", "complete")
_added: dict[str, type[Method]] = {}


def available_methods() -> dict[str, type[Method]]:
    """Every method by name, the default first."""
    return {method.name: method for method in _METHODS} | _added


def register(method: type[Method]) -> None:
    """Add a class of methods for this process; a name that is taken is refused."""
    lacks = [part for part in _PROTOCOL if not hasattr(method, part)]
    if not isinstance(method, type) or not is_dataclass(method) or lacks:
        told = f" {', '.join(map(repr, lacks))} are missing." if lacks else ""
        raise InvalidSetting(f"A method must be a dataclass with {', '.join(_PROTOCOL)}. Got {method!r} instead.{told}")
    if method.name in available_methods():
        raise InvalidSetting(f"There is a method called {method.name!r} already; give yours another name.")
    _added[method.name] = method


def forget(name: str) -> None:
    """Take back what `register` added."""
    _added.pop(name, None)


def setting_names(method: type[Method]) -> tuple[str, ...]:
    """The settings a method takes."""
    assert is_dataclass(method)
    return tuple(field.name for field in fields(method))


def method_for(name: str, settings: Collection[str]) -> str:
    """The method called `name`; for auto with settings that only nonneg-dual has, such as a rank, that one."""
    if name == Auto.name and not set(settings) <= set(setting_names(Auto)):
        return NonnegDual.name if set(settings) <= set(setting_names(NonnegDual)) else name
    return name


def make(name: str, settings: Mapping[str, Any]) -> Method:
    """The method called `name` with these settings, checked."""
    known = available_methods()
    if not isinstance(name, str) or name not in known:
        raise InvalidSetting(f"There is no method {name!r}. The methods are: {', '.join(known)}.")
    method = known[name]
    names = setting_names(method)
    for setting in settings:
        if setting not in names:
            raise InvalidSetting(f"{name} has no setting {setting!r}. Its settings are: {', '.join(names) or 'none'}.")
    return cast(Method, cast(Any, method)(**settings))
