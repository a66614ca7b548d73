"""How plots look, in both themes: the colours of `static/css/tokens.css`, and series that all readers tell apart.

The eight series were chosen from candidates with 3:1 on their ground, so that the two nearest to each other are as far
apart as can be, as protan, deutan and tritan readers see them too: 15 in light, 13 in dark (CIELAB). A test holds
them there.
"""

from typing import Any, Final

from shared.domain.plots import Theme

# The fonts of the pages are no files that the renderer reads; it carries this one, which has the widths of Arial.
FONT: Final = "Liberation Sans, Arial, Helvetica, sans-serif"
SERIES: Final[dict[Theme, tuple[str, ...]]] = {
    "light": ("#0072b2", "#c77700", "#7a1f1f", "#2e9e6b", "#c23b22", "#444c5a", "#004a80", "#1a1e26"),
    "dark": ("#5bb4ea", "#f0e442", "#e39ac6", "#8fbf3f", "#d95f8c", "#ff8f86", "#3a8fd0", "#ffffff"),
}
COLOURS: Final[dict[Theme, dict[str, str]]] = {
    "light": {
        "ground": "#fcfcfd", "ink": "#1a1e26", "ink-2": "#444c5a", "ink-3": "#5c6473",
        "line": "#dde0e5", "line-strong": "#c3c8d0",
    },
    "dark": {
        "ground": "#1a1d23", "ink": "#e6e8ec", "ink-2": "#bcc3ce", "ink-3": "#98a1b0",
        "line": "#2a2e37", "line-strong": "#444b58",
    },
}  # fmt: skip


def config_of(theme: Theme) -> dict[str, Any]:
    """Vega-Lite's `config`."""
    of, series = COLOURS[theme], SERIES[theme]
    text = {"labelColor": of["ink-3"], "titleColor": of["ink-2"], "labelFontSize": 12, "titleFontSize": 12}
    return {
        "background": of["ground"],
        "font": FONT,
        "padding": 12,
        "view": {"stroke": None},
        "title": {"color": of["ink"], "fontSize": 15, "fontWeight": "normal", "anchor": "start", "offset": 12},
        "axis": {
            **text,
            "titleFontWeight": "normal",
            "domainColor": of["line-strong"],
            "tickColor": of["line-strong"],
            "gridColor": of["line"],
            "labelLimit": 160,
            "titleLimit": 360,
        },
        "axisBand": {"grid": False},
        "legend": {**text, "titleFontWeight": "normal", "labelLimit": 180, "titleLimit": 180},
        "header": {
            "titleFontWeight": "normal",
            "labelColor": of["ink-2"],
            "titleColor": of["ink-2"],
            "labelFontSize": 12,
            "titleFontSize": 12,
        },
        "range": {"category": list(series), "heatmap": {"scheme": "cividis"}, "ramp": {"scheme": "cividis"}},
        "mark": {"color": series[0], "tooltip": None},
        "bar": {"discreteBandSize": {"band": 0.8}},
        "point": {"filled": True, "size": 50, "opacity": 0.8},
        "circle": {"size": 50, "opacity": 0.8},
        "line": {"strokeWidth": 2},
        "area": {"opacity": 0.75},
        "arc": {"stroke": of["ground"], "strokeWidth": 1.5},
        "text": {"color": of["ink-2"], "fontSize": 12},
        "rule": {"color": of["ink-2"]},
        "tick": {"thickness": 1.5},
        # The ends of error bars.
        "style": {"cap": {"color": of["ink-2"]}},
    }
