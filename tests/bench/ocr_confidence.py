"""Whether the confidence of recognised pages tells good scans from bad ones: pages whose text is known, drawn as scans
of several qualities and read by the engine of this machine.

`python -m tests.bench.ocr_confidence CORPORA [--pages N] [--save FILE]`. Qualities: as a good office scanner gives it
(200 dpi, slight noise), 100 dpi, 72 dpi with noise, and blurred. A page's error is 1 - the share of the words of its
text layer that were found. Printed per page: quality, error, the signs, confidence and tier; then mean errors per tier.
"""

import argparse
import io
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from PIL import Image, ImageFilter

from shared.domain.knowledge import tier_of
from shared.domain.page import PageFile
from shared.extraction.assemble import assemble
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.readers.ocr_page import add_words
from shared.readers.sketch import sketch_page
from tests.bench.ocr import as_scanned, engines, pages_of

# Of each quality: the share of 200 dpi, the radius of the blur, the noise.
QUALITIES = {"office": (1.0, 0.0, 0), "100dpi": (0.5, 0.0, 8), "72dpi": (0.36, 0.0, 20), "blurred": (1.0, 3.2, 20)}


def scans(image: bytes) -> Iterator[tuple[str, bytes]]:
    for name, (share, blur, noise) in QUALITIES.items():
        picture = Image.open(io.BytesIO(as_scanned(image, 0.4)))
        size = picture.size
        small = picture.resize((int(size[0] * share), int(size[1] * share))).filter(ImageFilter.GaussianBlur(blur))
        pixels = np.asarray(small, np.float32)
        pixels = pixels + np.random.default_rng(3).normal(0, noise + 0.01, pixels.shape)
        stream = io.BytesIO()
        Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).resize(size).save(stream, "JPEG", quality=70)
        yield name, stream.getvalue()


def judged(page: PageFile, truth: PageFile, quality: str) -> dict[str, Any]:
    wanted, found = (Counter(" ".join(f.text for f in one.fragments).split()) for one in (truth, page))
    operations = extract_page(page, build_profile([sketch_page(page)]))
    draft = assemble([(page, operations)])
    words = [c for f in page.fragments for c in f.word_confidences]
    return {
        "quality": quality,
        "error": round(1 - (wanted & found).total() / wanted.total(), 4),
        "mean": round(mean(words), 4) if words else 0.0,
        "low": round(mean(c < 0.8 for c in words), 4) if words else 1.0,
        "confidence": draft.pages[0].confidence,
        "tier": tier_of(draft.pages[0].confidence),
        "flags": operations.flags,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--pages", type=int, default=10)
    parser.add_argument("--save", type=Path)
    arguments = parser.parse_args()
    (engine,) = list(engines().values())[:1]
    tiers: dict[str, list[float]] = defaultdict(list)
    for label, truth, image in pages_of(arguments.corpora, arguments.pages):
        bare = truth.model_copy(update={"fragments": [], "images": [], "rules": [], "route": "ocr"})
        for quality, scan in scans(image):
            page = add_words(bare, engine.read(scan), engine.version)
            found = judged(page, truth, quality)
            print(json.dumps({"page": label, **found}), flush=True)
            tiers[found["tier"]].append(found["error"])
            if arguments.save:
                with arguments.save.open("a") as kept:
                    kept.write(
                        json.dumps([truth.model_dump(mode="json"), page.model_dump(mode="json"), quality]) + "\n"
                    )
    for tier, errors in tiers.items():
        print(
            json.dumps({"tier": tier, "pages": len(errors), "mean_error": round(mean(errors), 4), "worst": max(errors)})
        )


if __name__ == "__main__":
    main()
