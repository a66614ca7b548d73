"""Pieces of translations in older sets of characters: `python -m tests.bench.charsets [even|odd] [READER] [FOLDER…]`.

Takes compiled message catalogues (`pl/LC_MESSAGES/git.mo`), writes the beginnings of their messages in each set that
their language was written in, and counts how many are read as they were: by the reader, or by the second one
(`second`). `even` and `odd` are halves of the programs: what is found out on one is measured on the other.
"""

import random
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from zlib import crc32

from shared.readers.text.charsets import guess
from shared.rereading.charsets import likely_charset

SETS: Final = {
    "cp1252": "de fr es pt pt_BR it sv da nb fi nl is ca", "cp1250": "pl cs hu hr sl sk ro",
    "iso8859-2": "pl cs hu hr sl sk", "cp1251": "ru uk bg be sr", "koi8-r": "ru", "koi8-u": "uk", "cp866": "ru",
    "iso8859-5": "ru bg", "cp1253": "el", "iso8859-7": "el", "cp1254": "tr", "cp1257": "lt lv et", "gb18030": "zh_CN",
    "big5": "zh_TW", "cp932": "ja", "euc_jp": "ja", "cp949": "ko",
}  # fmt: skip
WITHOUT_CAPITALS: Final = {"gb18030", "big5", "cp932", "euc_jp", "cp949"}
LENGTHS: Final = (6, 12, 30, 100)
PIECES: Final = 150
READERS: Final = {"first": guess, "second": likely_charset}


def messages(path: Path) -> Iterator[str]:
    """The translations of a catalogue in GNU's format, but for its head."""
    data = path.read_bytes()
    order = "<" if data[:4] == b"\xde\x12\x04\x95" else ">"
    count, _, at = struct.unpack_from(f"{order}3I", data, 8)
    for number in range(1, count):
        size, start = struct.unpack_from(f"{order}2I", data, at + 8 * number)
        yield data[start : start + size].decode(errors="ignore").split("\0")[0]


def translations(folders: list[Path], half: str) -> dict[str, list[str]]:
    found = dict[str, set[str]]()
    for folder in folders:
        for path in folder.rglob("*/LC_MESSAGES/*.mo"):
            if crc32(path.stem.encode()) % 2 == ("even", "odd").index(half):
                found.setdefault(path.parts[-3], set()).update(messages(path))
    return {language: sorted(texts) for language, texts in found.items()}


def pieces(texts: list[str], codec: str, length: int) -> list[str]:
    """Some beginnings, of so many characters, that have any beyond ASCII and can be written in the set."""
    chosen = set[str]()
    for text in texts:
        one = text[:length].strip()
        if not one.isascii() and one.encode(codec, "ignore").decode(codec) == one:
            chosen.add(one)
    return random.Random(1).sample(sorted(chosen), min(PIECES, len(chosen)))


def right(some: list[str], codec: str, reader: str) -> str:
    read = [one.encode(codec) for one in some]
    found = sum(data.decode(READERS[reader](data), "replace") == one for one, data in zip(some, read, strict=True))
    return f"{100 * found / len(some):4.0f}" if some else "   -"


def main(half: str, reader: str, folders: list[Path]) -> None:
    texts = translations(folders, half)
    print(f"right of {PIECES}, in %, of {LENGTHS} characters; the same in capitals")
    for codec, languages in SETS.items():
        for language in languages.split():
            some = [pieces(texts.get(language, []), codec, length) for length in LENGTHS]
            large = [] if codec in WITHOUT_CAPITALS else [pieces([t.upper() for t in texts.get(language, [])], codec, n)
                                                         for n in LENGTHS]  # fmt: skip
            shares = " ".join(right(one, codec, reader) for one in [*some, *large])
            print(f"{codec:9} {language:5} {shares}", flush=True)


if __name__ == "__main__":
    half, reader, *folders = [*sys.argv[1:], *["odd", "first"][len(sys.argv) - 1 :]]
    main(half, reader, [Path(one) for one in folders] or [Path("/usr/share/locale")])
