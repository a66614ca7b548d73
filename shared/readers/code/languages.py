"""What tells the definitions of each language: how its comments and strings are written, what stands in front of a
name, and how what is defined ends. One table; the mechanisms are in `braces`, `indents` and `statements`.

Patterns of definitions look at a head: the text in front of a block without comments and strings, each pair of brackets
without its content. `name` is what becomes the title, `key` what others call it by where the title says more, `owner`
what it belongs to where that is not written around it.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

# `holder`: a class, a module and their like, whose members are sections whatever its length. `function`: what is inside
# is a section only where the whole is too long for a passage. `member`: a function by its place alone, within a holder.
Kind = Literal["holder", "function", "member"]
Shape = Literal["braces", "indents", "ends", "statements"]


class Pattern(NamedTuple):
    """`block`: only in front of one."""

    kind: Kind
    pattern: re.Pattern[str]
    block: bool = False


@dataclass(frozen=True)
class Language:
    """`lines_end`: a statement ends with its line unless something goes on. `calls`: a name with parameters in front of
    a block is a function ("anywhere", or in a "holder" alone). `declares`: one without a block is one, too, with a
    type in front of it and no value in its brackets. `commas`: members of an object are divided by commas."""

    source_type: str
    shape: Shape
    quiet: re.Pattern[str]
    heads: tuple[Pattern, ...] = ()
    lines_end: bool = False
    calls: Literal["", "anywhere", "holder"] = ""
    declares: bool = False
    commas: bool = False
    end: re.Pattern[str] = re.compile("end")


def _quiet(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.S | re.M)


def _head(kind: Kind, pattern: str, flags: int = 0, *, block: bool = False) -> Pattern:
    return Pattern(kind, re.compile(pattern, flags), block)


_SLASHES: Final = r"(?://[^\n]*+|/\*(?:[^*]++|\*(?!/)|(?!))*+(?:\*/|\Z))"
_HASH: Final = r"(?P<comment>#[^\n]*+)"
# A string that is never closed ends with its line.
_DOUBLE: Final = r'"(?:[^"\\\n]++|\\.|(?!))*+(?:"|(?=\n)|\Z)'
_SINGLE: Final = r"'(?:[^'\\\n]++|\\.|(?!))*+(?:'|(?=\n)|\Z)"
# One that may have several lines ends with the file.
_DOUBLE_LONG: Final = r'"(?:[^"\\]++|\\.|(?!))*+(?:"|\Z)'
_SINGLE_LONG: Final = r"'(?:[^'\\]++|\\.|(?!))*+(?:'|\Z)"
_TRIPLE: Final = r'"""(?:[^"\\]++|\\.|"(?!"")|(?!))*+(?:"""|\Z)'
_TRIPLE_SINGLE: Final = r"'''(?:[^'\\]++|\\.|'(?!'')|(?!))*+(?:'''|\Z)"
_CHARACTER: Final = r"'(?:[^'\\\n]|\\[^\n]{1,10}?)'"
_BACKTICK: Final = r"`(?:[^`\\]++|\\.|(?!))*+(?:`|\Z)"
# Of JavaScript: what stands in ${} may be a string of the kind itself.
_TEMPLATE: Final = (
    r"`(?:[^`\\$]++|\\.|\$\{(?:[^{}`]++|`(?:[^`\\]++|\\.|(?!))*+`|\{[^{}`]*+\}|(?!))*+\}|\$|(?!))*+(?:`|\Z)"
)
# A slash where no value stands before it.
_REGEX: Final = (
    r"(?:(?<=[(,=:\[!&|?{};\n>+*~^%-])|(?<=return)|(?<=typeof)|(?<=case))[ \t]{0,8}"
    r"/(?![*/])(?:[^/\\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n]){0,200}\]){1,400}/"
)
# Arguments of a template, three deep.
_ANGLES: Final = r"<(?:[^<>]|<(?:[^<>]|<[^<>]{0,200}>){0,200}>){0,400}>"

PYTHON: Final = Language(
    "python", "indents",
    _quiet(_TRIPLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE, _HASH),
    (
        _head("holder", r"class[ \t]+(?P<name>\w+)"),
        _head("function", r"(?:async[ \t]+)?def[ \t]+(?P<name>\w+)"),
    ),
)  # fmt: skip
JAVASCRIPT: Final = Language(
    "javascript", "braces",
    _quiet(_SLASHES, _TEMPLATE, _DOUBLE, _SINGLE, _REGEX),
    (
        _head(
            "holder",
            r"(?<![\w$.])(?:class|interface|enum|namespace|module)\s+(?P<name>(?!extends\b|implements\b)[\w$.]+)",
        ),
        _head("function", r"(?<![\w$.])function\s*\*?\s*(?P<name>[\w$]+)\s*(?:<[^>]{0,200}>)?\s*\("),
        _head(
            "function",
            r"(?<![\w$.#])(?P<name>[\w$][\w$.]*+|#[\w$]++)\s*(?::[^=]{0,200})?=\s*(?:async\b\s*)?"
            r"(?:function\b|(?:<[^>]{0,200}>)?\s*\([^)]*\)\s*(?::[^=]{0,200}(?:=[^>=][^=]{0,100})?)?=>|[\w$]+\s*=>)",
        ),
        _head("holder", r"(?<![\w$.])(?P<name>[\w$][\w$.]*+)\s*=\s*class\b"),
        _head(
            "function",
            r"(?<![\w$.?#])(?P<name>[\w$]++)\s*:\s*(?:async\b\s*)?(?:function\b|\([^)]*\)\s*=>|[\w$]+\s*=>)",
            block=True,
        ),
        _head("holder", r"(?<![\w$.])type\s+(?P<name>[\w$]++)\s*(?:<[^>]{0,200}>)?\s*="),
        _head(
            "member",
            r"^\s*(?:@[\w$.]+(?:\(\))?\s*|(?:async|static|get|set|public|private|protected|readonly|override|abstract"
            r"|declare|export|default)\s+)*\*?\s*(?P<name>[\w$]++|#[\w$]++|\[\])\s*\??(?:<[^>]{0,200}>)?\s*\(\)\s*"
            r"(?::.{0,300})?$",
            re.S, block=True,
        ),
        # What an interface, or an abstract class, only says of a method.
        _head(
            "member",
            r"^\s*(?:(?:static|get|set|public|private|protected|override|abstract|declare)\s+)*"
            r"(?P<name>[\w$]++)\s*\??\s*(?:<[^>]{0,200}>)?\s*(?:\(\)\s*:|:\s*(?:<[^>]{0,200}>)?\s*\(\)\s*=>).{0,300}$",
            re.S,
        ),
    ),
    lines_end=True, commas=True,
)  # fmt: skip
JAVA: Final = Language(
    "java", "braces",
    _quiet(_SLASHES, _TRIPLE, _DOUBLE, _CHARACTER),
    (_head("holder", r"(?<![\w$.])(?:class|interface|enum|record)\s+(?P<name>[\w$]+)"),),
    calls="holder", declares=True,
)  # fmt: skip
C: Final = Language(
    "c", "braces",
    _quiet(
        r"(?P<directive>^[ \t]*+#(?:[^\n\\/]++|\\\r?.|/(?!\*)|/\*(?:[^*]++|\*(?!/)|(?!))*+(?:\*/|\Z)|(?!))*+)",
        r"(?://(?:[^\n\\]++|\\.|(?!))*+|/\*(?:[^*]++|\*(?!/)|(?!))*+(?:\*/|\Z))",
        r'(?<![\w])(?:u8|[LuU])?R"(?P<raw>[^()\\\s"]{0,16})\((?:.*?)(?:\)(?P=raw)"|\Z)',
        _DOUBLE, r"(?<![0-9a-fA-F])'(?:[^'\\\n]|\\[^\n]{1,10}?){1,4}'",
    ),
    (
        _head(
            "holder",
            r"(?<!\w)(?:class|struct|union|enum(?:\s+(?:class|struct))?|(?:inline\s+)?namespace)\s+"
            r"(?:(?:alignas|__declspec|__attribute__|[A-Z][A-Z0-9_]+)\s*\(\)\s*|\[\]\s*|[A-Z][A-Z0-9_]+\s+(?=\w))*"
            rf"(?P<name>\w+(?:\s*{_ANGLES})?(?:\s*::\s*\w+)*)\s*(?:final\s*)?(?::(?!:)[^()=]*)?$",
            block=True,
        ),
    ),
    calls="anywhere", declares=True,
)  # fmt: skip
CSHARP: Final = Language(
    "csharp", "braces",
    _quiet(
        r"(?P<directive>^[ \t]*+#[^\n]*+)",
        _SLASHES, _TRIPLE, r'(?:\$@|@\$|@)"(?:[^"]++|""|(?!))*+(?:"|\Z)', _DOUBLE, _CHARACTER,
    ),
    (
        _head("holder", r"(?<![\w.])(?:class|struct|interface|enum|record(?:\s+(?:class|struct))?)\s+(?P<name>[\w.]+)"),
        _head("holder", r"(?<![\w.])namespace\s+(?P<name>[\w.]+)", block=True),
    ),
    calls="holder", declares=True,
)  # fmt: skip
GO: Final = Language(
    "go", "braces",
    _quiet(_SLASHES, r"`[^`]*+(?:`|\Z)", _DOUBLE, _CHARACTER),
    (
        _head("function", r"^\s*func\s+(?P<name>\w+)\s*(?:\[\]\s*)?\("),
        _head("function", r"^\s*func\s*(?P<receiver>\(\))\s*(?P<name>\w+)\s*\("),
        _head("holder", r"^\s*type\s+(?P<name>\w+)"),
    ),
    lines_end=True,
)  # fmt: skip
RUST: Final = Language(
    "rust", "braces",
    _quiet(
        r"(?://[^\n]*+|/\*(?:[^*]++|\*(?!/)|(?!))*+(?:\*/|\Z))",
        r'\bb?r(?P<raw>#{0,8})"(?:.*?)(?:"(?P=raw)|\Z)', _DOUBLE_LONG, _CHARACTER,
    ),
    (
        _head("function", r"(?<!\w)fn\s+(?P<name>\w+)"),
        _head(
            "holder",
            rf"(?<!\w)impl\b\s*(?:{_ANGLES})?\s*(?P<name>(?:[^{{}};]{{1,300}}?\sfor\s+)?(?:&?\s*(?:mut\s+|dyn\s+)?)?"
            rf"(?P<key>\w+(?:::\w+)*)(?:{_ANGLES})?)\s*(?:where\b.*)?$",
            re.S,
        ),
        _head("holder", r"(?<!\w)(?:mod|struct|enum|union|trait)\s+(?P<name>\w+)"),
        _head("function", r"(?<!\w)macro_rules!\s*(?P<name>\w+)"),
        _head("holder", r"^\s*(?:#\[\]\s*)*(?:pub\b\s*(?:\(\))?\s*)?type\s+(?P<name>\w+)"),
    ),
)  # fmt: skip
PHP: Final = Language(
    "php", "braces",
    _quiet(
        r"\A(?:(?!<\?(?:php|=)).|(?!))*+<\?(?:php\b|=)", r"\?>(?:(?!<\?(?:php|=)).|(?!))*+(?:<\?(?:php\b|=)|\Z)",
        r"(?://[^\n]*+|/\*(?:[^*]++|\*(?!/)|(?!))*+(?:\*/|\Z)|#(?!\[)[^\n]*+)",
        r"<<<[ \t]*(?P<mark>[\"']?)(?P<word>\w+)(?P=mark)\r?\n(?:.*?)(?:^[ \t]*(?P=word)\b|\Z)",
        _DOUBLE_LONG, _SINGLE_LONG, _BACKTICK,
    ),
    (
        _head("function", r"(?<![\w$>:])function\s+&?\s*(?P<name>\w+)\s*\("),
        _head(
            "holder",
            r"(?<![\w$>:])(?:class|interface|trait|enum|namespace)\s+(?P<name>(?!extends\b|implements\b)[\w\\]+)",
            block=True,
        ),
    ),
)  # fmt: skip
KOTLIN: Final = Language(
    "kotlin", "braces",
    _quiet(_SLASHES, r'"""(?:[^"]++|"(?!"")|(?!))*+(?:"""|\Z)', _DOUBLE, _CHARACTER),
    (
        _head("holder", r"(?<![\w.])(?:class|interface|object|typealias)\s+(?P<name>\w+)"),
        _head(
            "function",
            rf"(?<![\w.])fun\s+(?:{_ANGLES}\s*)?"
            r"(?P<name>(?:[\w<>?*, ]{1,100}\.)?(?P<key>\w+|`[^`\n]{1,200}`))\s*\(",
        ),
    ),
    lines_end=True,
)  # fmt: skip
SWIFT: Final = Language(
    "swift", "braces",
    _quiet(_SLASHES, _TRIPLE, _DOUBLE),
    (
        _head("function", r"(?<![\w.])func\s+(?P<name>\w+|[^\s\w(]{1,4})\s*(?:<[^>]{0,300}>)?\s*\("),
        _head("function", r"(?<![\w.])(?P<name>init[?!]?|deinit|subscript)\s*(?:<[^>]{0,300}>)?\s*(?:\(|$)"),
        _head(
            "holder",
            r"(?<![\w.])(?:class|struct|enum|protocol|extension|actor|typealias)\s+"
            r"(?P<name>(?!func\b|var\b|let\b)[\w.]+)",
        ),
    ),
    lines_end=True,
)  # fmt: skip
RUBY: Final = Language(
    "ruby", "ends",
    _quiet(
        r"(?:^=begin\b(?:.*?)(?:^=end\b|\Z)|#[^\n]*+)",
        r"<<[~-](?P<mark>[\"'`]?)(?P<word>[A-Za-z_]\w*)(?P=mark)[^\n]*\n(?:.*?)(?:^[ \t]*(?P=word)[ \t]*\r?$|\Z)",
        r"(?:(?<=[=~(,])|(?<=\bif)|(?<=\bwhen)|(?<=\bunless))[ \t]{0,8}/(?:[^/\\\n]|\\[^\n]){1,400}/",
        _DOUBLE_LONG, _SINGLE_LONG,
    ),
    (
        _head("holder", r"(?:class|module)[ \t]+(?P<name>[\w:]+)"),
        _head(
            "function",
            r"(?:(?:private|protected|public|private_class_method)[ \t]+)?def[ \t]+(?P<name>(?:\w+\.)?[^\s(;#]{1,100})",
        ),
    ),
    end=re.compile(r"end\b"),
)  # fmt: skip
LUA: Final = Language(
    "lua", "ends",
    _quiet(
        r"(?:--\[(?P<deep>=*)\[(?:.*?)(?:\](?P=deep)\]|\Z)|--[^\n]*+)",
        r"\[(?P<level>=*)\[(?:.*?)(?:\](?P=level)\]|\Z)", _DOUBLE, _SINGLE,
    ),
    (
        _head("function", r"(?:local[ \t]+)?function[ \t]+(?P<name>[\w.:]+)[ \t]*\("),
        _head("function", r"(?:local[ \t]+)?(?P<name>[\w.]+)[ \t]*=[ \t]*function\b"),
    ),
    end=re.compile(r"end\b"),
)  # fmt: skip
SHELL: Final = Language(
    "shell", "ends",
    _quiet(
        r"\$?\(\((?:[^()]|\([^()]{0,200}\)){0,400}\)\)",
        r"(?<!<)<<-?(?!<)[ \t]*(?P<mark>[\"'\\]?)(?P<word>[A-Za-z_]\w*)(?P=mark)?[^\n]*\n"
        r"(?:.*?)(?:^[ \t]*(?P=word)[ \t]*$|\Z)",
        r"(?:(?<![^\s;&|(])#[^\n]*+)", r"\$'(?:[^'\\]++|\\.|(?!))*+(?:'|\Z)", r"'[^']*+(?:'|\Z)", _DOUBLE_LONG, r"\\.",
    ),
    (
        _head("function", r"(?:function[ \t]+)?(?P<name>[\w.:@-]+)[ \t]*\([ \t]*\)\s*(?:\{|\(|$)"),
        _head("function", r"function[ \t]+(?P<name>[\w.:@-]+)\s*(?:\{|\(|$)"),
    ),
    end=re.compile(r"[})]"),
)  # fmt: skip
_SQL_NAME: Final = r'(?:"[^"\n]{1,200}"|`[^`\n]{1,200}`|\[[^\]\n]{1,200}\]|[\w$#@]+)'
SQL: Final = Language(
    "sql", "statements",
    _quiet(
        r"(?:--[^\n]*+|/\*(?:[^*]++|\*(?!/)|(?!))*+(?:\*/|\Z))", r"'(?:[^']++|''|(?!))*+(?:'|\Z)",
        r"(?P<dollars>\$(?:[A-Za-z_]\w*)?\$)(?:.*?)(?:(?P=dollars)|\Z)",
    ),
    (
        _head(
            "function",
            r"^[ \t]*create\s+(?:or\s+(?:replace|alter)\s+)?(?:(?:global|local|temp|temporary|unlogged|external|virtual"
            r"|foreign|materialized|recursive|aggregate|constraint|editionable|noneditionable|definer\s*=\s*\S+)\s+)*"
            r"(?P<what>table|view|function|procedure|proc|trigger|type|domain|package(?:\s+body)?)\s+"
            rf"(?:if\s+not\s+exists\s+)?(?P<name>{_SQL_NAME}(?:\.{_SQL_NAME})*)",
            re.I | re.M,
        ),
    ),
)  # fmt: skip
LANGUAGES: Final = {
    one.source_type: one
    for one in (PYTHON, JAVASCRIPT, JAVA, C, CSHARP, GO, RUST, PHP, KOTLIN, SWIFT, RUBY, LUA, SHELL, SQL)
}
