"""docs/reproduction.md is what the kept rows make, nothing more."""

import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]


def program() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reproduction_program", ROOT / "benchmarks" / "reproduction.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_made_from_the_rows_that_are_kept() -> None:
    made = program()
    assert made.PAGE.read_text(encoding="utf-8") == made.page(), "run python benchmarks/reproduction.py"


def test_changed_rows_change_the_page(tmp_path: Path) -> None:
    made = program()
    text = made.KEPT.read_text(encoding="utf-8")
    one = next(line for line in text.splitlines() if '"baboon"' in line and '"label": "ncpc"' in line)
    made.KEPT = tmp_path / "rows.jsonl"
    made.KEPT.write_text(text.replace(one + "\n", ""), encoding="utf-8")
    assert made.page() != made.PAGE.read_text(encoding="utf-8")
