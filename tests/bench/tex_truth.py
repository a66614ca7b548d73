"""What tables a document in TeX has, from its source: the texts of their cells, or that it has none.

Nobody reads a page for it, so it comes by the thousand; it says nothing about where on a page a table is. A source
that could make a table in a way that is not seen here is left aside, not guessed.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

TEX = (".tex", ".Rnw", ".Rtex", ".Snw", ".Rmd", ".ltx", ".dtx")
_ENVIRONMENTS = r"(?:tabular[*xy]?|longtabu?|longtable|supertabular|mpsupertabular|tabu|xltabular|tblr|longtblr)"
_BEGIN = re.compile(r"\\begin\{(" + _ENVIRONMENTS + r")\}")
_END = re.compile(r"\\end\{" + _ENVIRONMENTS + r"\}")
# Whatever else may make rows and columns: then the source says neither that there is a table nor that there is none.
_UNCLEAR = re.compile(
    r"\\(?:halign|valign|settabs|cleartabs|tabskip|ialign|oalign|matrix|ctable|Tabular|TabularC|DTL\w+|pgfplotstable\w*|"
    r"includepdf|btable|starttable|bTABLE|startxtable|haligntab|listofchanges|usetikzlibrary\{[^}]*matrix|inputminted)\b"
    r"|\\begin\{(?:tabbing|tabular\w*|table\w*|longtab\w*|NiceTabular\w*|spreadtab|alignat|array|supertab\w*|wraptable|"
    r"sidewaystable|deluxetable|threeparttable|TAB|tabl\w*|multicols|parcolumns|tikzcd|psmatrix|xymatrix|easytable|xtabular)\*?\}"
    r"|\\(?:newenvironment|newcommand|def|renewcommand|NewDocument\w+)[^\n]*(?:tabular|halign|table)"
    r"|xtable|kable|toLatex|stargazer|mtable|latex\(|results\s*=\s*['\"]?(?:tex|asis)|results=tex|ztable|asTable|htmlTable|texreg"
    r"|^\s*\|.*\|.*\|\s*$|^[\s\-+:]*-{3,}\s+-{3,}",
    re.MULTILINE,
)
_VERBATIM = re.compile(
    r"\\begin\{((?:[vV]erbatim|lstlisting|Sinput|Soutput|Schunk|alltt|minted|comment|Code\w*|LTXexample|example|"
    r"verbatimwrite|filecontents|tcblisting|latexcode|VerbatimOut|codeexample)\*?)\}.*?\\end\{\1\}",
    re.DOTALL,
)
_CHUNK = re.compile(r"^<<(.*?)>>=.*?^@", re.DOTALL | re.MULTILINE)
_MARKDOWN_CODE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"(?<!\\)%.*")
_INPUT = re.compile(r"\\(?:input|include|SweaveInput|VignetteInput|subfile)\s*\{?([\w./\-]+)\}?")
_SHORT_VERBATIM = re.compile(r"\\verb\*?([^\w\s*{])(.*?)\1|\\lstinline([^\w\s{])(.*?)\3")
_SETTING = re.compile(
    r"\\(?:cline|cmidrule|label|hspace|vspace|rule|footnote|color|cellcolor|rowcolor|includegraphics|ref|cite)"
    r"\*?(?:\([^)]*\)|\[[^\]]*\])*(?:\{[^{}]*\})*"
)


class Truth(NamedTuple):
    """Tables as rows of the texts of filled cells, reduced to letters and digits; `none`: the source makes no table;
    neither known nor none: not to be used."""

    tables: list[list[list[str]]]
    none: bool

    def judge(self, rows: Sequence[Sequence[str]]) -> Literal["right", "wrong", "unclear"]:
        """Whether the rows are those of a table of the source; where it has some, others may be of kinds not seen."""
        cells = [cell for row in rows for cell in row]
        known = ({cell for row in table for cell in row} for table in self.tables)
        if any(2 * sum(cell in own for cell in cells) >= len(cells) for own in known):
            return "right"
        return "wrong" if self.none else "unclear"


def truth_of(source: Path) -> Truth | None:
    """The truth of a source, with the files it takes in; None where one of these is not there."""
    text = _whole(source, 0)
    if text is None or len(text) < 200:
        return None
    text = _COMMENT.sub("", text)
    chunks = " ".join(_CHUNK.findall(text))
    code = "\n".join(found[0] for found in [*_CHUNK.finditer(text), *_MARKDOWN_CODE.finditer(text)])
    text = _CHUNK.sub("", _MARKDOWN_CODE.sub("", text))
    text = _VERBATIM.sub("", text)
    text = _SHORT_VERBATIM.sub(lambda found: found[2] or found[4] or "", text)
    tables = [table for body in _bodies(text) if (table := _rows(body))]
    made = re.search(r"xtable|kable|toLatex|stargazer|latex\(|asis|results\s*=\s*tex", chunks + code)
    none = not _BEGIN.search(text) and not _UNCLEAR.search(text) and not made
    return Truth(tables, none)


def words_of(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum() and c.isascii())


def _whole(source: Path, depth: int) -> str | None:
    text = source.read_text(encoding="utf-8", errors="replace")
    parts: list[str] = []
    at = 0
    for found in _INPUT.finditer(_COMMENT.sub(lambda c: " " * len(c[0]), text)):
        inner = next((p for p in (source.parent / found[1], source.parent / (found[1] + ".tex")) if p.is_file()), None)
        if inner is None or depth > 3:
            return None
        whole = _whole(inner, depth + 1)
        if whole is None:
            return None
        parts += [text[at : found.start()], whole]
        at = found.end()
    return "".join([*parts, text[at:]])


def _bodies(text: str) -> Iterable[str]:
    """What stands in the innermost table environments, after their arguments."""
    for begin in _BEGIN.finditer(text):
        end = _END.search(text, begin.end())
        if end and not _BEGIN.search(text, begin.end(), end.start()):
            yield _after_arguments(text[begin.end() : end.start()])


def _after_arguments(body: str) -> str:
    at = 0
    while True:
        opening = re.compile(r"\s*[\[{]").match(body, at)
        if not opening or at > 400:
            return body[at:]
        at = _closing(body, opening.end() - 1)


def _closing(text: str, at: int) -> int:
    """The place after the bracket that closes the one at `at`."""
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] in "{[") - (text[place] in "}]")
        if depth == 0:
            return place + 1
    return len(text)


def _rows(body: str) -> list[list[str]]:
    """The rows with their filled cells; nothing unless two rows have two of them."""
    body = re.sub(r"\\\\\s*(?:\[[^\]]*\])?|\\tabularnewline|\\cr\b", "\0", body.replace(r"\&", ""))
    rows = [[_text(cell) for cell in _cells(row)] for row in body.split("\0")]
    rows = [[cell for cell in row if cell] for row in rows]
    rows = [row for row in rows if row]
    return rows if sum(len(row) > 1 for row in rows) > 1 else []


def _cells(row: str) -> Iterable[str]:
    depth, start = 0, 0
    for at, c in enumerate(row):
        depth += (c == "{") - (c == "}")
        if c == "&" and depth == 0:
            yield row[start:at]
            start = at + 1
    yield row[start:]


def _text(cell: str) -> str:
    cell = re.sub(r"\\multi(?:column|row)\s*\{[^{}]*\}(?:\[[^\]]*\])?\s*\{(?:[^{}]|\{[^{}]*\})*\}", "", cell)
    cell = _SETTING.sub("", cell)
    cell = re.sub(r"\\(?:begin|end)\{\w+\*?\}", "", cell)
    cell = re.sub(r"\\[A-Za-z@]+\*?", " ", cell)
    return words_of(cell)
