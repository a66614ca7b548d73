"""How well quotations and signatures of messages are told from what is new: precision and recall of lines.

The gold is talon's: signatures stripped from their messages, lines marked by hand, standard replies whose only new line
is known. `python -m tests.bench.mail FOLDER`, the folder with talon's tests/fixtures.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from shared.readers.mail.document import open_mail
from shared.readers.mail.html_text import html_lines
from shared.readers.mail.quotes import BodyLine, LineKind, kinds_of

# What a standard reply says itself; its signature, where it has one, is in a file beside it.
NEW = {"hello", "hi. i am fine.", "reply", "hi", "there", "bob"}
SIGNED = {"thanks,", "alex"}
# Bodies whose whole text is one of a reply, without a mark of what is new.
LEFT_OUT = {"reply-quotations-share-block.eml"}

Judged = tuple[str, LineKind, LineKind]


def main(folder: Path) -> None:
    """Prints one line for each kind, and the lines that were taken for another."""
    judged = [*_stripped(folder), *_marked(folder), *_replies(folder)]
    for kind in ("quoted", "signature"):
        counts = Counter((said == kind, found == kind) for _, said, found in judged)
        right, wrong, missed = counts[True, True], counts[False, True], counts[True, False]
        precision, recall = right / max(1, right + wrong), right / max(1, right + missed)
        print(f"{kind:9}  precision {precision:.3f}  recall {recall:.3f}  {right + missed} lines")
    for text, said, found in judged:
        if said != found:
            print(f"  {said} taken for {found}: {text[:80]}")


def _stripped(folder: Path) -> Iterator[Judged]:
    for path in sorted((folder / "signature/emails/stripped").glob("*_signature")):
        name = str(path).removesuffix("_signature")
        body = [_bare(line) for line in Path(f"{name}_body").read_text().splitlines() if line.strip()]
        signed = [line for line in path.read_text().splitlines() if line.strip()]
        said = [_at(place, len(body) - len(signed)) for place in range(len(body))]
        yield from _judged(body, said, Path(f"{name}_sender").read_text())


def _marked(folder: Path) -> Iterator[Judged]:
    text = (folder / "signature/emails/P/102682_R_S").read_text()
    header, _, body = text.partition("\n\n")
    lines = [line for line in body.splitlines() if line.strip()]
    said = [_mark(line) for line in lines]
    sender = re.search(r"From: (.*)", header)
    yield from _judged([_bare(line) for line in lines], said, sender[1] if sender else "")


def _judged(lines: Sequence[str], said: Sequence[LineKind], sender: str) -> Iterator[Judged]:
    found = kinds_of([BodyLine(line) for line in lines], "", sender)
    yield from ((line, one, other) for line, one, other in zip(lines, said, found, strict=True) if line.strip())


def _replies(folder: Path) -> Iterator[Judged]:
    for path in sorted([*folder.rglob("*.html"), *(folder / "standard_replies").glob("*.eml")]):
        if path.name in LEFT_OUT:
            continue
        signed = path.with_name(f"{path.stem}_reply_text")
        signature = signed.read_text().split("\n")[1:] if signed.exists() else []
        new = True
        for text, found in _kinds(path):
            bare = text.strip().lower()
            own = bare in NEW and new
            mine = (bare in SIGNED or text.strip() in {one.strip() for one in signature}) and new
            new = (new and (own or mine)) or path.match("*/thunderbird.eml")
            yield text, "content" if own else "signature" if mine else "quoted", found


def _kinds(path: Path) -> Iterator[tuple[str, LineKind]]:
    if path.suffix == ".html":
        lines = [BodyLine(line.text, line.quoted) for line in html_lines(path.read_text(errors="replace"))]
        found = zip(lines, kinds_of(lines, "Re:", ""), strict=True)
        yield from ((line.text, kind) for line, kind in found if line.text.strip())
        return
    for page in [(source := open_mail(path, None)).read_page(1)]:
        assert source.page_count == 1
        texts = {fragment.id: fragment.text for fragment in page.fragments}
        for operation in (page.structure or [])[2:]:
            kind: LineKind = "content"
            if operation.op == "skip" and operation.reason in ("quoted", "signature"):
                kind = operation.reason
            if operation.op in ("skip", "register_chunk"):
                yield from ((texts[reference], kind) for reference in operation.fragment_ids)


def _at(place: int, signature: int) -> LineKind:
    return "signature" if place >= signature else "content"


def _mark(line: str) -> LineKind:
    if line.startswith("#reply#"):
        return "quoted"
    return "signature" if line.startswith("#sig#") else "content"


def _bare(line: str) -> str:
    return re.sub(r"^#(?:sig|reply)#", "", line)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
