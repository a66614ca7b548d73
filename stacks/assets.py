"""The code asset and the layers, built with uv for the target platform: without Docker, and never the same content
twice.

Builds are in `build/lambda/`, each in a folder named by a hash of its inputs. Layers contain compiled `.pyc` files that
are never checked against their source (`unchecked-hash`): /opt is read-only in Lambda, and imports from source are 3-10
times slower. Compiling needs the runtime's own Python version; without it layers contain source only.
"""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Final, Literal

from shared.contract import PACKED_SUFFIX

ROOT: Final = Path(__file__).resolve().parent.parent
BUILD: Final = ROOT / "build" / "lambda"
MIGRATIONS: Final = ROOT / "shared" / "store" / "migrations"
RUNTIME_VERSION: Final = "3.13"
# Lambda's Python 3.13 runs on Amazon Linux 2023 (glibc 2.34).
TARGET_PLATFORM: Final = "aarch64-manylinux_2_28"
# Unzipped megabytes. Lambda's own limit for code and layers together is 250.
BUDGETS_MB: Final[dict[str, float]] = {"core": 29, "vectors": 44, "documents": 108, "signin": 16, "web": 20, "lab": 40}
CODE_BUDGET_MB: Final = 18
LIMIT_MB: Final = 250
# How the lab's layer holds its packages: by this preset of xz, which takes a minute of a core to pack and seconds of
# one for each process that imports them, or as they are.
SMALLEST: Final = 6
PLAIN: Final = None
Effort = Literal[6] | None

_BUILD_VERSION: Final = "7"
# Packages that a layer has compressed, by the name that is imported (functions/packed.py): unpacked they do not fit
# beside what the application imports. The pattern is of what belongs to each.
_PACKED: Final[dict[str, dict[str, str]]] = {
    "lab": {"cryptography": "cryptography*", "duckdb": "*duckdb*", "vl_convert": "vl_convert*"}
}
# Never imported at run time; `mupdf-devel` is C++ headers, `fitz` PyMuPDF's old name.
_WASTE_FOLDERS: Final = {
    "__pycache__",
    "tests",
    "test",
    "bin",
    "mupdf-devel",
    "include",
    "fitz",
    "f2py",
    "_pyinstaller",
}
_WASTE_SUFFIXES: Final = {".pyi", ".c", ".h", ".pxd", ".pyx", ".a", ".lib", ".pdb"}
# Parts that no handler imports: Powertools beside its logger (4 MB), Pillow's codec of AVIF (10 MB).
_UNUSED: Final = (
    "aws_lambda_powertools/event_handler",
    *(
        f"aws_lambda_powertools/utilities/{name}"
        for name in (
            *("auth_alpha", "batch", "circuit_breaker", "data_classes", "data_masking", "feature_flags"),
            *("idempotency", "kafka", "parameters", "parser", "streaming", "validation"),
        )
    ),
    # What it was for Python 2, which does not compile.
    "olefile/olefile2.py",
    *(f"PIL/{name}.*.so" for name in ("_avif", "_imagingft", "_imagingcms", "_imagingtk")),
    *(
        f"pillow.libs/{name}-*"
        for name in ("libavif", "libfreetype", "libharfbuzz", "liblcms2", "libbrotlicommon", "libbrotlidec")
    ),
)
_CODE_FOLDERS: Final = ("functions", "shared")
# What draws plots in the browser; `make setup` bundles it.
_BUNDLED: Final = "functions/api/static/js/vendor/vega.js"
# What one machine alone has: its command line, its server, its Postgres and its models.
_CODE_WASTE: Final = {
    *("__pycache__", "cli", "local.py", "http_server.py", "samples.py"),
    *("postgres.py", "postgres_account.py", "postgres_keeper.py"),
    *("onnx_embedder.py", "onnx_folder.py", "onnx_sessions.py", "minilm_graph.py"),
    *("ocr_detect.py", "ocr_onnx.py", "ocr_recognise.py"),
}


def build_layer(name: str, platform: str = TARGET_PLATFORM, effort: Effort = SMALLEST) -> Path:
    """The layer's folder, `python/` and certificates inside, built once per content of its requirements.

    `effort` is xz's preset for what the layer has compressed; PLAIN leaves it as it is, in archives of the same names.
    """
    requirements = ROOT / "layers" / name / "requirements.txt"
    files = sorted((ROOT / "layers" / name).glob("*.pem"))
    python = find_python()
    contents = [f.read_bytes() for f in (requirements, *files)]
    packing = b"plain" if effort is None else bytes([effort])
    ingredients = (*contents, platform.encode(), str(python is not None).encode(), packing)
    folder = BUILD / f"{name}-{platform}-{_digest(ingredients)}"

    def fill(target: Path) -> None:
        install(requirements, target / "python", platform, RUNTIME_VERSION)
        for file in files:
            shutil.copyfile(file, target / file.name)
        _compile(target / "python", python)
        for package, pattern in _PACKED.get(name, {}).items():
            _pack(target / "python", package, pattern, effort)

    return _build_once(folder, fill)


def build_code() -> Path:
    """The application's own modules, templates and SQL: what every function unpacks."""
    if not (ROOT / _BUNDLED).is_file():
        raise RuntimeError(f"{_BUNDLED} is missing. Run `make setup`.")
    files = sorted(_code_files())
    ingredients = (part for f in files for part in (str(f).encode(), (ROOT / f).read_bytes()))
    folder = BUILD / f"code-{_digest(ingredients)}"

    def fill(target: Path) -> None:
        for file in files:
            (target / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, target / file)
        _compile(target, find_python())

    return _build_once(folder, fill)


def zip_folder(folder: Path) -> Path:
    """`folder` as a zip beside it, the same bytes for the same content."""
    archive = folder.with_suffix(".zip")
    if not archive.exists():
        partial = archive.with_suffix(f".{os.getpid()}.partial")
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as output:
            for file in sorted(f for f in folder.rglob("*") if f.is_file()):
                info = zipfile.ZipInfo(str(file.relative_to(folder)), (1980, 1, 1, 0, 0, 0))
                info.external_attr = (0o755 if os.access(file, os.X_OK) else 0o644) << 16
                output.writestr(info, file.read_bytes(), zipfile.ZIP_DEFLATED)
        partial.replace(archive)
    return archive


def install(requirements: Path, target: Path, platform: str, version: str) -> None:
    """Install exactly the pinned and hashed wheels, then remove what no program imports."""
    run_uv(
        *("pip", "install", "--quiet", "--no-deps", "--require-hashes", "--only-binary", ":all:"),
        *("--target", str(target), "--python-platform", platform, "--python-version", version),
        *("-r", str(requirements)),
    )
    remove_waste(target)


def run_uv(*arguments: str) -> None:
    """Run uv from beside this interpreter, else from PATH; its complaint is the error's text."""
    beside = Path(sys.executable).parent / "uv"
    command = str(beside) if beside.exists() else shutil.which("uv")
    if command is None:
        raise RuntimeError("uv is missing. Run `make setup`.")
    done = subprocess.run([command, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"uv {' '.join(arguments[:2])} failed: {done.stderr.strip()}")


def remove_waste(folder: Path) -> None:
    """Delete tests, headers, stubs and caches: a third of the size."""
    for part in (found for pattern in _UNUSED for found in folder.glob(pattern)):
        shutil.rmtree(part) if part.is_dir() else part.unlink()
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and path.name in _WASTE_FOLDERS:
            shutil.rmtree(path)
        elif path.is_file() and path.suffix in _WASTE_SUFFIXES:
            path.unlink()


@cache
def find_python(version: str = RUNTIME_VERSION) -> Path | None:
    """An interpreter of the runtime's version on this machine: on PATH, or one of pyenv's."""
    pyenv = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}*/bin/python{version}"))
    on_path = shutil.which(f"python{version}")
    for candidate in [*pyenv, *([Path(on_path)] if on_path else [])]:
        done = subprocess.run([candidate, "-c", "import ctypes, ssl"], capture_output=True, check=False)
        if done.returncode == 0:
            return candidate
    return None


def size_mb(folder: Path) -> float:
    """Bytes of all files, in megabytes of 2**20."""
    return sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()) / 2**20


def _pack(folder: Path, package: str, pattern: str, effort: Effort) -> None:
    """Puts what matches into an archive of the package's name, in its place."""

    def plain(info: tarfile.TarInfo) -> tarfile.TarInfo:
        info.mtime = info.uid = info.gid = 0
        info.uname = info.gname = ""
        return info

    parts = sorted(folder.glob(pattern))
    packed = folder / f"{package}{PACKED_SUFFIX}"
    with tarfile.open(packed, "x") if effort is None else tarfile.open(packed, "x:xz", preset=effort) as archive:
        for part in parts:
            archive.add(part, part.name, filter=plain)
    for part in parts:
        shutil.rmtree(part) if part.is_dir() else part.unlink()


def _compile(folder: Path, python: Path | None) -> None:
    if python is None:
        print(f"No Python {RUNTIME_VERSION} here: {folder.parent.name} is built without .pyc files.", file=sys.stderr)
        return
    # Without the folder's own path in each file: it is another for each build.
    options = ["-q", "-j", "2", "-s", folder, "--invalidation-mode", "unchecked-hash"]
    subprocess.run([python, "-m", "compileall", *options, folder], check=True, capture_output=True)


def _build_once(folder: Path, fill: Callable[[Path], None]) -> Path:
    """Builds in a temporary folder and renames it, so that a failed build leaves nothing; a second build of the same
    waits for the first."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            with tempfile.TemporaryDirectory(dir=BUILD) as temporary:
                staged = Path(temporary) / "staged"
                staged.mkdir(mode=0o755)
                fill(staged)
                staged.rename(folder)
    return folder


def _code_files() -> Iterable[Path]:
    for top in _CODE_FOLDERS:
        for path in (ROOT / top).rglob("*"):
            if path.is_file() and not _CODE_WASTE & set(path.parts) and path.suffix != ".pyc":
                yield path.relative_to(ROOT)


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256(_BUILD_VERSION.encode())
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()[:16]


def pinned(requirements: Path) -> dict[str, str]:
    """Name → version of each pin in a requirements file."""
    return dict(re.findall(r"^([A-Za-z0-9_.-]+)==([^ ;\\\s]+)", requirements.read_text(encoding="utf-8"), re.MULTILINE))


def hash_migrations(folder: Path = MIGRATIONS) -> str:
    """A digest of every migration's name and text."""
    digest = hashlib.sha256()
    for file in sorted(folder.glob("*.sql")):
        digest.update(f"{file.name}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()


def main() -> None:
    """`python -m stacks.assets`: build everything and print the sizes."""
    for name, folder in [("code", build_code()), *((n, build_layer(n)) for n in BUDGETS_MB)]:
        zip_folder(folder)
        print(f"{name:10} {size_mb(folder):6.1f} MB of {BUDGETS_MB.get(name, CODE_BUDGET_MB):g}  {folder}")


if __name__ == "__main__":
    main()
