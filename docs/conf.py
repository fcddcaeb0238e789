"""How Sphinx builds this site; `make docs` runs it.

The built folder works without a network: the theme ships its own fonts and icons, and MathJax is copied from a package.
"""

from __future__ import annotations

import os
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

import tensorfill

os.environ.setdefault("TENSORFILL_THREADS", "2")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _mathjax() -> Path:
    """MathJax in one file that draws its own glyphs, so that it needs neither fonts nor a network."""
    name = "sphinx-mathjax-offline"
    return Path(str(metadata.distribution(name).locate_file(f"{name}/static/mathjax/tex-svg.js")))


project = "tensorfill"
author = "The tensorfill developers"
copyright = author
version = release = tensorfill.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.doctest",
    "sphinx.ext.mathjax",
    "numpydoc",
    "myst_nb",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
root_doc = "index"
templates_path = ["_templates"]
exclude_patterns = ["gallery", "auto_gallery/*.ipynb", "auto_gallery/**/*.ipynb", "**.ipynb_checkpoints"]

# A reference to something that is not there is a warning, and `make docs` makes warnings errors.
nitpicky = True
nitpick_ignore_regex = [
    # Types of other packages: their pages are elsewhere, and this site needs no network.
    ("py:.*", r"(abc|numpy|np|scipy|sklearn|pandas|polars|xarray|collections|dask|pathlib|types)\..*"),
]
nitpick_ignore = [
    ("py:class", "tensorfill.estimator.scikit_learn.Transformer"),
    ("py:class", "tensorfill.entrywise.Entrywise"),  # its members are listed with those of Completion
]

# Markdown and notebooks

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist", "attrs_inline"]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_ipywidgets_js: dict[str, Any] = {}

# Docstrings

autosummary_generate = True
autodoc_typehints = "none"  # types are in the docstrings, in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # the templates list members
numpydoc_xref_param_type = False
default_role = "literal"  # `name` in a docstring is code
doctest_test_doctest_blocks = "default"
doctest_global_setup = """
from pathlib import Path
import numpy as np
from tensorfill import *
from tensorfill.metrics import ssim
"""  # the names that the examples find in their modules, where pytest runs them

# The gallery

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "filename_pattern": r"plot_.*\.py",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "reference_url": {"tensorfill": None},
    "doc_module": ("tensorfill",),
    "backreferences_dir": "auto_gallery/backreferences",
    "abort_on_example_error": True,
    "matplotlib_animations": False,
}

# What it looks like

html_theme = "pydata_sphinx_theme"
html_title = "tensorfill"
html_static_path = ["_static", str(_mathjax())]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "header_links_before_dropdown": 7,
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars: dict[str, list[str]] = {"index": [], "choosing": []}

mathjax_path = _mathjax().name
mathjax3_config = {"options": {"enableMenu": False}}


def _skip(app: Any, what: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what scikit-learn adds by itself, and fields, which the docstring of their class explains."""
    if name.startswith("set_") and name.endswith("_request"):
        return True
    if str(getattr(member, "__module__", "")).startswith("sklearn."):
        return True
    is_work = callable(member) or isinstance(member, classmethod | property | cached_property)
    return None if is_work else True


def setup(app: Any) -> None:
    """What Sphinx calls first."""
    app.connect("autodoc-skip-member", _skip)
