"""
Comparison with scikit-image and OpenCV
=======================================

The same damaged photograph, inpainted by scikit-image's biharmonic equation, by OpenCV's Telea and
Navier–Stokes methods, and by tensorfill. OpenCV is left out with a message where it is not installed.
"""

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image, ImageDraw, ImageFont
from skimage.data import astronaut
from skimage.restoration import inpaint_biharmonic

from tensorfill import inpaint, score

# %%
# Text covers the photograph.

truth = astronaut()[0:180, 130:310]
sheet = Image.new("L", (180, 180))
for line in range(6):
    text = "lorem ipsum dolor sit amet"
    ImageDraw.Draw(sheet).text((-8 * (line % 3), 6 + 30 * line), text, fill=255, font=ImageFont.load_default(14))
mask = np.asarray(sheet) > 0
damaged = np.where(mask[:, :, None], np.uint8(255), truth)

# %%
# All programs get the same picture and the same mask.

programs = {
    "scikit-image, biharmonic": lambda: inpaint_biharmonic(damaged, mask, channel_axis=-1).clip(0, 1) * 255,
    "tensorfill": lambda: inpaint(damaged, mask, effort="low"),
}
try:
    import cv2
except ImportError:
    print("OpenCV is not installed, so it is left out.")
else:
    flag = mask.astype(np.uint8)
    programs = {
        "OpenCV, Telea": lambda: cv2.inpaint(damaged, flag, 3, cv2.INPAINT_TELEA),
        "OpenCV, Navier–Stokes": lambda: cv2.inpaint(damaged, flag, 3, cv2.INPAINT_NS),
    } | programs
panels = {f"damaged ({mask.mean():.0%} of the pixels)": damaged}
known = np.broadcast_to(~mask[:, :, None], truth.shape)
for name, run in programs.items():
    filled = np.asarray(run()).round().astype(np.uint8)
    error = score(truth, filled, known).rmse_unobserved
    print(f"{name:25} RMSE of the covered pixels {error:.4f}")
    panels[f"{name}\nRMSE {error:.4f}"] = filled
panels["truth"] = truth

fig, axes = plt.subplots(2, -(-len(panels) // 2), figsize=(9, 6.6), layout="constrained")
for ax in axes.flat:
    ax.axis("off")
for ax, (title, image) in zip(axes.flat, panels.items(), strict=False):
    ax.imshow(image)
    ax.set_title(title, fontsize=10)
