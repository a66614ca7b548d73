"""Records how many tokens real texts are: `python -m tests.bench.tokens FOLDER`; writes tests/bench/tokens.json.

FOLDER is where `uv pip install --target FOLDER bpe-openai` and, without their dependencies, anthropic==0.38.0 and
mistral-common went: the packages that hold the vocabularies of four tokenizers. Texts are ours, in ten scripts, and
pages of the corpora, all that are not in Latin script among them; the file has counts and hashes, no text of theirs.
"""

import hashlib
import json
import random
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pymupdf

from shared.values.tokens import EstimatedTokens
from tests.bench.retrieval_data import CORPORA

TARGET: Final = Path(__file__).parent / "tokens.json"
PAGES: Final = 4
LATIN: Final = 100
LEAST: Final = 200
FOREIGN: Final = 0.2
OWN: Final = {
    "english": "The span of the rear wing, endplates included, must not exceed 900 mm; see C7.4.1 and table 12.",
    "german": "Die Spannweite des Heckflügels darf einschließlich der Endplatten 900 mm nicht überschreiten.",
    "lorem": "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore.",
    "chinese": "尾翼的翼展，包括端板在内，不得超过九百毫米。制动片的最小厚度为十二毫米，每场比赛前必须检查。",
    "japanese": "リアウイングの翼幅は、翼端板を含めて九百ミリメートルを超えてはならない。ブレーキは毎回点検すること。",
    "korean": "리어 윙의 폭은 엔드플레이트를 포함하여 구백 밀리미터를 초과해서는 안 된다. 브레이크를 점검한다.",
    "russian": "Размах заднего антикрыла, включая концевые пластины, не должен превышать девятисот миллиметров.",
    "greek": "Το άνοιγμα της πίσω πτέρυγας δεν πρέπει να υπερβαίνει τα εννιακόσια χιλιοστά, με τις άκρες.",
    "arabic": "يجب ألا يتجاوز عرض الجناح الخلفي تسعمئة مليمتر، بما في ذلك الألواح الطرفية في كل سباق.",
    "hebrew": "רוחב הכנף האחורית, כולל לוחות הקצה, לא יעלה על תשע מאות מילימטרים בכל מרוץ.",
    "hindi": "पिछले पंख का फैलाव, अंतिम प्लेटों सहित, नौ सौ मिलीमीटर से अधिक नहीं होना चाहिए।",
    "thai": "ความกว้างของปีกหลังรวมแผ่นปลายปีกต้องไม่เกินเก้าร้อยมิลลิเมตรในทุกการแข่งขัน",
    "table": "| 2024 | 1,234.56 | -7.8 % |\n| 2025 | 9,876.54 | 12.3 % |\n| Σ | 11,111.10 | – |",
    "code": "def area(w: float, h: float) -> float:\n    return w * h  # m²\n\n\nassert area(2, 3) == 6\n",
    "identifiers": "3f2a9c1e-77b0-4d55-9a0e-5b8c1d2e3f4a SKU-TA37V-400/50HZ a1b2c3d4e5f6 QXZRWK xkcdqwv",
    "emoji": "Ready ✅ – stale ⚠️ – gone ❌ – thanks 🙏🏽 to 👩‍🔧 and 🇯🇵!",
}
Count = Callable[[str], int]


def main(folder: Path) -> None:
    sys.path.insert(0, str(folder))
    counters = dict(_of_packages(folder))
    texts = {f"own/{name}": text for name, text in OWN.items()} | dict(corpus_texts())
    estimate = EstimatedTokens().count
    rows: dict[str, dict[str, Any]] = {}
    for name, text in texts.items():
        counts = {one: count(text) for one, count in counters.items()}
        rows[name] = {"sha256": hashlib.sha256(text.encode()).hexdigest(), "most": max(counts.values()), **counts}
    TARGET.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
    for name in counters:
        ratios = [estimate(texts[text]) / row[name] for text, row in rows.items()]
        print(f"{name}: the estimate is {min(ratios):.2f} to {max(ratios):.2f} times its count, {len(ratios)} texts")


def corpus_texts() -> Iterator[tuple[str, str]]:
    """Texts of pages by `file#page`: of those in Latin script a sample, of others all that were looked at."""
    chooser = random.Random(16)
    latin: list[tuple[str, str]] = []
    for file in sorted(CORPORA.rglob("*.pdf")):
        for name, text in _pages(file, chooser):
            foreign = sum(one.isalpha() and not one.isascii() for one in text) > FOREIGN * len(text)
            if foreign:
                yield name, text
            else:
                latin.append((name, text))
    yield from chooser.sample(latin, LATIN)


def _pages(file: Path, chooser: random.Random) -> Iterator[tuple[str, str]]:
    try:
        with pymupdf.open(file) as source:
            for page in chooser.sample(range(len(source)), min(PAGES, len(source))):
                text = str(source[page].get_text()).encode("utf-8", "ignore").decode()
                if len(text) > LEAST:
                    yield f"{file.relative_to(CORPORA)}#{page + 1}", text
    except (ValueError, RuntimeError):
        # Broken on purpose, or protected.
        return


def _of_packages(folder: Path) -> Iterator[tuple[str, Count]]:
    openai: Any = import_module("bpe_openai")
    for name in ("cl100k_base", "o200k_base"):
        encoding = openai.get_encoding(name)
        yield name, lambda text, encoding=encoding: len(encoding.encode_ordinary(text))
    tokenizers: Any = import_module("tokenizers")
    claude = tokenizers.Tokenizer.from_file(str(folder / "anthropic" / "tokenizer.json"))
    yield "claude-2", lambda text: len(claude.encode(text).ids)
    model = str(folder / "mistral_common" / "data" / "tokenizer.model.v1")
    mistral: Any = import_module("sentencepiece").SentencePieceProcessor(model)
    yield "mistral-1", lambda text: len(mistral.encode(text))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
