"""Every method that ships, the default first: adding one is a line here."""

from ..method import Method
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
from .ncpc import NCPC
from .nearest_slices import NearestSlices
from .nonneg_dual import NonnegDual
from .patches import Patches
from .rprecon import RPrecon
from .scaled_spectral import ScaledSpectral
from .smf_lrtc import SMFLRTC
from .spc import SPC
from .spectral import Spectral
from .t_ctv import TCTV
from .tmac import TMac
from .tnn import TNN

METHODS: tuple[type[Method], ...] = (
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
