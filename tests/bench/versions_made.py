"""Two editions of documents that exist as markdown only, as PDFs: SP 800-63 and its parts, revisions 3 and 4."""

import html
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Flowable, PageBreak, Paragraph, Preformatted, SimpleDocTemplate

BODY = ParagraphStyle("body", fontName="Times-Roman", fontSize=10, leading=13, spaceAfter=6)
CODE = ParagraphStyle("code", fontName="Courier", fontSize=7, leading=9, spaceAfter=6)
TITLES = [
    ParagraphStyle(f"h{n}", fontName="Helvetica-Bold", fontSize=size, leading=size + 4, spaceBefore=8, spaceAfter=6)
    for n, size in enumerate((20, 15, 12, 11))
]
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.S)
_MARKUP = (
    (re.compile(r"\{[%#:{].*?\}+"), ""),
    (re.compile(r"\{#[^}]*\}"), ""),
    (re.compile(r"<[^>]+>"), ""),
    (re.compile(r"!\[[^\]]*\]\([^)]*\)"), ""),
    (re.compile(r"\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"[*_`]{1,3}(\S(?:.*?\S)?)[*_`]{1,3}"), r"\1"),
)


def make_pdfs(corpora: Path, folder: Path) -> list[tuple[Path, str]]:
    """(PDF, which document it is a version of), written to `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    return list(_digital_identity(corpora / "regs-nist-md-oscal", folder))


def _digital_identity(source: Path, folder: Path) -> Iterator[tuple[Path, str]]:
    """Both with a cover, as they are published."""
    for part in ("", "a", "b", "c"):
        third = _ordered((source / "sp800-63-3" / (f"sp800-63{part}" if part else "sp800-63-3")).glob("*.md"))
        fourth = _ordered((source / "sp800-63-4" / f"_sp800-63{part}").glob("*.md"))
        title = f"NIST Special Publication 800-63{part.upper()}"
        old, new = folder / f"NIST.SP.800-63{part or '-3'}.pdf", folder / f"NIST.SP.800-63{part.upper()}-4.ipd.pdf"
        cover = "Digital Identity Guidelines"
        yield _write(old, [title if part else f"{title}-3", cover], third), f"800-63{part}"
        yield _write(new, [f"{title}-4 ipd", cover, "Initial Public Draft"], fourth), f"800-63{part}"


def _ordered(paths: Iterable[Path]) -> list[Path]:
    """The cover first, sections by their numbers, the rest behind."""

    def key(path: Path) -> tuple[int, int, str]:
        number = re.match(r"(?:sec|ch)(\d+)(?:-(\d+))?", path.stem)
        if number:
            return int(number[1]), int(number[2] or 0), path.stem
        return (0 if path.stem in ("cover", "frontmatter") else 99), 0, path.stem

    return sorted((p for p in paths if p.stem.lower() not in ("readme", "summary")), key=key)


def _write(path: Path, cover: Iterable[str], files: Iterable[Path]) -> Path:
    if path.exists():
        return path
    flow: list[Flowable] = [Paragraph(html.escape(line), TITLES[0]) for line in cover]
    flow += [PageBreak()] if flow else []
    for file in files:
        flow += _flow(_FRONT_MATTER.sub("", file.read_text(encoding="utf-8")))
    SimpleDocTemplate(str(path), pagesize=A4, invariant=True).build(flow)
    return path


def _flow(text: str) -> Iterator[Flowable]:
    fenced = False
    for piece in re.split(r"^```.*$", text, flags=re.M):
        if fenced:
            yield Preformatted(piece.strip("\n"), CODE, maxLineLength=100)
        else:
            for block in re.split(r"\n\s*\n", piece):
                yield from _block(block)
        fenced = not fenced


def _block(block: str) -> Iterator[Flowable]:
    for pattern, shown in _MARKUP:
        block = pattern.sub(shown, block)
    heading = re.match(r"\s*(#{1,6})\s+(.*)", block)
    if heading:
        yield Paragraph(html.escape(heading[2].strip()), TITLES[min(len(heading[1]), 4) - 1])
        block = block.strip().partition("\n")[2]
    first, *items = re.split(r"\n\s*(?:[-*]|\d+\.)\s+", "\n" + block)
    if first.strip():
        yield Paragraph(html.escape(" ".join(first.split())), BODY)
    yield from (Paragraph(f"• {html.escape(' '.join(item.split()))}", BODY) for item in items if item.strip())
