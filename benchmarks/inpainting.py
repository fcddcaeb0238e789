"""Scribbles and writing over photographs: what inpainting programs make of them, in error and in seconds.

    python benchmarks/inpainting.py [--rows coffee,chelsea] [--holes strokes,text,scratches] [--methods auto,telea]
                                    [--repeat 3] [--size 256] [--pictures DIR]
    python benchmarks/inpainting.py --large [--methods auto-low,telea]

Protocol: photographs that ship inside scikit-image, 8 bits a channel, of which about 5 % are covered. "strokes" are
bent lines and words about 5 pixels wide, drawn by Pillow with seed 0; "text" and "scratches" are the patterns of
`tensorfill.sampling` with seed 0. What is covered is 0 in all channels, and every program is told where. RMSE inside
the holes, on a scale of 0 to 255, after rounding to 8 bits, and seconds: the least of `--repeat` runs, after one on a
corner, so that compiling is not counted. OpenCV's Telea and Navier–Stokes look 3 pixels far. Frequency-selective
reconstruction is that of opencv-contrib; a package that is not there is a row that says so.

`--pictures` writes a sheet for each photograph, with the two places where holes cross most edges, magnified three
times. `--large` repeats a photograph, mirrored, up to 3000 × 4000 pixels with a few scratches, and tells seconds only.

Telea: J. Graphics Tools 9 (2004). Navier–Stokes: Bertalmio, Bertozzi, Sapiro, CVPR 2001. Biharmonic: Hoang, Damelin,
arXiv:1707.06567. Frequency-selective: Seiler et al., IEEE Trans. Image Processing 2015; Genser et al., PCS 2018.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from harness import GrowingTable, make_parser, names_from, save_results
from numpy.typing import NDArray
from photographs import COLOUR, GRAY, Picture, photograph
from PIL import Image, ImageDraw, ImageFont
from scipy import ndimage

import tensorfill
from tensorfill import sampling

Mask = NDArray[np.bool_]
Inpaint = Callable[[Picture, Mask], Picture]

ROWS = ("coffee", "chelsea", "astronaut", "rocket")
HOLES = ("strokes", "text", "scratches")
SHARE, WIDTH, LETTERS = 0.05, 5, 36
WORDS = ("holes", "tensor", "picture", "known", "missing", "filled")
RADIUS = 3
CORNER, TILE, MAGNIFIED, COLUMNS = 64, 80, 3, 6
LARGE, LARGE_SHARE = (3000, 4000), 0.001


class NotInstalled(Exception):
    """A package that a program needs is not there."""


def strokes(shape: Sequence[int], share: float, seed: int, words: bool = True) -> Mask:
    """Bent lines and words until they cover a share of a picture; True where it is covered."""
    rng = np.random.default_rng(seed)
    height, width = shape[:2]
    drawing = Image.new("1", (width, height))
    draw, font = ImageDraw.Draw(drawing), ImageFont.load_default(LETTERS)
    with_word = False
    while np.asarray(drawing).mean() < share:
        start = rng.uniform(0, (width, height))
        if with_word:
            draw.text(tuple(start - LETTERS), str(rng.choice(WORDS)), fill=1, font=font, stroke_width=1)
        else:
            turns = rng.uniform(0, 2 * np.pi) + np.cumsum(rng.normal(0, 0.5, 4))
            steps = 0.12 * min(height, width) * np.stack([np.cos(turns), np.sin(turns)], axis=1)
            points = np.concatenate([start[None], start + np.cumsum(steps, axis=0)])
            draw.line([tuple(point) for point in points.tolist()], fill=1, width=WIDTH, joint="curve")
        with_word = words and not with_word
    return np.asarray(drawing.convert("L")) > 0  # the bytes of a bilevel picture are 255, which is no bool


def missing_of(holes: str, shape: Sequence[int]) -> Mask:
    """True where a picture is covered, a value for each pixel."""
    if holes == "strokes":
        return strokes(shape, SHARE, seed=0)
    return ~sampling.mask(holes, shape[:2], 1 - SHARE, seed=0)


def ours(picture: Picture, missing: Mask, **settings: Any) -> Picture:
    """tensorfill.inpaint."""
    return tensorfill.inpaint(picture, missing, random_state=0, **settings)


def biharmonic(picture: Picture, missing: Mask) -> Picture:
    """skimage.restoration.inpaint_biharmonic."""
    restoration: Any = imported("skimage.restoration", "scikit-image")
    filled = restoration.inpaint_biharmonic(picture, missing, channel_axis=-1 if picture.ndim == 3 else None)
    return np.asarray(np.rint(255 * np.clip(filled, 0, 1)), dtype=np.uint8)


def of_opencv(picture: Picture, missing: Mask, flag: str) -> Picture:
    """cv2.inpaint; its mask is not 0 where a pixel is missing."""
    cv2: Any = imported("cv2", "opencv-contrib-python-headless")
    return np.asarray(cv2.inpaint(picture, missing.astype(np.uint8), RADIUS, getattr(cv2, flag)))


def frequency_selective(picture: Picture, missing: Mask, flag: str) -> Picture:
    """cv2.xphoto.inpaint; its mask is 0 where a pixel is missing, and colours are in the order blue, green, red."""
    cv2: Any = imported("cv2", "opencv-contrib-python-headless")
    if not hasattr(cv2, "xphoto"):
        raise NotInstalled("opencv-contrib-python-headless")
    turned = np.ascontiguousarray(picture[..., ::-1] if picture.ndim == 3 else picture)
    filled = np.zeros_like(turned)
    cv2.xphoto.inpaint(turned, np.where(missing, 0, 255).astype(np.uint8), filled, getattr(cv2.xphoto, flag))
    return np.ascontiguousarray(filled[..., ::-1] if picture.ndim == 3 else filled)


def imported(module: str, package: str) -> Any:
    """A module, or a word on the package that has it."""
    try:
        return import_module(module)
    except ImportError:
        raise NotInstalled(package) from None


METHODS: Mapping[str, Inpaint] = {
    "telea": partial(of_opencv, flag="INPAINT_TELEA"),
    "navier-stokes": partial(of_opencv, flag="INPAINT_NS"),
    "biharmonic": biharmonic,
    "fsr-fast": partial(frequency_selective, flag="INPAINT_FSR_FAST"),
    "fsr-best": partial(frequency_selective, flag="INPAINT_FSR_BEST"),
    "spectral": partial(ours, method="spectral"),
    "patches": partial(ours, method="patches"),
    "auto-low": partial(ours, effort="low"),
    "auto": ours,
}
TITLES = {
    "telea": "Telea (OpenCV)",
    "navier-stokes": "Navier–Stokes (OpenCV)",
    "biharmonic": "biharmonic (scikit-image)",
    "fsr-fast": "frequency-selective, fast (OpenCV)",
    "fsr-best": "frequency-selective, best (OpenCV)",
    "spectral": "`spectral`",
    "patches": "`patches`",
    "auto-low": '`auto`, effort="low"',
    "auto": "`auto`",
}


def timed(inpaint: Inpaint, picture: Picture, missing: Mask, repeat: int) -> tuple[Picture, float]:
    """What comes out, and the least seconds of several runs after one on a corner."""
    side = min(CORNER, *missing.shape)
    hole = np.zeros((side, side), dtype=bool)
    hole[side // 2 : side // 2 + WIDTH, 4:-4] = True
    corner = np.ascontiguousarray(picture[:side, :side])
    inpaint(np.where(hole.reshape(*hole.shape, *[1] * (corner.ndim - 2)), 0, corner).astype(np.uint8), hole)
    seconds = []
    for _ in range(repeat):
        began = time.perf_counter()
        filled = inpaint(picture, missing)
        seconds.append(time.perf_counter() - began)
    return filled, min(seconds)


def damaged(truth: Picture, missing: Mask) -> Picture:
    """The picture with nothing where it is covered."""
    found = truth.copy()
    found[missing] = 0
    return found


def error_inside(truth: Picture, filled: Picture, missing: Mask) -> float:
    """RMSE of what was covered, 0 to 255."""
    difference = filled[missing].astype(np.float64) - truth[missing]
    return float(np.sqrt(np.mean(difference**2)))


def telling_places(truth: Picture, missing: Mask, count: int = 2, tile: int = TILE) -> list[tuple[slice, slice]]:
    """Squares in which holes cross most edges, apart from each other."""
    gray = truth.astype(np.float64).reshape(*missing.shape, -1).mean(axis=2)
    edges = ndimage.gaussian_gradient_magnitude(gray, 1.0) * missing
    side = min(tile, *missing.shape)
    half = side // 2
    score = ndimage.uniform_filter(edges, side, mode="constant")[half : half + missing.shape[0] - side + 1]
    score = score[:, half : half + missing.shape[1] - side + 1]
    found = []
    for _ in range(count):
        row, column = np.unravel_index(int(score.argmax()), score.shape)
        found.append((slice(int(row), int(row) + side), slice(int(column), int(column) + side)))
        score[max(0, row - side) : row + side, max(0, column - side) : column + side] = -1.0
    return found


def sheet(tiles: Mapping[str, Picture], places: Sequence[tuple[slice, slice]]) -> Image.Image:
    """All pictures side by side under their names, once for each place."""
    caption = 16
    shown = [(title, picture[place]) for place in places for title, picture in padded(tiles).items()]
    height, width = (MAGNIFIED * side for side in shown[0][1].shape[:2])
    rows = -(-len(shown) // COLUMNS)
    page = Image.new("RGB", (COLUMNS * (width + 4), rows * (height + caption + 4)), "white")
    draw = ImageDraw.Draw(page)
    for number, (title, crop) in enumerate(shown):
        left, top = number % COLUMNS * (width + 4), number // COLUMNS * (height + caption + 4)
        draw.text((left + 2, top + 1), title, fill="black", font=ImageFont.load_default(12))
        page.paste(Image.fromarray(crop).resize((width, height), Image.Resampling.NEAREST), (left, top + caption))
    return page


def padded(tiles: Mapping[str, Picture]) -> dict[str, Picture]:
    """With empty ones at the end, so that every place begins a row."""
    blank = np.full_like(next(iter(tiles.values())), 255)
    return {**tiles, **{" " * (number + 1): blank for number in range(-len(tiles) % COLUMNS)}}


def compare(cases: Mapping[str, tuple[Picture, Mask]], methods: Sequence[str], repeat: int) -> dict[str, Any]:
    """Print a row for each method, a column for each case; give back the figures and what came out."""
    shares = [f"{name}, {missing.mean():.1%}" for name, (_, missing) in cases.items()]
    table = GrowingTable("RMSE inside (0 … 255), seconds", *shares)
    found: dict[str, Any] = {}

    def cells(method: str) -> Iterator[str]:
        yield TITLES[method]
        for name, (truth, missing) in cases.items():
            try:
                filled, seconds = timed(METHODS[method], damaged(truth, missing), missing, repeat)
            except NotInstalled as package:
                yield f"{package} is not installed"
                continue
            error = error_inside(truth, filled, missing)
            found[f"{method} on {name}"] = {"rmse": error, "seconds": seconds, "filled": filled}
            yield f"{error:.2f}, {seconds:.2f} s"

    for method in methods:
        table.add(cells(method))
    return found


def draw_sheets(folder: Path, cases: Mapping[str, tuple[Picture, Mask]], found: Mapping[str, Any]) -> None:
    """A PNG for each case: damage, what each method made of it, and the truth."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (truth, missing) in cases.items():
        made = {method: found.get(f"{method} on {name}") for method in METHODS}
        tiles = {f"{method} {one['rmse']:.1f}": one["filled"] for method, one in made.items() if one is not None}
        whole = {"damaged": damaged(truth, missing), **tiles, "truth": truth}
        path = folder / f"{name.replace(', ', '-')}.png"
        sheet(whole, telling_places(truth, missing)).save(path)
        print(f"Wrote {path}.")


def large(name: str, methods: Sequence[str]) -> dict[str, float]:
    """Seconds for a dozen megapixels."""
    small = photograph(name)
    more = [(0, max(0, side - had)) for side, had in zip(LARGE, small.shape, strict=False)]
    truth = np.pad(small, [*more, *[(0, 0)] * (small.ndim - 2)], mode="symmetric")[: LARGE[0], : LARGE[1]]
    missing = strokes(LARGE, LARGE_SHARE, seed=0, words=False)
    table = GrowingTable(f"{LARGE[0]} × {LARGE[1]}, {missing.mean():.2%} missing", "seconds")
    found = {}
    for method in methods:
        try:
            _, found[method] = timed(METHODS[method], damaged(truth, missing), missing, repeat=1)
            table.add([TITLES[method], f"{found[method]:.1f}"])
        except NotInstalled as package:
            table.add([TITLES[method], f"{package} is not installed"])
    return found


def main() -> None:
    """Run what is asked for and print it."""
    parser = make_parser(__doc__)
    parser.add_argument("--rows", default=",".join(ROWS), help="photographs, comma-separated")
    parser.add_argument("--holes", default="strokes", help=f"comma-separated: {','.join(HOLES)}")
    parser.add_argument("--methods", default=",".join(METHODS), help=f"comma-separated: {','.join(METHODS)}")
    parser.add_argument("--repeat", type=int, default=3, help="the least seconds of so many runs count")
    parser.add_argument("--size", type=int, nargs="?", const=256, help="cut pictures to this side, 256 by default")
    parser.add_argument("--pictures", type=Path, help="folder for sheets of magnified crops")
    parser.add_argument("--large", action="store_true", help="seconds for 12 megapixels instead")
    given = parser.parse_args()
    names = names_from(given.rows, COLOUR + GRAY, "photograph")
    methods = names_from(given.methods, tuple(METHODS), "method")
    packages = ("scikit-image", "opencv-contrib-python-headless")
    if given.large:
        save_results("inpainting_large", large(names[0], methods), packages)
        return
    cases = {}
    for name in names:
        for holes in names_from(given.holes, HOLES, "kind of holes"):
            truth = photograph(name, given.size)
            cases[f"{name}, {holes}"] = truth, missing_of(holes, truth.shape)
    found = compare(cases, methods, given.repeat)
    if given.pictures is not None:
        draw_sheets(given.pictures, cases, found)
    told = {run: {key: value for key, value in one.items() if key != "filled"} for run, one in found.items()}
    save_results("inpainting", told, packages)


if __name__ == "__main__":
    main()
