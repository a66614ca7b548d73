"""Computes the samples' one photograph-like bitmap: potential flow around a Joukowski profile.

The circle of radius R about c maps to the profile by w = z + 1/z; the circulation that lets the flow leave
the trailing edge smoothly is 4πR·sin(α + β) (Kutta condition; Anderson, Fundamentals of Aerodynamics, ch. 4).
"""

from cmath import exp, sqrt
from functools import cache
from math import asin, log, pi, radians, sin

from PIL import Image

WIDTH, HEIGHT = 680, 340
INCIDENCE = radians(6)
CENTRE = complex(-0.09, 0.12)
RADIUS = abs(1 - CENTRE)
CIRCULATION = 4 * pi * RADIUS * sin(INCIDENCE + asin(CENTRE.imag / RADIUS))
_STOPS = ((29, 52, 97), (64, 128, 176), (164, 205, 219), (243, 240, 228), (240, 178, 122), (196, 74, 58))
_BODY = (38, 42, 48)


def _palette(count: int = 30) -> list[tuple[int, int, int]]:
    colours: list[tuple[int, int, int]] = []
    for index in range(count):
        place = index / (count - 1) * (len(_STOPS) - 1)
        low = min(int(place), len(_STOPS) - 2)
        red, green, blue = (
            round(a + (b - a) * (place - low)) for a, b in zip(_STOPS[low], _STOPS[low + 1], strict=True)
        )
        colours.append((red, green, blue))
    return colours


COLOURS = _palette()


def pressure_and_stream(point: complex) -> tuple[float, float] | None:
    """Pressure coefficient and stream function at a point of the plane; None inside the profile."""
    root = sqrt(point * point - 4)
    z = max(((point + root) / 2, (point - root) / 2), key=lambda candidate: abs(candidate - CENTRE))
    offset = z - CENTRE
    if abs(offset) < RADIUS:
        return None
    turn = exp(-1j * INCIDENCE)
    speed = (turn - RADIUS**2 / (turn * offset**2) + 1j * CIRCULATION / (2 * pi * offset)) / (1 - 1 / z**2)
    stream = (turn * offset + RADIUS**2 / (turn * offset)).imag + CIRCULATION / (2 * pi) * log(abs(offset) / RADIUS)
    return 1 - abs(speed) ** 2, stream


@cache
def render_pressure_field() -> Image.Image:
    """An RGB image, 680 × 340 pixels: Cp from −2 to 1 in 30 bands, with streamlines."""
    image = Image.new("RGB", (WIDTH, HEIGHT))
    image.putdata([_colour(column, row) for row in range(HEIGHT) for column in range(WIDTH)])
    return image


def _colour(column: int, row: int) -> tuple[int, int, int]:
    found = pressure_and_stream(complex((column + 0.5 - WIDTH / 2) / 110, (HEIGHT / 2 - row - 0.5) / 110))
    if found is None:
        return _BODY
    pressure, stream = found
    band = int((min(max(pressure, -2.0), 0.999) + 2) / 3 * len(COLOURS))
    red, green, blue = COLOURS[band]
    fade = 0.78 if (stream / 0.17) % 1 < 0.09 else 1.0
    return round(red * fade), round(green * fade), round(blue * fade)
