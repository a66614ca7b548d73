"""The two machines on the first page of the price list, drawn rather than photographed."""

from reportlab.lib.colors import Color, HexColor
from reportlab.pdfgen.canvas import Canvas

from samples.pencil import stroke
from samples.theme import INK, tint


def draw_machine(canvas: Canvas, colour: Color, kind: int) -> None:
    """A compact cabinet (kind 0) or a wide one on a receiver (kind 1), within 150 × 130 points."""
    low = 12 if kind == 0 else 44
    if kind:
        _receiver(canvas)
    width = 92 if kind == 0 else 128
    left = 26 if kind == 0 else 12
    stroke(canvas, INK, 1)
    canvas.setFillColor(tint(colour, 0.85))
    canvas.roundRect(left, low, width, 104 if kind == 0 else 78, 6, fill=1)
    canvas.setFillColor(HexColor("#F3F5F6"))
    canvas.rect(left + 10, low + 10, width * 0.5, 30, fill=1)
    stroke(canvas, tint(INK, 0.5), 0.8)
    for slat in range(5):
        canvas.line(left + 14, low + 14 + slat * 5.5, left + 6 + width * 0.5, low + 14 + slat * 5.5)
    canvas.setFillColor(HexColor("#1C2A2A"))
    canvas.roundRect(left + width - 36, low + (72 if kind == 0 else 48), 26, 18, 2, stroke=0, fill=1)
    canvas.setFillColor(HexColor("#7FD6B4"))
    canvas.rect(left + width - 33, low + (78 if kind == 0 else 54), 14, 8, stroke=0, fill=1)
    canvas.setFillColor(HexColor("#E2574C"))
    canvas.circle(left + width - 22, low + 40, 4, stroke=0, fill=1)


def _receiver(canvas: Canvas) -> None:
    stroke(canvas, INK, 1)
    canvas.setFillColor(HexColor("#D5DADD"))
    canvas.roundRect(4, 12, 144, 30, 15, fill=1)
    canvas.setFillColor(INK)
    for x in (28, 112):
        canvas.rect(x, 4, 12, 9, stroke=0, fill=1)
