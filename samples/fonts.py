"""Embeds two open typefaces, so that the samples look the same everywhere and every glyph maps to Unicode.

Source Serif and Source Sans (SIL Open Font License 1.1) come from the pip packages
`font-source-serif-pro` and `font-source-sans-pro`; the built PDFs carry only the glyphs they use.
"""

from importlib.util import find_spec
from pathlib import Path

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

_FACES = {
    "Serif": ("font_source_serif_pro", "SourceSerifPro-Regular.ttf"),
    "Serif-Bold": ("font_source_serif_pro", "SourceSerifPro-Semibold.ttf"),
    "Serif-Italic": ("font_source_serif_pro", "SourceSerifPro-It.ttf"),
    "Sans": ("font_source_sans_pro", "SourceSansPro-Regular.ttf"),
    "Sans-Bold": ("font_source_sans_pro", "SourceSansPro-Semibold.ttf"),
    "Sans-Italic": ("font_source_sans_pro", "SourceSansPro-It.ttf"),
    "Sans-Light": ("font_source_sans_pro", "SourceSansPro-Light.ttf"),
}


def register_fonts() -> None:
    """Register every face under a short name; raises ModuleNotFoundError naming the missing package."""
    for name, (package, file) in _FACES.items():
        pdfmetrics.registerFont(TTFont(name, str(_folder(package) / "files" / file)))
    pdfmetrics.registerFontFamily(
        "Serif", normal="Serif", bold="Serif-Bold", italic="Serif-Italic", boldItalic="Serif-Bold"
    )
    pdfmetrics.registerFontFamily("Sans", normal="Sans", bold="Sans-Bold", italic="Sans-Italic", boldItalic="Sans-Bold")


def _folder(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{package} is missing: install the development dependencies")
    return Path(spec.origin).parent
