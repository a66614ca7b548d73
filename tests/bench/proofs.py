"""Every file without pages of some folders read and proved in this process, without a database: by type the outcome,
the seconds and the largest resident set so far.

`python -m tests.bench.proofs FOLDER… [--mails COUNT]`; with `--mails` that many mails made from a fixed seed too:
threads, quotations, signatures, alternatives, charsets that are true or lie. Exit code 1 where a proof failed.
"""

import argparse
import random
import resource
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from shared.domain.verify import StoredPage
from shared.errors import RefusedFile
from shared.library.verification import second_text
from shared.readers.formats import StructuredFormat
from shared.readers.registry import recognise
from shared.verify.parts import PartProver

SEED = 5
WORDS = ("crane", "berth", "Größe", "invoice", "gauge", "flange", "façade", "report", "output", "nozzle")
CHARSETS = ("utf-8", "iso-8859-1", "windows-1252", "us-ascii", "koi8-r", "undefined")


def prove(path: Path) -> tuple[str, str]:
    """The format, and `proved`, `refused` or what is wrong."""
    kind = "unknown"
    try:
        form = recognise(path)
        kind = form.source_type
        if not isinstance(form, StructuredFormat):
            return kind, "has pages"
        source = form.open(path, None)
        pages = [source.read_page(number) for number in range(1, source.page_count + 1)]
    except RefusedFile:
        return kind, "refused"
    prover = PartProver(source, second_text(form, path))
    for page in pages:
        proven = prover.prove(page.page, StoredPage(page.page, False, page.route, []), page)
        if proven.wrong or proven.second:
            return kind, "not proved"
    return kind, "not proved" if prover.left_over()[0] else "proved"


def made_mails(folder: Path, count: int) -> None:
    chance = random.Random(SEED)
    for number in range(count):
        words = [" ".join(chance.choices(WORDS, k=chance.randint(5, 40))) for _ in range(chance.randint(1, 5))]
        quoted = "".join(f"> {' '.join(chance.choices(WORDS, k=8))}\r\n" for _ in range(chance.randint(0, 4)))
        kind = f"charset={chance.choice(CHARSETS)}\r\n\r\n"
        plain = f"Content-Type: text/plain; {kind}" + ".\r\n\r\n".join(words) + f".\r\n\r\n{quoted}-- \r\nPerson\r\n"
        rich = f"Content-Type: text/html; {kind}<p>{'</p><p>'.join(words)}</p>\r\n"
        both = f"Content-Type: multipart/alternative; boundary=q\r\n\r\n--q\r\n{plain}--q\r\n{rich}--q--\r\n"
        head = f"From: Person <p{number % 40}@example.com>\r\nSubject: Re: Order {number // 3}\r\n"
        thread = f"Message-ID: <{number}@example.com>\r\nIn-Reply-To: <{number - 1}@example.com>\r\n"
        said = (head + thread + (both if number % 5 == 0 else plain)).encode(chance.choice(["utf-8", "cp1252"]))
        (folder / f"{number:05}.eml").write_bytes(said)


def _files(folders: list[Path]) -> Iterator[Path]:
    for folder in folders:
        yield from (path for path in sorted(folder.rglob("*")) if path.is_file())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--mails", type=int, default=0)
    arguments = parser.parse_args()
    outcomes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as made:
        made_mails(Path(made), arguments.mails)
        for path in _files([*arguments.folders, Path(made)]):
            began = time.perf_counter()
            kind, said = prove(path)
            outcomes[kind][said] += 1
            seconds[kind].append(time.perf_counter() - began)
            if said == "not proved":
                print(f"not proved: {path}")
    columns = ("proved", "not proved", "refused", "has pages")
    print(f"| type | {' | '.join(columns)} | seconds | slowest |")
    print("| --- " * (len(columns) + 3) + "|")
    for kind in sorted(outcomes):
        counted = " | ".join(str(outcomes[kind][one]) for one in columns)
        print(f"| {kind} | {counted} | {sum(seconds[kind]):.1f} | {max(seconds[kind]):.2f} |")
    print(f"largest resident set {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB")
    sys.exit(any(one["not proved"] for one in outcomes.values()))


if __name__ == "__main__":
    main()
