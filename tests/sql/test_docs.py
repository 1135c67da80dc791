"""The pages under docs/sql say what is so."""

import doctest
import re
from pathlib import Path

from headwater.sql import DIALECTS

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "sql").glob("*.md"))


def test_the_example_gives_what_the_page_shows():
    page = ROOT / "docs" / "sql" / "how-it-works.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert (failed, tried > 0) == (0, True)


def test_every_dialect_has_its_page():
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [name for name in DIALECTS if f"`{name}`" not in text] == []


def test_every_diagnostic_is_explained():
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src/headwater/sql").glob("*.py"))
    codes = set(re.findall(r'(?:report|Diagnostic)\(\s*"([a-z-]+)"', source))
    page = (ROOT / "docs" / "sql" / "how-it-works.md").read_text(encoding="utf-8")
    assert codes
    assert [code for code in sorted(codes) if f"`{code}`" not in page] == []


def test_every_module_is_named():
    page = (ROOT / "docs" / "sql" / "how-it-works.md").read_text(encoding="utf-8")
    modules = {path.stem for path in (ROOT / "src/headwater/sql").glob("*.py")} - {"__init__"}
    assert [name for name in sorted(modules) if f"`{name}" not in page] == []
