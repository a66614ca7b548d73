"""The wing figures: a two-element profile with its terms, and the pressure field around one (a bitmap)."""

from math import atan, cos, pi, radians, sin, sqrt

from reportlab.lib.colors import Color
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from samples.flow_field import COLOURS, render_pressure_field
from samples.pencil import Point, dimension, extension, label, polygon, stroke
from samples.theme import GREY, INK, tint


def naca_profile(camber: float, position: float, thickness: float, steps: int = 48) -> list[Point]:
    """Outline of a NACA four-digit profile of unit chord, upper side first (NACA Report 460, 1933)."""
    upper: list[Point] = []
    lower: list[Point] = []
    for index in range(steps + 1):
        x = (1 - cos(pi * index / steps)) / 2
        half = 5 * thickness * (0.2969 * sqrt(x) - 0.126 * x - 0.3516 * x**2 + 0.2843 * x**3 - 0.1036 * x**4)
        run = position if x < position else 1 - position
        line = camber / run**2 * (2 * position * x - x**2 + (0 if x < position else 1 - 2 * position))
        slope = atan(2 * camber / run**2 * (position - x))
        upper.append((x - half * sin(slope), line + half * cos(slope)))
        lower.append((x + half * sin(slope), line - half * cos(slope)))
    return upper + lower[::-1]


def _placed(outline: list[Point], origin: Point, chord: float, degrees: float) -> list[Point]:
    turn = radians(degrees)
    return [
        (origin[0] + chord * (x * cos(turn) + y * sin(turn)), origin[1] + chord * (x * sin(turn) - y * cos(turn)))
        for x, y in outline
    ]


def draw_profile(canvas: Canvas, colour: Color, limits: dict[str, str]) -> None:
    """Main element and flap, inverted as on a car, with chord, thickness, gap and angle."""
    stroke(canvas, INK, 1)
    polygon(canvas, _placed(naca_profile(0.06, 0.4, 0.14), (90, 62), 210, 8), tint(colour, 0.22))
    polygon(canvas, _placed(naca_profile(0.07, 0.4, 0.13), (302, 101), 92, 26), tint(colour, 0.42))
    stroke(canvas, GREY, 0.6, (5, 2, 1, 2))
    canvas.line(90, 62, 90 + 240 * cos(radians(8)), 62 + 240 * sin(radians(8)))
    canvas.line(30, 62, 334, 62)
    label(canvas, 30, 52, "parallel to the", 7.4, "start", "Sans-Italic")
    label(canvas, 30, 43, "reference plane", 7.4, "start", "Sans-Italic")
    for x, y in ((90, 60), (298, 90)):
        extension(canvas, (x, y), (x, 8))
    dimension(canvas, (90, 13), (298, 13), "chord c of the main element")
    dimension(canvas, (158, 49), (155, 81), "")
    extension(canvas, (158, 49), (190, 36))
    label(canvas, 192, 33, f"thickness {limits['thickness']} of c", 7.8, "start")
    label(canvas, 310, 72, f"angle ≤ {limits['angle']}", 7.8, "start")
    extension(canvas, (302, 97), (346, 92))
    label(canvas, 349, 89, "gap 8–14", 7.8, "start")
    label(canvas, 70, 92, f"radius ≥ {limits['radius']}", 7.8)
    extension(canvas, (74, 89), (90, 66))
    label(canvas, 196, 104, "main element", 8.2, font="Sans-Bold")
    label(canvas, 336, 142, "flap", 8.2, "end", "Sans-Bold")


def draw_flow(canvas: Canvas, _colour: Color, _limits: dict[str, str]) -> None:
    """The bitmap with a scale of the pressure coefficient beside it."""
    canvas.drawImage(ImageReader(render_pressure_field()), 20, 0, 340, 170)
    stroke(canvas, GREY, 0.6)
    canvas.rect(20, 0, 340, 170)
    step = 150 / len(COLOURS)
    for index, shade in enumerate(COLOURS):
        canvas.setFillColor(Color(*(part / 255 for part in shade)))
        canvas.rect(376, 4 + index * step, 12, step + 0.3, stroke=0, fill=1)
    for value, share in (("−2.0", 0.0), ("−1.0", 1 / 3), ("0.0", 2 / 3), ("1.0", 1.0)):
        label(canvas, 393, 2 + share * 150, value, 7.8, "start")
    label(canvas, 382, 160, "Cp", 8.2, font="Sans-Italic")
