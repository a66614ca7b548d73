"""The table of figures: what each name in the source draws, how high it is, and the limits it prints."""

from collections.abc import Callable

from reportlab.lib.colors import Color
from reportlab.pdfgen.canvas import Canvas

from samples.figures_car import draw_cockpit, draw_dimensions, draw_sound
from samples.figures_event import draw_flags, draw_protest, draw_site
from samples.figures_wing import draw_flow, draw_profile
from samples.flowables import Drawing
from samples.theme import TEXT_WIDTH

_DRAW: dict[str, tuple[float, Callable[[Canvas, Color, dict[str, str]], None]]] = {
    "flags": (150, draw_flags),
    "site": (172, draw_site),
    "dimensions": (142, draw_dimensions),
    "cockpit": (112, draw_cockpit),
    "sound": (116, draw_sound),
    "profile": (152, draw_profile),
    "flow": (174, draw_flow),
    "protest": (78, draw_protest),
}
_LIMITS = {
    "2025": {
        "length": "3,650",
        "height": "1,020",
        "clearance": "35",
        "feet": "80",
        "microphone": "300",
        "thickness": "12–18 %",
        "radius": "5",
        "angle": "14°",
        "protest": "30 min",
        "appeal": "4 days",
    },
    "2026": {
        "length": "3,600",
        "height": "1,000",
        "clearance": "40",
        "feet": "100",
        "microphone": "350",
        "thickness": "10–16 %",
        "radius": "8",
        "angle": "12°",
        "protest": "45 min",
        "appeal": "96 h",
    },
}


def make_figure(name: str, edition: str, colour: Color) -> Drawing:
    """The drawing as a flowable as wide as the text."""
    height, draw = _DRAW[name]
    return Drawing(TEXT_WIDTH, height, lambda canvas: draw(canvas, colour, _LIMITS[edition]))
