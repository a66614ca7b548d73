"""A few strokes of technical drawing (dimension lines, labels, smooth curves) that the figures share."""

from collections.abc import Sequence
from math import atan2, cos, pi, sin

from reportlab.lib.colors import Color
from reportlab.pdfgen.canvas import Canvas

from samples.theme import GREY, INK

Point = tuple[float, float]


def label(
    canvas: Canvas, x: float, y: float, text: str, size: float = 8.2, anchor: str = "middle", font: str = "Sans"
) -> None:
    """Text centred on, starting or ending at x; y is the baseline."""
    canvas.setFillColor(INK)
    canvas.setFont(font, size)
    draw = {"middle": canvas.drawCentredString, "start": canvas.drawString, "end": canvas.drawRightString}[anchor]
    draw(x, y, text)


def stroke(canvas: Canvas, colour: Color = INK, width: float = 1.0, dash: Sequence[float] = ()) -> None:
    """Set pen colour, width and dash pattern."""
    canvas.setStrokeColor(colour)
    canvas.setLineWidth(width)
    canvas.setDash(list(dash))


def arrow(canvas: Canvas, start: Point, end: Point, size: float = 4.2) -> None:
    """A filled arrow head at `end`, pointing away from `start`."""
    angle = atan2(end[1] - start[1], end[0] - start[0])
    path = canvas.beginPath()
    path.moveTo(*end)
    for side in (-1, 1):
        path.lineTo(end[0] - size * cos(angle + side * pi / 9), end[1] - size * sin(angle + side * pi / 9))
    path.close()
    canvas.drawPath(path, stroke=0, fill=1)


def dimension(canvas: Canvas, start: Point, end: Point, text: str, gap: float = 3.5) -> None:
    """A dimension line with two arrows; the text stands above it, or to its right where it is vertical."""
    stroke(canvas, GREY, 0.6)
    canvas.setFillColor(GREY)
    canvas.line(*start, *end)
    arrow(canvas, start, end)
    arrow(canvas, end, start)
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    if abs(end[0] - start[0]) > abs(end[1] - start[1]):
        label(canvas, x, y + gap, text, 7.8)
    else:
        label(canvas, x + gap + 1, y - 2.6, text, 7.8, "start")


def extension(canvas: Canvas, start: Point, end: Point) -> None:
    """The thin line that carries a measured point to its dimension line."""
    stroke(canvas, GREY, 0.4)
    canvas.line(*start, *end)


def polygon(canvas: Canvas, points: Sequence[Point], fill: Color | None = None, line: Color | None = INK) -> None:
    """A closed outline through `points`."""
    path = canvas.beginPath()
    path.moveTo(*points[0])
    for point in points[1:]:
        path.lineTo(*point)
    path.close()
    if fill:
        canvas.setFillColor(fill)
    if line:
        canvas.setStrokeColor(line)
    canvas.drawPath(path, stroke=int(line is not None), fill=int(fill is not None))


def smooth(points: Sequence[Point], steps: int = 14) -> list[Point]:
    """A closed Catmull–Rom curve through `points`, sampled."""
    curve: list[Point] = []
    count = len(points)
    for index in range(count):
        p0, p1, p2, p3 = (points[(index + offset) % count] for offset in (-1, 0, 1, 2))
        curve += [_spline(p0, p1, p2, p3, step / steps) for step in range(steps)]
    return curve


def _spline(p0: Point, p1: Point, p2: Point, p3: Point, t: float) -> Point:
    def axis(a: float, b: float, c: float, d: float) -> float:
        return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)

    return axis(p0[0], p1[0], p2[0], p3[0]), axis(p0[1], p1[1], p2[1], p3[1])
