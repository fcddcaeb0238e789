"""The registry: every method by its name, and how to make one from settings."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, cast

from ..errors import InvalidSetting
from ..method import Method
from .auto import Auto
from .bcpf import BCPF
from .constant_fill import MeanFill, ZeroFill
from .dual import Dual, DualDemo, NonnegDual
from .ffw import FFW
from .halrtc import HaLRTC
from .interpolation import Biharmonic, Linear
from .lrtc_tnn import LRTCTNN
from .lrtc_tv import LRTCTV
from .ncpc import NCPC
from .nearest_slices import NearestSlices
from .patches import Patches
from .scaled_spectral import ScaledSpectral
from .smf_lrtc import SMFLRTC
from .spc import SPC
from .spectral import Spectral
from .t_ctv import TCTV
from .tmac import TMac
from .tnn import TNN
from .tucker import GeomCG, RPrecon

_METHODS: tuple[type[Method], ...] = (
    Auto,
    Patches,
    Spectral,
    ScaledSpectral,
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
    NearestSlices,
    Linear,
    Biharmonic,
)


_CHOOSING = frozenset(("rank", "C", "lam", "gap_tolerance", "optimizer", "inner", "nonnegative_on"))
"""Settings that mean nonneg-dual where no method is named: its rank, and what none but its kin have."""

_PROTOCOL = ("name", "summary", "reference", "nonnegative", "refuses", "complete")
_added: dict[str, type[Method]] = {}


def available_methods() -> dict[str, type[Method]]:
    """Every method by name, the default first."""
    return {method.name: method for method in _METHODS} | _added


def names_of(having: Callable[[type[Method]], bool]) -> tuple[str, ...]:
    """The names of the methods that say this of themselves, such as `method.tells_uncertainty`."""
    return tuple(name for name, kind in available_methods().items() if having(kind))


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
    """The method called `name`; for auto with settings that mean nonneg-dual, and none that it does not have, that one.

    Others choose nothing: many methods have a `max_iter`, and which of them is meant is not to be guessed.
    """
    chosen = name == Auto.name and not _CHOOSING.isdisjoint(settings)
    return NonnegDual.name if chosen and set(settings) <= set(setting_names(NonnegDual)) else name


def told_choice(name: str, settings: Collection[str]) -> tuple[str, ...]:
    """A note that says so where settings have chosen another method than the one called `name`."""
    taken = method_for(name, settings)
    if taken == name:
        return ()
    chosen = [f"'{setting}'" for setting in settings if setting in _CHOOSING]
    are = f"{' and '.join(chosen)} {'is a setting' if len(chosen) == 1 else 'are settings'}"
    return (f"{are} of {taken}, which was taken instead of {name}; name the method to choose another.",)


def make(name: str, settings: Mapping[str, Any]) -> Method:
    """The method called `name` with these settings, checked."""
    known = available_methods()
    if not isinstance(name, str) or name not in known:
        raise InvalidSetting(f"There is no method {name!r}. The methods are: {', '.join(known)}.")
    method = known[name]
    names = setting_names(method)
    for setting in settings:
        if setting not in names:
            having = [other for other, kind in known.items() if setting in setting_names(kind)]
            elsewhere = f" Methods that have it: {', '.join(having)}; name the one that is meant." if having else ""
            raise InvalidSetting(
                f"{name} has no setting {setting!r}. Its settings are: {', '.join(names) or 'none'}.{elsewhere}"
            )
    return cast(Method, cast(Any, method)(**settings))
