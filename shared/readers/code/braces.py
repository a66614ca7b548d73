"""Finds the definitions of languages with blocks in braces: what stands in front of one says what it is."""

import re
from dataclasses import dataclass, field
from typing import Final

from shared.readers.code.definition import Definition, key_of
from shared.readers.code.languages import Kind, Language

# No head has more characters, without what stands in its brackets.
HEAD_CHARACTERS: Final = 1_000
_TOKENS: Final = re.compile(r"[{}()\[\];]")
_TOKENS_OF_LINES: Final = re.compile(r"[{}()\[\];\n]")
_TOKENS_WITH_COMMAS: Final = re.compile(r"[{}()\[\];\n,]")
_CLOSED_BY: Final = {"}": "{", ")": "(", "]": "["}
# A statement goes on behind a line that ends, or before one that begins, so.
_GOES_ON_BEHIND: Final = (*"=,+-*/&|?:.(\\^%", "=>", "->")
_BLANKS: Final = re.compile(r"\s*+")
_QUOTES: Final = ("'", '"', "`")
_GOES_ON_BEFORE: Final = re.compile(
    r"\s*+(?:[{.:?=,&|+*/<>)\]%^-]|(?:where|extends|implements|throws|else|catch|finally|while)\b)"
)
# A comma within these divides no members.
_LISTED: Final = re.compile(
    r"\s*(?:(?:export|default|abstract|declare|public|private|static)\s+)*"
    r"(?:class|interface|enum|function|type)\b(?![^{]{0,200}=)"
)
_ARGUMENTS: Final = re.compile(r"[\w$]<[^<>;{}()=]{0,120}$")
_CALL: Final = re.compile(
    r"(?P<name>(?:(?<![\w~$:])[\w$]++(?:\s*<[^<>(){};]{0,200}>)?\s*::\s*)*"
    r"(?:operator\b\s*(?:\(\)|\[\]|[^\w\s(]{1,3}|[\w ]{1,40}?)|(?<![\w~$])(?:~\s*)?[\w$]++))"
    r"\s*(?:<[^<>(){};]{0,200}>\s*)?\(\)(?![\s*&]*[>,])"
)
# What stands in front of brackets and is no function's name.
_NO_NAMES: Final = frozenset({
    "if", "for", "while", "switch", "catch", "return", "sizeof", "alignof", "alignas", "decltype", "noexcept",
    "throw", "throws", "requires", "static_assert", "new", "defined", "synchronized", "using", "lock",
    "fixed", "foreach", "when", "unless", "else", "do", "with", "function", "await", "typeof", "instanceof", "void",
    "checked", "unchecked", "try", "case", "super", "this", "__attribute__", "__declspec", "__asm__", "asm", "__asm",
    "__extension__", "__typeof__", "__alignas", "__nonnull",
})  # fmt: skip
_LOUD: Final = re.compile(r"_*[A-Z][A-Z0-9_]*|__\w+")
_ACCESS: Final = re.compile(r"(?:public|private|protected)\s*:(?!:)")
_TYPEDEF: Final = re.compile(r"\btypedef\s+(?:struct|union|enum)\s*(?P<tag>\w*)\s*$")
_TYPEDEF_NAME: Final = re.compile(r"\s*(?:\*\s*)?(?:\w+\s+)??(?P<name>\w+)\s*(?:\[\s*\d*\s*\])?;")
_TYPED: Final = re.compile(r"[\w>\]?*&]\s+[*&]*$|[>\]*&]\s*$")
_VALUE: Final = re.compile(r"\s*[\d.\-&!{]")
_EXPRESSION: Final = re.compile(r"(?<![=!<>])=(?![=>])|\b(?:new|return|throw|await|case)\b|->")
# Behind these a brace opens a type or a value, and no block yet.
_TYPE_BEFORE: Final = re.compile(r"(?:[:|&<,?]|\binterface|\bstruct|=>)\s*$")
# Members that a constructor begins with: Foo() : size{1} {
_INITIAL: Final = re.compile(r"^(?>.*?\)\s*:[^:]).*\w$", re.S)


@dataclass
class _Frame:
    """What a bracket opened: where its present head begins, the brackets within that head (none of one that is too
    long to define anything), and of a block the definition that it is."""

    bracket: str
    opened: int
    head: int
    within: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    defines: "_Named | None" = None
    typedef: bool = False
    grouped: bool = False
    too_long: bool = False

    def begin(self, at: int) -> None:
        self.head, self.too_long = at, False
        self.within.clear()


@dataclass
class _Named:
    kind: Kind
    start: int
    name: tuple[int, int]
    key: str


class BraceReader:
    def __init__(self, text: str, bare: str, language: Language) -> None:
        self._text, self._bare, self._language = text, bare, language
        self.found: list[Definition] = []
        self._frames = [_Frame("", 0, 0)]

    def read(self) -> list[Definition]:
        language = self._language
        tokens = _TOKENS_WITH_COMMAS if language.commas else _TOKENS_OF_LINES if language.lines_end else _TOKENS
        for token in tokens.finditer(self._bare):
            at, said = token.start(), token[0]
            frame = self._frames[-1]
            if said in "{([":
                self._open(frame, said, at)
            elif said in _CLOSED_BY:
                self._close(said, at)
            elif frame.bracket in ("", "{") or frame.grouped:
                if said == ";" or (said == "\n" and self._ends(frame, at)):
                    self._end_statement(frame, at)
                elif said == "," and not self._lists(frame, at):
                    frame.begin(at + 1)
            elif said == ",":
                frame.begin(at + 1)
        return self.found

    def _lists(self, frame: _Frame, at: int) -> bool:
        begun = _LISTED.match(self._bare, frame.head, at)
        return bool(begun or _ARGUMENTS.search(self._bare[max(frame.head, at - 120) : at]))

    def _open(self, frame: _Frame, said: str, at: int) -> None:
        opened = _Frame(said, at, at + 1)
        if said == "{":
            flat, places = self._flat(frame, at)
            opened.defines = self._defined(frame, flat, places)
            opened.typedef = opened.defines is None and _TYPEDEF.search(flat) is not None
            if opened.defines and (_INITIAL.search(flat) or (self._is_type(flat))):
                opened.defines = None
        elif said == "(" and at - frame.head < HEAD_CHARACTERS and self._bare[frame.head : at].strip() == "type":
            opened.grouped = True
        self._frames.append(opened)

    def _is_type(self, flat: str) -> bool:
        """Of a function whose result is an object's type, the brace of that type."""
        return (
            self._language.lines_end
            and _TYPE_BEFORE.search(flat) is not None
            and not re.search(r"=>\s*$|^\s*type\b", flat)
            and "(" in flat
        )

    def _close(self, said: str, at: int) -> None:
        depth = next((n for n in range(1, min(len(self._frames), 4) + 1) if self._matches(n, said)), 0)
        if not depth:
            if said != "}":
                return
            depth = next((n for n in range(1, len(self._frames)) if self._frames[-n].bracket == "{"), 0)
            if not depth:
                return
        closed = self._frames[-depth]
        frame_statement = self._frames[-1]
        if said == "}" and frame_statement is closed:
            self._end_statement(closed, at)
        del self._frames[-depth:]
        outer = self._frames[-1]
        if said == "}" and (closed.defines or closed.typedef):
            self._add(closed, at, outer)
        elif said == "}" and outer.bracket in ("", "{") and not self._goes_on(outer, closed, at):
            outer.begin(at + 1)
        elif not outer.too_long:
            outer.within.append((closed.opened, at))

    def _matches(self, depth: int, said: str) -> bool:
        return depth < len(self._frames) and self._frames[-depth].bracket == _CLOSED_BY[said]

    def _goes_on(self, outer: _Frame, closed: _Frame, at: int) -> bool:
        """Whether the head goes on behind the brace: after a value in it or a type."""
        before = self._bare[max(outer.head, closed.opened - 40) : closed.opened]
        after = self._bare[at + 1 : at + 60].lstrip(" \t")
        if _TYPE_BEFORE.search(before):
            return True
        return (
            before[-1:].isidentifier()
            and after[:1] in (",", "{")
            and self._bare.find("(", outer.head, min(closed.opened, outer.head + 400)) >= 0
        )

    def _add(self, closed: _Frame, at: int, outer: _Frame) -> None:
        """A block that ended is its definition; of a typedef the name stands behind it."""
        named, end = closed.defines, at + 1
        if closed.typedef:
            behind = _TYPEDEF_NAME.match(self._bare, at + 1, at + 300)
            if behind is None:
                outer.begin(at + 1)
                return
            start = self._inked(outer.head)
            named, end = _Named("holder", start, behind.span("name"), behind["name"]), behind.end()
        if named is None:
            return
        self.found.append(Definition(named.kind, named.start, end, *named.name, named.key))
        outer.begin(end)

    def _ends(self, frame: _Frame, at: int) -> bool:
        """Whether a statement ends with the line."""
        before = self._bare[max(frame.head, at - 200) : at].rstrip()
        # A string, which is blank here, is a value.
        is_value = self._text[max(frame.head, at - 200) : at].rstrip().endswith(_QUOTES)
        if not before or before.lstrip().startswith("@") or (before.endswith(_GOES_ON_BEHIND) and not is_value):
            return False
        return _GOES_ON_BEFORE.match(self._bare, at, at + 400) is None

    def _end_statement(self, frame: _Frame, at: int) -> None:
        """What is defined without a block."""
        if at > frame.head and (flat_places := self._flat(frame, at)) and flat_places[0].strip():
            flat, places = flat_places
            named = self._declared(frame, flat, places)
            if named is not None:
                end = at + (self._bare[at] == ";")
                self.found.append(Definition(named.kind, named.start, end, *named.name, named.key))
        frame.begin(at + 1)

    def _flat(self, frame: _Frame, at: int) -> tuple[str, list[tuple[int, int]]]:
        """The head without what stands in its brackets, and for pieces of it (offset there, offset in the text)."""
        if frame.too_long:
            return "", []
        pieces: list[str] = []
        places: list[tuple[int, int]] = []
        frame.head = min(self._inked(frame.head), at)
        length, begin = 0, frame.head
        for opened, closed in [*frame.within, (at, at)]:
            if opened < begin:
                continue
            piece = self._bare[begin : opened + 1 if opened < at else at]
            places.append((length, begin))
            pieces.append(piece)
            length += len(piece)
            begin = closed
            if length > HEAD_CHARACTERS:
                frame.too_long = True
                frame.within.clear()
                return "", []
        return "".join(pieces), places

    def _place(self, places: list[tuple[int, int]], offset: int) -> int:
        flat, source = next(one for one in reversed(places) if one[0] <= offset)
        return source + offset - flat

    def _defined(self, frame: _Frame, flat: str, places: list[tuple[int, int]]) -> _Named | None:
        """What the head in front of a block defines."""
        if not flat.strip():
            return None
        if self._language.calls == "anywhere" and (named := self._called(frame, flat, places)):
            return named
        if (named := self._told(frame, flat, places, block=True)) is not None:
            return named
        return self._called(frame, flat, places) if self._language.calls == "holder" else None

    def _declared(self, frame: _Frame, flat: str, places: list[tuple[int, int]]) -> _Named | None:
        language = self._language
        if language.calls == "anywhere" or language.declares:
            if not language.declares:
                return None
            named = self._told(frame, flat, places, block=False)
            return named or self._called(frame, flat, places, declared=True)
        return self._told(frame, flat, places, block=False)

    def _told(self, frame: _Frame, flat: str, places: list[tuple[int, int]], *, block: bool) -> _Named | None:
        """By the language's patterns; the last keyword counts, as modifiers stand in front of it."""
        for kind, pattern, needs_block in self._language.heads:
            if (needs_block and not block) or (kind == "member" and frame.bracket != "{"):
                continue
            if kind == "member" and not needs_block and (block or not frame.defines or frame.defines.kind != "holder"):
                continue
            matched = pattern.search(flat)
            if matched and not (kind == "member" and matched["name"] in _NO_NAMES):
                return self._named(frame, kind, matched, places)
        return None

    def _named(self, frame: _Frame, kind: Kind, matched: re.Match[str], places: list[tuple[int, int]]) -> _Named:
        groups = matched.groupdict()
        start, end = self._place(places, matched.start("name")), self._place(places, matched.end("name") - 1) + 1
        key = groups.get("key") or self._text[start:end]
        owner = ""
        if groups.get("receiver"):
            first = self._place(places, matched.start("receiver"))
            words = re.findall(r"\w+", re.sub(r"\[.*", "", self._text[first:start]))
            owner, start = (words[-1] + "." if words else ""), first
        if "\n" in self._text[start:end] or "\r" in self._text[start:end]:
            group = "key" if groups.get("key") else "name"
            start, end = self._place(places, matched.start(group)), self._place(places, matched.end(group) - 1) + 1
            while "\n" in self._text[start:end]:
                start += 1 + self._text[start:end].index("\n")
        return _Named("function" if kind == "member" else kind, self._begin(frame), (start, end), owner + key_of(key))

    def _called(
        self, frame: _Frame, flat: str, places: list[tuple[int, int]], *, declared: bool = False
    ) -> _Named | None:
        """A function by its place: a name with parameters in front of a block."""
        inner = next((one for one in reversed(self._frames) if one.bracket == "{" and one.defines), None)
        if frame.bracket not in ("", "{") or (inner and inner.defines and inner.defines.kind != "holder"):
            return None
        if self._language.calls == "holder" and frame.defines is None:
            return None
        found = [one for one in _CALL.finditer(flat) if not self._is_no_name(one["name"])]
        if not found:
            return None
        chosen = found[0]
        for one in found[1:]:
            # EXPORT(int) read(…): what directly follows a macro is the name, unless it is one itself.
            if (
                _LOUD.fullmatch(chosen["name"])
                and not _LOUD.fullmatch(one["name"])
                and ":" not in flat[chosen.end() : one.start()]
            ):
                chosen = one
        before = flat[: chosen.start()]
        if _EXPRESSION.search(before.replace("operator", "")) or before.rstrip().endswith((".", "->", ",", "?")):
            return None
        behind = flat[chosen.end() :]
        if declared and not self._is_declaration(frame, chosen["name"], before, behind, places, chosen.end()):
            return None
        if not declared and re.search(r"(?<![=!<>])=(?![=>])", re.sub(r"\boperator\s*\S+", "", behind).split(":")[0]):
            return None
        return self._named(frame, "function", chosen, places)

    def _is_declaration(
        self, frame: _Frame, name: str, before: str, behind: str, places: list[tuple[int, int]], end: int
    ) -> bool:
        """Whether a name with brackets says of a function what it takes; else it is a call, a variable with its value,
        or the type that a pointer points to."""
        if not _TYPED.search(before) or _LOUD.fullmatch(name) or re.match(r"\s*(?:[.\[]|\(\))", behind):
            return False
        closed = self._place(places, end - 1)
        opened = next((one for one, at in frame.within if at == closed), None)
        if opened is None:
            return True
        bare, said = self._bare[opened + 1 : closed], self._text[opened + 1 : closed]
        return _VALUE.match(bare) is None and bool(bare.strip()) == bool(said.strip())

    def _is_no_name(self, name: str) -> bool:
        return re.split(r"[\s:~]+", name)[-1] in _NO_NAMES and not name.startswith("operator")

    def _begin(self, frame: _Frame) -> int:
        """Where the definition begins whose head is this: behind a line that only says who sees what follows."""
        start = self._inked(frame.head)
        access = _ACCESS.match(self._bare, start)
        return self._inked(access.end()) if access else start

    def _inked(self, start: int) -> int:
        """The first character from `start` on that is not blank."""
        matched = _BLANKS.match(self._bare, start)
        return matched.end() if matched else start
