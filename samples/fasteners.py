"""Tightening torques of the rule book's longest table, computed rather than typed.

Stress areas are those of ISO 898-1 table 4/5, proof stresses of its table 3 (8.8 up to M16: 580; 10.9: 830;
12.9: 970 N/mm²). Torque = K·d·0.75·proof load with the nut factor K ≈ 1.33 µ (VDI 2230, simplified).
"""

_SIZES = {
    "M5": (5, 0.8, 14.2), "M6": (6, 1.0, 20.1), "M8": (8, 1.25, 36.6), "M8 × 1": (8, 1.0, 39.2),
    "M10": (10, 1.5, 58.0), "M10 × 1.25": (10, 1.25, 61.2), "M12": (12, 1.75, 84.3), "M12 × 1.25": (12, 1.25, 92.1),
    "M14": (14, 2.0, 115.0), "M14 × 1.5": (14, 1.5, 125.0), "M16": (16, 2.0, 157.0), "M16 × 1.5": (16, 1.5, 167.0),
}  # fmt: skip
_PROOF = {"8.8": 580, "10.9": 830, "12.9": 970}
_FRICTION = {"2025": 0.14, "2026": 0.12}
HEADS = ["Thread", "Class", "Pitch (mm)", "Stress area (mm²)", "Proof load (kN)", "Torque (N m)", "Engagement (mm)"]
WIDTHS = [74, 46, 55, 72, 66, 66, 76]
CAPTION = "Tightening torque of critical fasteners"


def fastener_rows(edition: str) -> list[list[str]]:
    """Thirty-six rows: each thread in three strength classes."""
    return [_row(thread, strength, edition) for thread in _SIZES for strength in _PROOF]


def _row(thread: str, strength: str, edition: str) -> list[str]:
    diameter, pitch, area = _SIZES[thread]
    load = area * _PROOF[strength] / 1000
    torque = 1.33 * _FRICTION[edition] * diameter * 0.75 * load
    engagement = diameter * {"8.8": 1.0, "10.9": 1.1, "12.9": 1.25}[strength]
    return [thread, strength, f"{pitch:.2f}", f"{area:.1f}", f"{load:.1f}", f"{torque:.1f}", f"{engagement:.1f}"]
