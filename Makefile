# Everything sets up its own .venv from nothing; needs Python >= 3.11, git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
INSTALLED_TEST := $(VENV)/.installed-test
INSTALLED_BENCH := $(VENV)/.installed-bench
INSTALLED_PAGE := $(VENV)/.installed-page
INSTALLED_DOCS := $(VENV)/.installed-docs
DATA ?= ../shared/data

.PHONY: help demo page test check lint docs dist bench paper clean

help:  ## Show this list.
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## */  make \1\t/' | expand -t 16

demo: $(INSTALLED)  ## Complete a picture with 90 % of its entries hidden; pictures end up in demo/.
	$(BIN)/tensorfill demo -o demo

page: $(INSTALLED_PAGE)  ## Open the local web page on a sample, a photo of a cat.
	$(BIN)/tensorfill serve src/tensorfill/assets/cat.png

test: $(INSTALLED_TEST)  ## Lint, type-check and test everything (some minutes on two cores).
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	TENSORFILL_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal

check: $(INSTALLED_TEST)  ## The quick tests only: no end-to-end runs, no real data.
	$(BIN)/python -m pytest -m "not slow"

lint: $(INSTALLED_TEST)  ## ruff and mypy.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(INSTALLED_DOCS)  ## Build the documentation in build/site (some minutes: all examples run).
	$(BIN)/python -m sphinx -b html -W --keep-going -d build/doctrees docs build/site
	$(BIN)/python -m sphinx -b doctest -q -W --keep-going -d build/doctrees -D plot_gallery=0 docs build/doctest
	$(BIN)/python -m pytest -q tests/docs/test_docs.py::test_the_python_of_every_other_page_runs
	$(BIN)/python docs/check_site.py build/site

dist: $(INSTALLED_TEST)  ## Build the source archive and the wheel in dist/, and check them.
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	$(BIN)/python -m twine check --strict dist/*

bench: $(INSTALLED_BENCH)  ## Reproduce all figures of the README and docs/ with the data in DATA (some hours, mostly unseen.py; default ../shared/data).
	$(BIN)/python benchmarks/figures.py --data $(DATA)
	$(BIN)/python benchmarks/fibre_operator.py --data $(DATA)
	$(BIN)/python benchmarks/ablation.py --data $(DATA)
	$(BIN)/python benchmarks/time_to_quality.py --data $(DATA) --rival-limit 15 --plain-tolerances 1e-4 --plain-limit 200
	$(BIN)/python benchmarks/scaling.py --largest 1e6
	$(BIN)/python benchmarks/baselines.py --data $(DATA)
	$(BIN)/python benchmarks/beyond.py --data $(DATA)
	$(BIN)/python benchmarks/beyond.py --data $(DATA) --ablation
	$(BIN)/python benchmarks/uncertainty.py --data $(DATA)
	$(BIN)/python benchmarks/patches.py --data $(DATA) --ablation
	$(BIN)/python benchmarks/unseen.py --data $(DATA) --size 256 --frames 50
	$(BIN)/python benchmarks/inpainting.py
	$(BIN)/python benchmarks/choosing.py

paper: $(INSTALLED_TEST)  ## Run the paper's experiments with the data in DATA and write docs/reference/reproduction.md (some hours: the paper's own algorithm alone takes minutes for a clip).
	$(BIN)/tensorfill bench paper --data $(DATA) --seeds 3 -o bench-paper
	$(BIN)/tensorfill report bench-paper -o report-paper
	$(BIN)/python benchmarks/reproduction.py bench-paper

clean:  ## Remove the virtual environment and what was built.
	rm -rf $(VENV) build dist demo docs/auto_gallery docs/reference/api

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "tensorfill needs Python 3.11 or later; set PYTHON=/path/to/it")'
	$(PYTHON) -m venv $(VENV)

$(INSTALLED): pyproject.toml $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(INSTALLED_TEST): pyproject.toml $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@

$(INSTALLED_PAGE): pyproject.toml $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[page]'
	@touch $@

$(INSTALLED_DOCS): pyproject.toml $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@

$(INSTALLED_BENCH): pyproject.toml $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	@touch $@
