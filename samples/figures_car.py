"""Figures of the car: dimensions, cockpit template and sound measurement, with the limits of the edition."""

from math import cos, pi, sin

from reportlab.lib.colors import Color, HexColor
from reportlab.pdfgen.canvas import Canvas

from samples.pencil import Point, arrow, dimension, extension, label, polygon, smooth, stroke
from samples.theme import GREY, INK, tint

_BODY = [
    (38, 62), (60, 72), (112, 80), (150, 88), (170, 98), (190, 100), (204, 92), (236, 92),
    (252, 104), (268, 122), (280, 124), (296, 106), (330, 94), (352, 84), (356, 64), (300, 58), (160, 56), (70, 57),
]  # fmt: skip


def draw_dimensions(canvas: Canvas, colour: Color, limits: dict[str, str]) -> None:
    """Side view with overall length, wheelbase, height and front overhang."""
    _car(canvas, colour)
    stroke(canvas, GREY, 0.6, (5, 2, 1, 2))
    canvas.line(12, 58, 446, 58)
    label(canvas, 452, 47, "reference plane", 7.6, "end", "Sans-Italic")
    stroke(canvas, INK, 0.9)
    canvas.line(12, 38, 428, 38)
    for x, y in ((30, 60), (96, 56), (330, 56), (374, 70)):
        extension(canvas, (x, y), (x, 4 if x in (30, 374) else 18))
    dimension(canvas, (96, 22), (330, 22), "wheelbase 1,950 to 2,250")
    dimension(canvas, (30, 7), (374, 7), f"overall length ≤ {limits['length']}")
    dimension(canvas, (30, 22), (96, 22), "≤ 780")
    dimension(canvas, (330, 22), (374, 22), "≤ 420")
    extension(canvas, (280, 124), (404, 124))
    dimension(canvas, (398, 58), (398, 124), f"≤ {limits['height']}")
    dimension(canvas, (200, 38), (200, 57), f"≥ {limits['clearance']}")


def _car(canvas: Canvas, colour: Color) -> None:
    stroke(canvas, INK, 1)
    polygon(canvas, smooth(_BODY), tint(colour, 0.16))
    polygon(canvas, [(30, 52), (64, 56), (64, 60), (30, 58)], tint(colour, 0.6))
    polygon(canvas, [(344, 92), (374, 104), (374, 110), (342, 98)], tint(colour, 0.6))
    polygon(canvas, [(352, 66), (372, 66), (374, 100), (346, 94)], tint(colour, 0.3))
    stroke(canvas, INK, 2.2)
    canvas.bezier(252, 92, 262, 128, 284, 130, 292, 96)
    stroke(canvas, INK, 1)
    for x in (96, 330):
        canvas.setFillColor(HexColor("#3A4048"))
        canvas.circle(x, 58, 20, stroke=1, fill=1)
        canvas.setFillColor(HexColor("#E4E7EA"))
        canvas.circle(x, 58, 11, stroke=1, fill=1)
    canvas.setFillColor(tint(colour, 0.85))
    canvas.circle(228, 106, 10, stroke=1, fill=1)


def draw_cockpit(canvas: Canvas, colour: Color, limits: dict[str, str]) -> None:
    """Plan of the cockpit opening template, and the distance of the feet from the front axle."""
    canvas.translate(20, -14)
    outline: list[Point] = [(150, 62), (150, 88), (196, 100), (246, 104), (286, 104), (286, 46), (246, 46), (196, 50)]
    stroke(canvas, INK, 1)
    polygon(canvas, outline, tint(colour, 0.18))
    stroke(canvas, GREY, 0.6, (5, 2, 1, 2))
    canvas.line(20, 75, 400, 75)
    label(canvas, 400, 78, "centre plane", 7.6, "end", "Sans-Italic")
    stroke(canvas, INK, 1.2)
    canvas.line(50, 30, 50, 122)
    label(canvas, 46, 114, "front axle", 7.8, "end")
    canvas.setFillColor(tint(colour, 0.7))
    for y in (64, 80):
        canvas.roundRect(84, y, 26, 8, 4, stroke=1, fill=1)
    dimension(canvas, (50, 106), (84, 106), f"≥ {limits['feet']}")
    extension(canvas, (84, 88), (84, 112))
    for x, y in ((150, 62), (286, 46)):
        extension(canvas, (x, y), (x, 18))
    dimension(canvas, (150, 24), (286, 24), "600")
    extension(canvas, (286, 104), (322, 104))
    extension(canvas, (286, 46), (322, 46))
    dimension(canvas, (314, 46), (314, 104), "")
    label(canvas, 319, 86, "450", 7.8, "start")
    label(canvas, 226, 84, "template", 8.2, font="Sans-Bold")
    label(canvas, 97, 54, "soles", 7.8)


def draw_sound(canvas: Canvas, colour: Color, limits: dict[str, str]) -> None:
    """Plan of the microphone at 45° to the outlet."""
    canvas.translate(60, -22)
    stroke(canvas, INK, 1)
    polygon(canvas, smooth([(30, 60), (120, 88), (200, 92), (206, 60), (200, 30), (120, 34)]), tint(colour, 0.16))
    canvas.setFillColor(HexColor("#3A4048"))
    canvas.roundRect(204, 55, 26, 10, 3, stroke=1, fill=1)
    stroke(canvas, GREY, 0.6, (5, 2, 1, 2))
    canvas.line(230, 60, 372, 60)
    end = (230 + 92 * cos(pi / 4), 60 + 92 * sin(pi / 4))
    stroke(canvas, INK, 0.8)
    canvas.line(230, 60, *end)
    canvas.setFillColor(INK)
    arrow(canvas, (230, 60), end)
    canvas.setFillColor(tint(colour, 0.8))
    canvas.circle(end[0] + 5, end[1] + 5, 6, stroke=1, fill=1)
    label(canvas, end[0] + 16, end[1] + 3, f"microphone, ≥ {limits['microphone']} above ground", 7.8, "start")
    canvas.arc(200, 30, 260, 90, 0, 45)
    label(canvas, 266, 69, "45°", 7.8, "start")
    label(canvas, 258, 100, "500", 7.8, "end")
    label(canvas, 217, 44, "outlet", 7.8)
