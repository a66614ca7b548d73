"""Writes the code that draws plots in the browser: Vega, Vega-Lite and vega-embed as one ES module.

It is other people's (BSD-3-Clause), so it is not kept with ours: vl-convert carries their sources and bundles them
without a network, the same bytes for the same version. `make setup` calls this; the file is served and deployed with
the other static files, whose address changes with it.
"""

from pathlib import Path
from typing import Final

from shared.lab.plots.rendering import VEGA_LITE

TARGET: Final = Path(__file__).parent / "static" / "js" / "vendor" / "vega.js"
_NOTICE: Final = (
    "/*! Vega, Vega-Lite, vega-embed and vega-tooltip: Copyright University of Washington Interactive Data Lab, "
    "BSD-3-Clause; D3: Copyright Mike Bostock, ISC. Bundled by vl-convert. */\n"
)


def write_bundle() -> Path:
    """Where it is now. An older one is replaced as a whole."""
    import vl_convert

    code = vl_convert.javascript_bundle("export { vegaEmbed };", vl_version=VEGA_LITE)
    TARGET.parent.mkdir(exist_ok=True)
    partial = TARGET.with_suffix(".partial")
    partial.write_text(_NOTICE + code, encoding="utf-8")
    return partial.replace(TARGET)


if __name__ == "__main__":
    write_bundle()
