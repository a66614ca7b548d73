"""The words of an RTF file: the file as a tree of groups, of which those are left out that display nothing."""

import re
from pathlib import Path

from shared.domain.raw_page import SecondText

_TOKEN = re.compile(r"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|([^\\{}\r\n\0])")
_LEFT_OUT = re.compile(
    r"(?:fonttbl|colortbl|stylesheet|info|pict|fldinst|nonshppict|shprslt|xe|tc|do|sp|object|shpinst|shp|"
    r"a?ftnsepc?|a?ftncn|atn.*|bkmk.*|.*tbl|.*tim|list(?:override)?table|private|pntxt[ab]|template|comment|objdata)"
)
_APART = re.compile(r"footnote|annotation|shptxt|dptxbxtext|(?:header|footer)[lrf]?")
_CHARSETS = {
    77: "mac_roman", 128: "shift_jis", 129: "euc_kr", 134: "gb18030", 136: "big5", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
    254: "cp437", 255: "cp850",
}  # fmt: skip
_MACHINES = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
_MAC_PAGES = {10000: "mac_roman", 10006: "mac_greek", 10007: "mac_cyrillic", 10029: "mac_latin2", 10081: "mac_turkish"}
_SAID = {
    "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
}  # fmt: skip
_ENDS = frozenset({"par", "cell", "row", "sect", "page", "nestcell", "nestrow"})


class _Text:
    """The text of one flow up to a paragraph's end; what stands apart in it comes behind."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.line: list[str] = []
        self.hidden: list[str] = []
        self.behind: list[str] = []

    def end(self) -> None:
        self.done += [*self.line, "\n", *self.hidden, *self.behind]
        self.line, self.hidden, self.behind = [], [], []


def reread_rtf(path: Path) -> SecondText:
    return SecondText(rtf_words(path.read_bytes()), offsets=False)


def rtf_words(file: bytes) -> str:
    data = file.decode("latin-1")
    reader = _Reader(_fonts(data), _page(data))
    reader.read(data)
    return "".join(reader.flows[0].done).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _page(data: str) -> str:
    """The code page by its number, else by the machine that the file says it is of (RTF 1.9.1, Character Set)."""
    found = re.search(r"\\ansicpg(\d{1,5})", data[:2000])
    machine = re.search(r"\\(mac|pca?)\b", data[:2000])
    named = _MACHINES[machine[1]] if machine else "cp1252"
    page = _MAC_PAGES.get(int(found[1]), f"cp{found[1]}") if found else named
    try:
        "".encode(page)
    except LookupError:
        return "cp1252"
    return page


def _fonts(data: str) -> dict[int, str]:
    """The code page of each font, as its entry in the table says."""
    begin = data.find("\\fonttbl")
    end = min(
        (at for at in (data.find("\\colortbl"), data.find("\\stylesheet")) if at > begin), default=begin + 200_000
    )
    entries = re.findall(r"\\f(\d{1,6})\b[^{};]*?\\fcharset(\d{1,3})", data[begin:end]) if begin >= 0 else []
    return {int(font): _CHARSETS[int(charset)] for font, charset in entries if int(charset) in _CHARSETS}


class _Reader:
    def __init__(self, fonts: dict[int, str], page: str) -> None:
        self._fonts, self._page = fonts, page
        self.flows = [_Text()]
        self._codes = bytearray()
        # Of each open group: shown, font, characters behind \\u, hidden, deleted, number of a list, a flow of its own.
        self._state: tuple[bool, int | None, int, bool, bool, list[str] | None] = (True, None, 1, False, False, None)
        self._open: list[tuple[tuple[bool, int | None, int, bool, bool, list[str] | None], bool]] = []
        self._own = False
        self._left = 0
        self._default: int | None = None

    def read(self, data: str) -> None:
        at, fresh, starred = 0, False, False
        while (found := _TOKEN.search(data, at)) is not None:
            at = found.end()
            word, number, code, sign, brace, character = found.groups()
            if code or character:
                self._code(int(code, 16) if code else ord(character))
                fresh = False
                continue
            self._decode()
            if brace == "{":
                self._open.append((self._state, self._own))
                self._own, self._left, fresh, starred = False, 0, True, False
            elif brace:
                self._close()
            elif sign == "*" and fresh:
                starred = True
            elif self._left:
                self._left -= 1
            elif sign:
                self._sign(sign)
            elif word:
                if word == "bin":
                    at += max(int(number or 0), 0)
                self._word(word, int(number) if number else None, fresh, starred)
                fresh = starred = False
        self._decode()
        while self._open:
            self._close()
        self.flows[0].end()

    def _close(self) -> None:
        number = self._state[5]
        if self._own:
            inner = self.flows.pop()
            inner.end()
            self.flows[-1].behind += inner.done
        if self._open:
            self._state, self._own = self._open.pop()
        if number is not None and self._state[5] is None and any(c.isalnum() for c in "".join(number)):
            self.flows[-1].line[:0] = number
        self._left = 0

    def _code(self, code: int) -> None:
        if self._left:
            self._left -= 1
        else:
            self._codes.append(code)

    def _decode(self) -> None:
        if self._codes:
            font = self._state[1] if self._state[1] is not None else self._default
            codec = self._fonts.get(font, self._page) if font is not None else self._page
            self._say(bytes(self._codes).decode(codec, "replace"))
            self._codes = bytearray()

    def _say(self, text: str) -> None:
        shown, _, _, hidden, deleted, number = self._state
        if number is not None:
            number.append(text)
        elif shown and not deleted:
            (self.flows[-1].hidden if hidden else self.flows[-1].line).append(text)

    def _sign(self, sign: str) -> None:
        if sign in "\r\n":
            self._end()
        elif sign in "\\{}~_":
            self._say({"~": " ", "_": "\u2011"}.get(sign, sign))

    def _end(self) -> None:
        if self._state[0]:
            self.flows[-1].end()

    def _word(self, word: str, number: int | None, fresh: bool, starred: bool) -> None:
        shown, font, skip, hidden, deleted, listed = self._state
        if fresh and _APART.fullmatch(word) and (shown or word in ("shptxt", "dptxbxtext")):
            self._own = True
            self.flows.append(_Text())
            self._state = (True, font, skip, hidden, deleted, None)
        elif fresh and word in ("listtext", "pntext") and shown:
            self._state = (shown, font, skip, False, deleted, [])
        elif fresh and word in ("result", "ud"):
            self._state = (True, font, skip, hidden, deleted, listed)
        elif (starred and word not in ("cs", "ds", "ts", "pn")) or (
            fresh and (_LEFT_OUT.fullmatch(word) or _APART.fullmatch(word))
        ):
            self._state = (False, font, skip, hidden, deleted, listed)
        elif word == "u" and number is not None:
            self._say(chr(number % 65536))
            self._left = skip
        elif word == "deff":
            self._default = number
        elif word in _ENDS:
            self._end()
        elif word in _SAID:
            self._say(_SAID[word])
        else:
            self._state = (
                shown,
                None if word == "plain" else number if word == "f" else font,
                min(max(number or 0, 0), 100) if word == "uc" else skip,
                (word == "v" and number != 0) if word in ("v", "plain") else hidden,
                (word == "deleted" and number != 0) if word in ("deleted", "plain") else deleted,
                listed,
            )
