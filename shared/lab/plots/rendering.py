"""Pictures of plots, drawn in this process by vl-convert: no browser, and no network.

The same drawing gives the same bytes: all text has one weight, as the fonts of a PDF come in any order. It is set in
Liberation Sans, which the renderer carries: one that it does not find leaves no letters at all.
"""

import json
from functools import cache
from typing import Any, Final

from shared import telemetry
from shared.domain.plots import Drawing, FileForm, Theme
from shared.errors import BadInput
from shared.lab.plots.theme import config_of

VEGA_LITE: Final = "6.4"
# Sharp where a picture of 560 points is shown twice as large.
SCALE: Final = 2.0
# Numbers as they are written where a language is spoken, by its first tag.
_LOCALES: Final = {
    "en": "en-US", "de": "de-DE", "fr": "fr-FR", "es": "es-ES", "it": "it-IT", "nl": "nl-NL", "pt": "pt-PT",
    "sv": "sv-SE", "da": "da-DK", "fi": "fi-FI", "pl": "pl-PL", "cs": "cs-CZ", "hu": "hu-HU", "ru": "ru-RU",
    "uk": "uk-UA", "ja": "ja-JP", "zh": "zh-CN", "ko": "ko-KR",
}  # fmt: skip


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
    return vl_convert.vegalite_to_pdf(drawing.vega_lite, **options)


def number_locale(locale: str | None) -> str:
    """The name of d3's locale for a language tag. Raises BadInput."""
    known = _known()
    given = locale or "en-US"
    found = given if given in known else _LOCALES.get(given.partition("-")[0])
    if found is None or found not in known:
        raise BadInput(
            f"Numbers are not written in the way of “{given[:40]}”. Take one of: {', '.join(sorted(_LOCALES))}."
        )
    return found


@cache
def _known() -> frozenset[str]:
    """Tags that the renderer has a locale of."""
    import vl_convert

    tags = {
        *_LOCALES.values(),
        "en-GB",
        "de-CH",
        "de-AT",
        "fr-CA",
        "es-MX",
        "pt-BR",
        "en-CA",
        "en-IN",
        "it-CH",
        "fr-CH",
    }
    return frozenset(one for one in tags if _has(vl_convert, one))


def _has(renderer: Any, tag: str) -> bool:
    try:
        renderer.get_format_locale(tag)
    except ValueError:
        return False
    return True
