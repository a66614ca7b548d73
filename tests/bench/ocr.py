"""OCR engines on pages whose text is known: `python -m tests.bench.ocr CORPORA [--pages N] [--slant DEGREES]`.

Pages of real documents are drawn as grey pictures, slightly turned and noisy, and read by every engine of this
machine; the page's own text layer is the truth. Per engine: character and word error rate (Levenshtein over the whole
page's text in reading order, so order counts too), words found whatever their order, how far boxes agree with the
text layer's (share of recognised characters whose line lies on the same line of the truth), seconds of CPU and wall
time per page, and the error rate of lines by the engine's own confidence.
"""

import argparse
import io
import json
import resource
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from shared.adapters.local.ocr_models import find_models
from shared.adapters.local.ocr_onnx import OnnxOcr
from shared.adapters.local.ocr_tesseract import TesseractOcr, find_tesseract
from shared.domain.page import Fragment, PageFile
from shared.errors import RefusedFile
from shared.ports import Ocr
from shared.readers.ocr_page import add_words
from shared.readers.pdf.document import open_pdf

FOLDERS = ("regs-owasp-asvs", "qa-sec10q-docugami", "pdf-ntsb-nih-docugami", "qa-northwind-azure/docs", "mixed-docling")
NOISE = 10
MIN_CHARACTERS = 400


def engines() -> dict[str, Ocr]:
    found: dict[str, Ocr] = {}
    if models := find_models():
        found["onnx"] = OnnxOcr(models)
    if program := find_tesseract():
        found["tesseract"] = TesseractOcr(program, "eng")
    return found


def pages_of(corpora: Path, count: int) -> Iterator[tuple[str, PageFile, bytes]]:
    """Upright pages of mostly Latin text, spread over folders and documents."""
    per_folder = -(-count // len(FOLDERS))
    for folder in FOLDERS:
        left = per_folder
        for path in sorted((corpora / folder).rglob("*.pdf")):
            if left and (found := _page(path)):
                left -= 1
                yield found


def _page(path: Path) -> tuple[str, PageFile, bytes] | None:
    """The middle page of a document, where its text layer can be the truth."""
    try:
        with open_pdf(path) as source:
            page = source.read_page(1 + source.page_count // 2 if source.page_count > 1 else 1)
            text = "".join(f.text for f in page.fragments)
            usable = page.route == "text" and len(text) >= MIN_CHARACTERS and text.isascii()
            if not usable or any(f.invisible or f.direction != "ltr" for f in page.fragments):
                return None
            return f"{path.name}#{page.page}", page, source.render_page(page.page).image
    except RefusedFile:
        return None


def as_scanned(image: bytes, slant: float) -> bytes:
    picture = Image.open(io.BytesIO(image)).convert("L")
    if slant:
        picture = picture.rotate(slant, Image.Resampling.BICUBIC, fillcolor=255)
    pixels = np.asarray(picture, np.float32) * 0.9 + 12
    pixels += np.random.default_rng(7).normal(0, NOISE, pixels.shape)
    stream = io.BytesIO()
    Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).save(stream, "JPEG", quality=80)
    return stream.getvalue()


def distance(a: Sequence[Any], b: Sequence[Any]) -> int:
    """Levenshtein's, row by row in numpy."""
    keys = {item: n for n, item in enumerate({*a, *b})}
    wanted, found = (np.array([keys[item] for item in one], np.int64) for one in (a, b))
    steps = np.arange(len(found) + 1)
    row = steps.copy()
    for i, one in enumerate(wanted, 1):
        changed = np.empty_like(row)
        changed[0] = i
        changed[1:] = np.minimum(row[:-1] + (found != one), row[1:] + 1)
        row = np.minimum.accumulate(changed - steps) + steps
    return int(row[-1])


def measure(name: str, engine: Ocr, truth: PageFile, image: bytes, totals: dict[str, Counter[str]]) -> None:
    wall, cpu = time.perf_counter(), _cpu()
    words = engine.read(image)
    counts = totals[name]
    counts["wall_ms"] += round(1000 * (time.perf_counter() - wall))
    counts["cpu_ms"] += round(1000 * (_cpu() - cpu))
    page = add_words(truth.model_copy(update={"fragments": [], "images": [], "route": "ocr"}), words, engine.version)
    wanted, found = (" ".join(f.text for f in one.fragments) for one in (truth, page))
    counts["pages"] += 1
    counts["characters"] += len(wanted)
    counts["character_errors"] += distance(wanted, found)
    counts["words"] += len(wanted.split())
    counts["word_errors"] += distance(wanted.split(), found.split())
    counts["words_found"] += (Counter(wanted.split()) & Counter(found.split())).total()
    counts["placed"] += sum(len(f.text) for f in page.fragments if _on_line(f, truth.fragments))
    counts["recognised"] += sum(len(f.text) for f in page.fragments)
    counts["size_off"] += sum(len(f.text) for f in page.fragments if _size_off(f, truth.fragments))
    _by_confidence(page, truth, counts)


def _by_confidence(page: PageFile, truth: PageFile, counts: Counter[str]) -> None:
    """Errors of lines against the truth's text under them, by tenths of confidence."""
    for fragment in page.fragments:
        under = min(
            truth.fragments, key=lambda f: distance(f.text[:200], fragment.text[:200]) if _near(f, fragment) else 999
        )
        if _near(under, fragment) and abs(len(under.text) - len(fragment.text)) <= 3:
            tenth = f"{min(9, int(10 * (fragment.confidence or 0))) / 10:.1f}"
            counts[f"at_{tenth}"] += len(under.text)
            counts[f"wrong_{tenth}"] += distance(under.text, fragment.text)


def _near(a: Fragment, b: Fragment) -> bool:
    return a.box.y < b.box.bottom and b.box.y < a.box.bottom and a.box.x < b.box.right and b.box.x < a.box.right


def _on_line(fragment: Fragment, truth: Sequence[Fragment]) -> bool:
    middle = fragment.box.y + fragment.box.h / 2
    return any(_near(f, fragment) and f.box.y <= middle <= f.box.bottom for f in truth)


def _size_off(fragment: Fragment, truth: Sequence[Fragment]) -> bool:
    near = [f.size for f in truth if _near(f, fragment)]
    return bool(near) and min(abs(size - fragment.size) for size in near) > 1.5


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def report(name: str, version: str, counts: Counter[str]) -> dict[str, Any]:
    pages, characters, words = counts["pages"], counts["characters"], counts["words"]
    tenths = sorted(key[3:] for key in counts if key.startswith("at_"))
    return {
        "engine": name, "version": version, "pages": pages,
        "cer": round(counts["character_errors"] / characters, 4), "wer": round(counts["word_errors"] / words, 4),
        "words_found": round(counts["words_found"] / words, 4),
        "placed": round(counts["placed"] / max(1, counts["recognised"]), 4),
        "size_off": round(counts["size_off"] / max(1, counts["recognised"]), 4),
        "cpu_s_per_page": round(counts["cpu_ms"] / 1000 / pages, 2),
        "wall_s_per_page": round(counts["wall_ms"] / 1000 / pages, 2),
        "error_by_confidence": {t: round(counts[f"wrong_{t}"] / counts[f"at_{t}"], 4) for t in tenths},
        "characters_by_confidence": {t: counts[f"at_{t}"] for t in tenths},
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--slant", type=float, default=0.4)
    arguments = parser.parse_args()
    found = engines()
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    for label, truth, image in pages_of(arguments.corpora, arguments.pages):
        scanned = as_scanned(image, arguments.slant)
        for name, engine in found.items():
            before = totals[name]["character_errors"]
            measure(name, engine, truth, scanned, totals)
            errors = totals[name]["character_errors"] - before
            print(f"{label} {name}: {errors} of {sum(len(f.text) for f in truth.fragments)} characters", flush=True)
    for name, engine in found.items():
        print(json.dumps(report(name, engine.version, totals[name])))
    print(json.dumps({"peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))


if __name__ == "__main__":
    main()
