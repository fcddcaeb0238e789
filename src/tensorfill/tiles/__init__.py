"""Tiles: tensors cut into overlapping parts, each completed by itself, and put together without a seam."""
