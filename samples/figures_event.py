"""Figures of the event: flag signals, circuit plan and the course of a protest."""

from reportlab.lib.colors import Color, HexColor
from reportlab.pdfgen.canvas import Canvas

from samples.pencil import Point, arrow, label, polygon, smooth, stroke
from samples.theme import GREY, HAIR, INK, tint

_FLAGS = (
    ("yellow", "#F4C62B", "danger, no overtaking"),
    ("green", "#3C9A5F", "all clear"),
    ("blue", "#2F6DB5", "being lapped"),
    ("red", "#C43D33", "session stopped"),
    ("white", "#FFFFFF", "slow vehicle"),
    ("black", "#22262B", "return to the pits"),
    ("yellow and red", "#F4C62B", "slippery surface"),
    ("chequered", "#FFFFFF", "end of session"),
)
_TRACK: list[Point] = [
    (60, 36), (190, 28), (300, 30), (380, 44), (404, 84), (366, 112), (300, 96),
    (262, 122), (224, 146), (160, 138), (140, 104), (96, 112), (52, 128), (26, 92), (30, 54),
]  # fmt: skip
_STEPS = (
    "Provisional results",
    "Protest lodged on form P1",
    "Hearing of both parties",
    "Decision of the stewards",
    "Appeal panel",
)


def draw_flags(canvas: Canvas, _colour: Color, _limits: dict[str, str]) -> None:
    """Eight flags in two rows, each with name and meaning."""
    for index, (name, shade, meaning) in enumerate(_FLAGS):
        x, y = 14 + (index % 4) * 108, 104 - (index // 4) * 76
        _flag(canvas, x, y, name, HexColor(shade))
        label(canvas, x + 36, y - 11, name, 8.4, font="Sans-Bold")
        label(canvas, x + 36, y - 21, meaning, 7.8)


def _flag(canvas: Canvas, x: float, y: float, name: str, shade: Color) -> None:
    stroke(canvas, INK, 1.4)
    canvas.line(x + 14, y, x + 14, y + 42)
    stroke(canvas, GREY, 0.7)
    canvas.setFillColor(shade)
    canvas.rect(x + 15, y + 12, 46, 30, fill=1)
    canvas.setFillColor(HexColor("#C43D33") if name == "yellow and red" else HexColor("#22262B"))
    if name == "yellow and red":
        for stripe in range(0, 46, 12):
            canvas.rect(x + 15 + stripe, y + 12, 5, 30, stroke=0, fill=1)
    if name == "chequered":
        for cell in range(24):
            column, row = cell % 6, cell // 6
            if (column + row) % 2:
                canvas.rect(x + 15 + column * 46 / 6, y + 12 + row * 7.5, 46 / 6, 7.5, stroke=0, fill=1)


def draw_site(canvas: Canvas, colour: Color, _limits: dict[str, str]) -> None:
    """A closed circuit with pit lane, nine marshal posts, parc fermé and start line."""
    curve = smooth(_TRACK)
    for shade, width in ((tint(INK, 0.55), 13), (tint(INK, 0.12), 11)):
        stroke(canvas, shade, width)
        canvas.setLineJoin(1)
        polygon(canvas, curve, None, shade)
    _pit_lane(canvas, colour)
    for number, index in enumerate(range(10, len(curve), 24), start=1):
        x, y = curve[index]
        canvas.setFillColor(colour)
        canvas.circle(x, y + 13, 5.6, stroke=0, fill=1)
        canvas.setFillColor(HexColor("#FFFFFF"))
        canvas.setFont("Sans-Bold", 7)
        canvas.drawCentredString(x, y + 10.6, str(number))
    stroke(canvas, INK, 2.4)
    canvas.line(236, 20, 236, 36)
    label(canvas, 236, 42, "start and finish", 7.8)
    stroke(canvas, INK, 0.8)
    canvas.setFillColor(INK)
    canvas.line(290, 50, 326, 53)
    arrow(canvas, (290, 50), (326, 53))


def _pit_lane(canvas: Canvas, colour: Color) -> None:
    stroke(canvas, tint(INK, 0.4), 5)
    canvas.bezier(92, 30, 120, 8, 140, 8, 160, 8)
    canvas.line(160, 8, 296, 8)
    canvas.bezier(296, 8, 318, 8, 336, 18, 350, 34)
    label(canvas, 110, 0, "pit entry", 7.4, "end")
    label(canvas, 338, 2, "pit exit", 7.4, "start")
    canvas.setFillColor(tint(colour, 0.3))
    stroke(canvas, INK, 0.6)
    canvas.rect(404, 14, 46, 26, fill=1)
    label(canvas, 427, 29, "parc", 7.4)
    label(canvas, 427, 20, "fermé", 7.4)
    label(canvas, 200, 13, "pit lane", 7.4, font="Sans-Italic")


def draw_protest(canvas: Canvas, colour: Color, limits: dict[str, str]) -> None:
    """Five boxes from results to appeal, with the time allowed for each step."""
    times = (limits["protest"], "without delay", "same event", limits["appeal"])
    for index, text in enumerate(_STEPS):
        x = 2 + index * 92
        canvas.setFillColor(tint(colour, 0.1 + 0.08 * index))
        stroke(canvas, HAIR, 0.7)
        canvas.roundRect(x, 26, 74, 44, 4, fill=1)
        for line, words in enumerate(_two_lines(text)):
            label(canvas, x + 37, 50 - 11 * line, words, 8)
        if index < len(times):
            stroke(canvas, INK, 0.8)
            canvas.setFillColor(INK)
            canvas.line(x + 75, 48, x + 90, 48)
            arrow(canvas, (x + 75, 48), (x + 91, 48))
            label(canvas, x + 83, 10, times[index], 7.6, font="Sans-Italic")


def _two_lines(text: str) -> list[str]:
    words = text.split()
    half = (len(words) + 1) // 2
    return [" ".join(words[:half]), " ".join(words[half:])]
