"""
Scribbles and text on a photograph
==================================

:func:`tensorfill.inpaint` removes what was drawn or written over a picture. It takes a mask as scikit-image
does: True where a pixel is missing.
"""

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image, ImageDraw, ImageFont
from skimage.data import coffee

from tensorfill import inpaint, score

# %%
# Strokes and letters are drawn on a sheet of the size of the photograph.

truth = coffee()[60:300, 180:440]
sheet = Image.new("L", (truth.shape[1], truth.shape[0]))
draw = ImageDraw.Draw(sheet)
draw.text((20, 90), "Sample text", fill=255, font=ImageFont.load_default(34))
for points in ([(10, 30), (90, 70), (150, 20), (250, 60)], [(20, 220), (110, 160), (160, 210), (240, 150)]):
    draw.line(points, fill=255, width=5, joint="curve")
mask = np.asarray(sheet) > 0  # True means missing
damaged = np.where(mask[:, :, None], np.uint8(255), truth)

filled = inpaint(damaged, mask, effort="low")  # one method, and no comparison of several

# %%
# The error is that of the pixels under the strokes; all others are exactly as they were.

known = np.broadcast_to(~mask[:, :, None], truth.shape)
panels = {
    f"damaged ({mask.mean():.0%} of the pixels)": damaged,
    f"filled, RMSE {score(truth, filled, known).rmse_unobserved:.3f}": filled,
    "truth": truth,
}
fig, axes = plt.subplots(1, 3, figsize=(9, 3.1), layout="constrained")
for ax, (title, image) in zip(axes, panels.items(), strict=True):
    ax.imshow(image)
    ax.set_title(title)
    ax.axis("off")
