"""Old Word and PowerPoint files: by LibreOffice where it is installed, a clear refusal where not."""

import shutil
import subprocess
from pathlib import Path

import pytest

from shared.errors import RefusedFile
from shared.readers.legacy import convert
from shared.readers.registry import check_name, recognise
from tests.readers.compound import compound
from tests.readers.structured import opened, pages_of
from tests.readers.test_docx import p, write_docx
from tests.readers.test_opendocument import SPACES
from tests.readers.test_opendocument import p as odf_p
from tests.readers.test_rtf import write_rtf
from tests.readers.test_text import told

BOX = 'svg:x="2cm" svg:y="2cm" svg:width="15cm" svg:height="5cm"'
TEXT = odf_p("The barge rests at noon.")
SLIDE = f"<draw:page><draw:frame {BOX}><draw:text-box>{TEXT}</draw:text-box></draw:frame></draw:page>"
installed = pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def old(path: Path, stream: str) -> Path:
    path.write_bytes(compound({stream: bytes(5_000)}))
    return path


def made_old(path: Path, target: str) -> Path:
    """LibreOffice writes the old file, from a new one that is written here."""
    profile = f"-env:UserInstallation={(path.parent / 'writer').as_uri()}"
    command = ["soffice", profile, "--headless", "--convert-to", target, "--outdir", str(path.parent), str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    made = path.with_suffix(f".{target}")
    if not made.is_file():
        pytest.skip(f"this LibreOffice has no program for .{target}: Writer, Calc and Impress are installed apart")
    return made


@pytest.mark.parametrize(
    ("stream", "kind", "new"), [("WordDocument", "doc", "docx"), ("PowerPoint Document", "ppt", "pptx")]
)
def test_where_libreoffice_is_not_installed_the_refusal_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stream: str, kind: str, new: str
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    path = old(tmp_path / "source", stream)
    assert recognise(path, "report").source_type == kind
    with pytest.raises(RefusedFile, match=rf"LibreOffice .*not installed here; save it as \.{new}"):
        opened(path)
    check_name(f"report.{kind}")


def test_what_hangs_is_ended_and_what_fails_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "soffice"
    program.write_text("#!/bin/sh\nsleep 60 & wait\n")
    program.chmod(0o700)
    monkeypatch.setattr(convert.shutil, "which", lambda _: str(program))
    monkeypatch.setattr(convert, "TIMEOUT_S", 0.3)
    with pytest.raises(RefusedFile, match=r"could not convert the file; .*save it as \.docx"):
        opened(old(tmp_path / "source", "WordDocument"))


def test_a_file_is_converted_once_and_few_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = write_docx(tmp_path / "model.docx", p("The lock gate opens at noon."))
    program = tmp_path / "soffice"
    program.write_text(
        f'#!/bin/sh\necho x >> "{tmp_path}/runs"\nwhile [ "$1" != --outdir ]; do shift; done\n'
        f'cp "{model}" "$2/source.docx"\n'
    )
    program.chmod(0o700)
    monkeypatch.setattr(convert.shutil, "which", lambda _: str(program))
    monkeypatch.setattr(convert, "KEPT", 2)
    path = old(tmp_path / "source", "WordDocument")
    assert told(pages_of(path)) == [("text", "The lock gate opens at noon.")]
    assert (tmp_path / "runs").read_text().count("x") == 1
    for size in (5_001, 5_002, 5_003):
        (tmp_path / "other").write_bytes(compound({"WordDocument": bytes(size)}))
        opened(tmp_path / "other")
    (folder,) = tmp_path.glob("autri-converted-*")
    assert len(list(folder.iterdir())) == 2


@installed
def test_libreoffice_converts_a_word_document(tmp_path: Path) -> None:
    rows = "".join(
        rf"\trowd\cellx2000\cellx4000\pard\intbl {one}\cell {other}\cell\row"
        for one, other in (("Ship", "Berth"), ("Marigold", "5"))
    )
    path = made_old(
        write_rtf(tmp_path / "lock.rtf", rf"\pard\s1 Lock\par\pard\plain It opens at noon.\par{rows}\pard\par"), "doc"
    )
    assert path.read_bytes()[:4] == b"\xd0\xcf\x11\xe0"
    found = told(pages_of(path))
    assert found[:2] == [("section", 1, "Lock"), ("text", "It opens at noon.")]
    assert [[["Ship"], ["Berth"]], [["Marigold"], ["5"]]] in found[2]


@installed
def test_libreoffice_converts_slides(tmp_path: Path) -> None:
    flat = tmp_path / "barge.fodp"
    kind = "application/vnd.oasis.opendocument.presentation"
    body = f"<office:body><office:presentation>{SLIDE}</office:presentation></office:body>"
    said = f'{SPACES} office:version="1.2" office:mimetype="{kind}"'
    flat.write_text(f'<?xml version="1.0"?><office:document {said}>{body}</office:document>')
    path = made_old(flat, "ppt")
    assert path.read_bytes()[:4] == b"\xd0\xcf\x11\xe0"
    assert "The barge rests at noon." in str(told(pages_of(path)))
