"""Other tools over the first pages of a PDF, in an interpreter that has them: a JSON object, name → CPU ms a page.

Run by `tests.bench.engines` with the interpreter that AUTRI_PEERS_PYTHON names; imports nothing of this project. A
tool that is not installed, or that needs models it cannot download, is left out, with the reason on standard error.
"""

import importlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any


def _pymupdf4llm(module: Any, path: str, pages: int) -> None:
    module.to_markdown(path, pages=list(range(pages)), show_progress=False)


def _pdfplumber(module: Any, path: str, pages: int) -> None:
    with module.open(path) as document:
        for page in document.pages[:pages]:
            page.extract_text()
            page.extract_tables()


def _unstructured(module: Any, path: str, pages: int) -> None:
    if not module.partition_pdf(path, strategy="fast"):
        raise ValueError("it found no element")


def _docling(module: Any, path: str, pages: int) -> None:
    module.DocumentConverter().convert(path)


PEERS: dict[str, tuple[str, Callable[[Any, str, int], None]]] = {
    "pymupdf4llm": ("pymupdf4llm", _pymupdf4llm),
    "pdfplumber": ("pdfplumber", _pdfplumber),
    "unstructured fast": ("unstructured.partition.pdf", _unstructured),
    "docling": ("docling.document_converter", _docling),
}


def _cut(path: Path, pages: int, folder: str) -> str:
    """The first pages alone, for the tools that read whole files."""
    import pypdfium2

    target = Path(folder) / "pages.pdf"
    with pypdfium2.PdfDocument(path) as source, pypdfium2.PdfDocument.new() as made:
        made.import_pages(source, list(range(pages)))
        made.save(target)
    return str(target)


def measure(path: Path, pages: int) -> dict[str, float]:
    """The second of two runs of each tool: the first one loads it."""
    found: dict[str, float] = {}
    with TemporaryDirectory() as folder:
        file = _cut(path, pages, folder)
        for name, (module, read) in PEERS.items():
            try:
                library = importlib.import_module(module)
                read(library, file, 1)
                started = time.process_time()
                read(library, file, pages)
            except Exception as error:  # noqa: BLE001 another tool's failure is not ours
                print(f"{name}: {type(error).__name__}: {error}"[:300], file=sys.stderr)
                continue
            found[name] = round(1000 * (time.process_time() - started) / pages, 1)
    return found


def main() -> None:
    arguments: list[Any] = sys.argv[1:]
    print(json.dumps(measure(Path(arguments[0]), int(arguments[1]))))


if __name__ == "__main__":
    main()
