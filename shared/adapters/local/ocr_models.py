"""Where the bundled OCR models are. Apart from the engine, so that asking does not load onnxruntime."""

from importlib.metadata import version as package_version
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "rapidocr"
DETECTOR, RECOGNISER = "PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx"


def find_models() -> Path | None:
    """The folder of the bundled models, or None where they are not installed. Imports nothing of the package."""
    spec = find_spec(PACKAGE)
    folder = Path(spec.origin).parent / "models" if spec and spec.origin else None
    return folder if folder and (folder / DETECTOR).exists() and (folder / RECOGNISER).exists() else None


def models_version() -> str:
    return f"pp-ocrv6-small/{package_version(PACKAGE)}"
