"""From the words of an RTF file to its paragraphs: properties hold in the group in which they are set."""

import codecs
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NamedTuple

from shared.errors import RefusedFile
from shared.readers.rtf.tokens import CODE_PAGES, RtfToken, tokens_of

MAX_GROUPS: Final = 1_000
MAX_CELLS: Final = 1_000
# Text boxes and notes within one another.
MAX_BOXES: Final = 60
# Groups whose text is not displayed; any that begins with `\*` and is in none of these lists is passed over too.
_UNSHOWN: Final = frozenset({
    "colortbl", "pict", "fldinst", "listtable", "listoverridetable", "rsidtbl", "generator", "xmlnstbl", "themedata",
    "datastore", "latentstyles", "bkmkstart", "bkmkend", "nonshppict", "shppict", "objdata", "shprslt", "private",
    "revtbl", "filetbl", "pgdsctbl", "author", "operator", "company", "keywords", "comment", "doccomm", "subject",
    "manager", "category", "tc", "xe", "sp", "atnid", "atnauthor", "atnref", "atnparent", "ftnsep", "ftnsepc", "ftncn",
    "aftnsep", "aftnsepc", "aftncn", "template", "pntxta", "pntxtb", "do", "panose", "falt", "formfield", "userprops",
    "hlinkbase", "printim", "revtim", "buptim", "nesttableprops", "htmltag", "mhtmltag", "sn", "sv", "info", "atndate",
    "atrfstart", "atrfend",
})  # fmt: skip
_SHOWN: Final = frozenset({"shpinst", "shptxt", "dptxbxtext", "result", "ud", "shpgrp"})
_APART: Final = {
    "footnote": "footnote", "annotation": "comment", "shptxt": "box", "dptxbxtext": "box",
    "header": "header", "headerl": "header", "headerr": "header", "headerf": "header",
    "footer": "footer", "footerl": "footer", "footerr": "footer", "footerf": "footer",
}  # fmt: skip
_SIGNS: Final = {
    "emdash": "\u2014", "endash": "\u2013", "emspace": "\u2003", "enspace": "\u2002", "qmspace": "\u2005",
    "bullet": "\u2022", "lquote": "\u2018", "rquote": "\u2019", "ldblquote": "\u201c", "rdblquote": "\u201d",
    "tab": "\t",
}  # fmt: skip
_ESCAPED: Final = {"~": "\u00a0", "_": "\u2011", "\\": "\\", "{": "{", "}": "}", "\t": "\t"}
End = Literal["par", "cell", "row"]


class RtfRow(NamedTuple):
    """How a row is laid out: its cells' right edges in twips, which cells go on one above, whether it is a header."""

    edges: tuple[int, ...] = ()
    merged: tuple[bool, ...] = ()
    header: bool = False


_NO_ROW: Final = RtfRow()


@dataclass
class RtfParagraph:
    """What stands up to a paragraph's or a cell's end. `behind`: what kind of text stands apart, and its paragraphs."""

    lines: list[str] = field(default_factory=lambda: [""])
    hidden: str = ""
    number: str = ""
    style: int = 0
    outline: int | None = None
    in_table: bool = False
    listed: bool = False
    end: End = "par"
    row: RtfRow = _NO_ROW
    behind: "list[tuple[str, list[RtfParagraph]]]" = field(
        default_factory=lambda: list[tuple[str, list["RtfParagraph"]]]()
    )


@dataclass
class RtfFile:
    """The paragraphs; styles' names and outline levels by their numbers; what the file says of itself."""

    paragraphs: list[RtfParagraph] = field(default_factory=list[RtfParagraph])
    styles: dict[int, str] = field(default_factory=dict[int, str])
    outlines: dict[int, int] = field(default_factory=dict[int, int])
    title: str = ""
    made: dict[str, int] = field(default_factory=dict[str, int])


@dataclass
class _Group:
    place: str = "body"
    font: int | None = None
    skip: int = 1
    hidden: bool = False
    deleted: bool = False
    style: int = 0
    outline: int | None = None
    in_table: bool = False
    listed: bool = False
    first: bool = True
    starred: bool = False
    apart: str = ""


class RtfReader:
    """Walks the tokens once."""

    def __init__(self) -> None:
        self.file = RtfFile()
        self._group, self._groups = _Group(), list[_Group]()
        self._flows: list[tuple[RtfParagraph, list[RtfParagraph]]] = [(RtfParagraph(), self.file.paragraphs)]
        self._bytes, self._codec = bytearray(), "cp1252"
        self._usual, self._default = "cp1252", 0
        self._fonts: dict[int, str] = {}
        self._font = 0
        self._skipped = 0
        self._edges: list[int] = []
        self._merged: list[bool] = []
        self._merges = self._header = False

    def read(self, data: bytes) -> RtfFile:
        """Raises RefusedFile for groups in groups beyond a bound."""
        for token in tokens_of(data):
            if token.text:
                self._take(token.text)
                continue
            self._flush()
            if token.brace == "{":
                self._open()
            elif token.brace:
                self._close()
            elif token.sign:
                self._sign(token.sign)
            else:
                self._word(token)
        self._flush()
        while self._groups:
            self._close()
        last = self._flows[0][0]
        if any(last.lines) or last.hidden or last.behind:
            self._end("par")
        return self.file

    def _open(self) -> None:
        if len(self._groups) >= MAX_GROUPS:
            raise RefusedFile(f"The file nests more than {MAX_GROUPS:,} groups; save it again and upload that.")
        self._groups.append(self._group)
        self._group = replace(self._group, first=True, starred=False, apart="")
        self._skipped = 0

    def _close(self) -> None:
        if self._group.apart:
            flow, paragraphs = self._flows.pop()
            if any(flow.lines) or flow.hidden or flow.behind:
                paragraphs.append(flow)
            self._flows[-1][0].behind.append((self._group.apart, paragraphs))
        if self._groups:
            self._group = self._groups.pop()
        self._skipped = 0

    def _sign(self, sign: str) -> None:
        self._group.starred |= sign == "*" and self._group.first
        if self._skipped:
            self._skipped -= 1
        elif sign in "\r\n":
            self._end("par")
        else:
            self._say(_ESCAPED.get(sign, ""))

    def _take(self, text: bytes) -> None:
        """Bytes of text, without those that stand for a character which was already said."""
        self._group.first = False
        skipped = min(self._skipped, len(text))
        self._skipped -= skipped
        if not text[skipped:]:
            return
        if self._group.place == "body":
            codec = self._fonts.get(self._group.font if self._group.font is not None else self._default, self._usual)
        else:
            codec = self._usual
        if codec != self._codec:
            self._flush()
            self._codec = codec
        self._bytes += text[skipped:]

    def _flush(self) -> None:
        if self._bytes:
            said, self._bytes = bytes(self._bytes), bytearray()
            self._say(said.decode(self._codec, "replace"))

    def _say(self, text: str) -> None:
        group, flow = self._group, self._flows[-1][0]
        match group.place:
            case "title":
                self.file.title += text
            case "style":
                name = self.file.styles.get(group.style, "") + text
                self.file.styles[group.style] = name[:100]
            case "number":
                flow.number += text
            case "body" if group.deleted:
                pass
            case "body" if group.hidden:
                flow.hidden += text
            case "body":
                flow.lines[-1] += text
            case _:
                pass

    def _end(self, end: End) -> None:
        group = self._group
        if group.place != "body":
            return
        flow, paragraphs = self._flows[-1]
        flow.style, flow.outline, flow.listed = group.style, group.outline, group.listed
        flow.in_table, flow.end = group.in_table or end != "par", end
        if end == "row":
            flow.row = RtfRow(tuple(self._edges), tuple(self._merged), self._header)
        paragraphs.append(flow)
        self._flows[-1] = (RtfParagraph(), paragraphs)

    def _word(self, token: RtfToken) -> None:
        word, number, group = token.word, token.number, self._group
        if self._skipped:
            self._skipped -= 1
            return
        first, group.first = group.first, False
        if group.starred and word not in _SHOWN and word not in _APART and word not in ("cs", "ds", "ts", "pn"):
            group.starred, group.place = False, "none"
            return
        group.starred = False
        if first and self._enter(word):
            return
        match word:
            case "u" if number is not None:
                self._say(chr(number & 0xFFFF))
                self._skipped = group.skip
            case "uc":
                group.skip = min(max(number or 0, 0), 100)
            case "ansicpg":
                self._usual = _MACINTOSH.get(number or 0) or _known(f"cp{number}")
            case "mac" | "pc" | "pca":
                self._usual = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}[word]
            case "deff":
                self._default = number or 0
            case "f":
                group.font = self._font = number or 0
            case "fcharset" if group.place == "fonts":
                self._fonts[self._font] = CODE_PAGES.get(number or 0, self._usual)
            case "par" | "sect" | "page" | "nestcell" | "nestrow":
                self._end("par")
            case "cell" | "row":
                self._end("cell" if word == "cell" else "row")
            case "line" if group.place == "body" and not group.deleted:
                self._flows[-1][0].lines.append("")
            case "yr" | "mo" | "dy" if group.place == "made":
                self.file.made[word] = number or 0
            case _ if word in _SIGNS:
                self._say(_SIGNS[word])
            case _:
                self._format(word, number)

    def _enter(self, word: str) -> bool:
        """A group that is a destination; whether it is."""
        group = self._group
        if (word in _APART and group.place == "body") or word in ("shptxt", "dptxbxtext"):
            if len(self._flows) > MAX_BOXES:
                raise RefusedFile(f"The file nests more than {MAX_BOXES} text boxes; save it again and upload that.")
            group.apart, group.place = _APART[word], "body"
            group.style, group.outline, group.in_table, group.listed = 0, None, False, False
            self._flows.append((RtfParagraph(), []))
        elif word in ("shpinst", "shpgrp", "shp", "object"):
            group.place = "none"
        elif word in ("result", "ud"):
            group.place = "body"
        elif word in ("fonttbl", "stylesheet"):
            group.place = "fonts" if word == "fonttbl" else "style"
        elif word in ("title", "creatim"):
            group.place = "title" if word == "title" else "made"
        elif word in ("listtext", "pntext") and group.place == "body":
            group.place, group.hidden = "number", False
        elif word in _UNSHOWN or word in _APART:
            group.place = "none"
        else:
            return False
        return True

    def _format(self, word: str, number: int | None) -> None:
        group = self._group
        match word:
            case "pard":
                group.style, group.outline, group.in_table, group.listed = 0, None, False, False
            case "plain":
                group.hidden = group.deleted = False
                group.font = None
            case "v":
                group.hidden = number != 0
            case "deleted":
                group.deleted = number != 0
            case "s":
                group.style = number or 0
            case "outlinelevel":
                group.outline = number
                if group.place == "style":
                    self.file.outlines[group.style] = number or 0
            case "intbl":
                group.in_table = True
            case "ls" | "ilvl":
                group.listed = True
            case "trowd":
                self._edges, self._merged, self._merges, self._header = [], [], False, False
            case "trhdr":
                self._header = True
            case "clvmrg":
                self._merges = True
            case "cellx" if len(self._edges) < MAX_CELLS:
                self._edges.append(number or 0)
                self._merged.append(self._merges)
                self._merges = False
            case _:
                pass


# Code pages of Windows that Python calls otherwise.
_MACINTOSH: Final = {
    10000: "mac_roman", 10006: "mac_greek", 10007: "mac_cyrillic", 10029: "mac_latin2", 10081: "mac_turkish",
}  # fmt: skip


def _known(name: str) -> str:
    try:
        codecs.lookup(name)
        b"".decode(name)
    except (LookupError, ValueError):
        return "cp1252"
    return name


def whole(text: str) -> str:
    """The text with characters of two halves put together, and without what no database holds."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "")
