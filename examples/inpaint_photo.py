"""Remove text that was written over a photo, and compare with scikit-image where it is installed."""

from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from tensorfill import inpaint


def written_over(size: tuple[int, int]) -> NDArray[np.bool_]:
    """Where lines of text lie: True means missing, as `inpaint` takes it."""
    sheet = Image.new("L", size)
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(22)
    for line, top in enumerate(range(4, size[1], 32)):
        draw.text((4 - 9 * (line % 2), top), "do not copy do not copy do not", fill=255, font=font)
    return np.asarray(sheet) > 0


def psnr(truth: NDArray[Any], estimate: NDArray[Any], where: NDArray[np.bool_]) -> float:
    """Peak signal-to-noise ratio in dB of the pixels that were missing, for values up to 255."""
    return float(10 * np.log10(255**2 / np.mean((truth[where] - estimate[where].astype(float)) ** 2)))


def main() -> None:
    """Inpaint the picture that comes with the package."""
    with (files("tensorfill.assets") / "cat.png").open("rb") as file:
        photo = np.asarray(Image.open(file).convert("RGB"))  # (row, column, channel), uint8
    mask = written_over((photo.shape[1], photo.shape[0]))
    damaged = np.where(mask[:, :, None], 255, photo).astype(np.uint8)

    filled = inpaint(damaged, mask, effort="low")  # one method instead of several; here the same result, sooner

    print(f"{mask.mean():.0%} of the pixels are covered by text; {filled.dtype} in, {filled.dtype} out")
    print("the other pixels are kept:", bool((filled[~mask] == photo[~mask]).all()))
    print(f"PSNR of the covered pixels: {psnr(photo, damaged, mask):.2f} dB as they were")
    print(f"                            {psnr(photo, filled, mask):.2f} dB by tensorfill")
    try:
        from skimage.restoration import inpaint_biharmonic
    except ImportError:
        print("(scikit-image is not installed; nothing to compare with.)")
    else:
        smooth = np.clip(inpaint_biharmonic(damaged, mask, channel_axis=-1), 0, 1) * 255
        print(f"                            {psnr(photo, smooth, mask):.2f} dB by scikit-image's biharmonic")


if __name__ == "__main__":
    main()
