"""Has LibreOffice convert an old file. Without its user's settings, macros and network; within a time.

A document is opened several times while it is ingested: what was converted last is kept by the content of its source.
"""

import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from shared.errors import RefusedFile

TIMEOUT_S: Final = 90
KEPT: Final = 20
_PROGRAMS: Final = ("soffice", "libreoffice")
_SETTINGS: Final = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="MacroSecurityLevel" oor:op="fuse">
<value>3</value></prop><prop oor:name="DisableMacrosExecution" oor:op="fuse"><value>true</value></prop>
<prop oor:name="BlockUntrustedRefererLinks" oor:op="fuse"><value>true</value></prop></item>
</oor:items>
"""
_MISSING: Final = (
    "The file is {}, which LibreOffice converts and which is not installed here; save it as {} (or PDF) and upload"
    " that."
)
_FAILED: Final = "LibreOffice could not convert the file; open it in Office, save it as {} and upload that."


def converted(path: Path, name: str, target: str) -> Path:
    """The file as `target` ("docx"), which stays until others have been converted. Raises RefusedFile where LibreOffice
    is not installed, or does not convert the file within TIMEOUT_S."""
    program = next((found for one in _PROGRAMS if (found := shutil.which(one))), None)
    if program is None:
        raise RefusedFile(_MISSING.format(name, f".{target}"))
    folder = _folder()
    with path.open("rb") as file:
        made = folder / f"{hashlib.file_digest(file, 'sha256').hexdigest()}.{target}"
    if not made.is_file():
        with tempfile.TemporaryDirectory(dir=folder) as work:
            result = _convert(program, path, Path(work), target)
            if result is None:
                raise RefusedFile(_FAILED.format(f".{target}"))
            result.replace(made)
        _forget(folder)
    return made


def _folder() -> Path:
    """A folder that is this user's alone."""
    folder = Path(tempfile.gettempdir()) / f"autri-converted-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid() or folder.stat().st_mode & 0o077:
        raise RefusedFile(f"The folder {folder} belongs to somebody else; remove it and upload the file again.")
    return folder


def _convert(program: str, path: Path, work: Path, target: str) -> Path | None:
    profile = work / "profile"
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(_SETTINGS)
    source = work / "source"
    shutil.copyfile(path, source)
    # No address is reached: what a document links to is not fetched.
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "ftp_proxy"), "http://127.0.0.1:9")
    process = subprocess.Popen(
        [program, f"-env:UserInstallation={profile.as_uri()}", "--headless", "--norestore", "--nolockcheck",
         "--convert-to", target, "--outdir", str(work), str(source)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        env={**os.environ, **nowhere, "HOME": str(work)},
    )  # fmt: skip
    try:
        process.wait(TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    found = work / f"source.{target}"
    return found if found.is_file() else None


def _forget(folder: Path) -> None:
    """Only the files that were made last are kept."""
    made = sorted((one for one in folder.iterdir() if one.is_file()), key=lambda one: one.stat().st_mtime, reverse=True)
    for one in made[KEPT:]:
        one.unlink(missing_ok=True)
