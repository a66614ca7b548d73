"""A bundle as a PDF."""

import re
from typing import Final

from shared.lab.bundles.content import Content
from shared.lab.bundles.page import body_of

# The layout puts the signs of list items that stand on the next page anywhere: they are written as words instead.
STYLE: Final = """
body { font-family: sans-serif; font-size: 10pt; }
h1 { font-size: 18pt; } h2 { font-size: 14pt; } h3 { font-size: 11.5pt; }
ol, ul { list-style-type: none; }
.lead, .cell-note, .place, .box, .gone { color: #5c6473; font-size: 8.5pt; }
.citation { color: #8a5200; font-size: 8pt; font-weight: bold; text-decoration: none; }
blockquote { margin-left: 12pt; } pre { font-size: 8.5pt; } td, th { font-size: 8.5pt; padding: 2pt 5pt; }
"""
_LISTS: Final = re.compile(r'<(/?)(ol|ul)( start="(\d+)")?>|<li>')


def printed(content: Content) -> bytes:
    from shared.readers.pdf.printing import print_html

    return print_html(with_signs(str(body_of(content))), STYLE, content.title, content.made_at)


def with_signs(html: str) -> str:
    """Items of lists begin with their number, or with a bullet; those of the sources, which have one, stay."""
    lists = list[int | None]()

    def replaced(found: re.Match[str]) -> str:
        if found[0] == "<li>":
            number = lists[-1] if lists else None
            if number is None:
                return "<li>• "
            lists[-1] = number + 1
            return f"<li>{number}. "
        if found[1]:
            del lists[-1:]
        else:
            lists.append(int(found[4] or 1) if found[2] == "ol" else None)
        return found[0]

    return _LISTS.sub(replaced, html)
