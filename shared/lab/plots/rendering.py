"""Pictures of plots, drawn in this process by vl-convert: no browser, and no network.

The same drawing gives the same bytes: all text has one weight, as the fonts of a PDF come in any order, and what else a
page of it uses is put in order here. Text is set in Liberation Sans, which the renderer carries: one that it does not
find leaves no letters at all.
"""

import json
import re
from typing import Any, Final

from shared import telemetry
from shared.domain.plots import Drawing, FileForm, Theme
from shared.errors import BadInput
from shared.lab.plots.theme import config_of
from shared.values.locales import LANGUAGES, is_locale, signs_of

VEGA_LITE: Final = "6.4"
# Sharp where a picture of 560 points is shown twice as large.
SCALE: Final = 2.0
# The names of what a page of a PDF uses, a line each: graphics states of marks that can be seen through, for one.
_NAMED: Final = re.compile(rb"(?:\n +/[a-z]+\d+ \d+ 0 R){2,}")


def render(drawing: Drawing, form: FileForm, theme: Theme, locale: str | None) -> bytes:
    """`locale` as `de` or `pt-BR`; None: as in English. Raises BadInput for one that is not known."""
    if form == "json":
        whole = drawing.vega_lite | {"config": config_of(theme)}
        return json.dumps(whole, ensure_ascii=False, indent=2).encode()
    with telemetry.work("plot.render", dataset_id=drawing.dataset_id) as span:
        picture = _picture(drawing, form, theme, locale)
        span.note(bytes=len(picture))
        return picture


def _picture(drawing: Drawing, form: FileForm, theme: Theme, locale: str | None) -> bytes:
    import vl_convert

    options: dict[str, Any] = {
        "vl_version": VEGA_LITE,
        "config": config_of(theme),
        "allowed_base_urls": [],
        "format_locale": number_locale(locale),
    }
    if form == "svg":
        return vl_convert.vegalite_to_svg(drawing.vega_lite, **options).encode()
    if form == "png":
        return vl_convert.vegalite_to_png(drawing.vega_lite, scale=SCALE, **options)
    # In any order, each time another: sorted, no object moves, and the table of their places holds.
    pdf = vl_convert.vegalite_to_pdf(drawing.vega_lite, **options)
    return _NAMED.sub(lambda found: b"\n" + b"\n".join(sorted(found[0][1:].split(b"\n"))), pdf)


def number_locale(locale: str | None) -> dict[str, Any]:
    """As d3 wants it, with the signs that words about the plot have. Raises BadInput."""
    if locale is not None and not is_locale(locale):
        raise BadInput(f"Numbers are not written in the way of “{locale[:40]}”. Take one of: {', '.join(LANGUAGES)}.")
    signs = signs_of(locale)
    return {"decimal": signs.decimal, "thousands": signs.group, "grouping": [3], "currency": ["", ""]}
