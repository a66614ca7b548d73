"""The digest as a folder, and context, on the command line."""

import io
import re
import zipfile
from pathlib import Path
from uuid import UUID

import pytest
from fastapi import FastAPI, Response

from shared.digest.updates import NO_MODEL
from tests.api.conftest import Run
from tests.live import serving

FACT = "The rear wing of the test car is"
NOTE = f"{FACT} 890 mm wide. It was measured with a sliding gauge. The mass is 505 kg."
TASK = "How wide is the rear wing?"


@pytest.fixture
def base(run: Run) -> str:
    if run("kb", "create", "folders", "--description", "for tests").code == 0:
        assert run("note", "add", NOTE, "--kb", "folders").code == 0
        assert run("digest", "build", "--kb", "folders").code == 0
    return "folders"


def test_who_words_the_summaries_is_said_where_the_digest_is_built(run: Run, base: str) -> None:
    refused = run("digest", "build", "--kb", base, "--write")
    assert refused.code != 0
    assert NO_MODEL in " ".join(refused.err.split())
    assert run("digest", "build", "--kb", base, "--quote", "--json").json["written"] == 0
    assert run("digest", "status", "--kb", base, "--json").json["writes"] is False


def test_a_digest_goes_into_a_folder_and_its_edits_come_back(run: Run, base: str, tmp_path: Path) -> None:
    folder = tmp_path / "digest"
    wrote = run("digest", "export", str(folder), "--kb", base, "--json")
    assert wrote.code == 0, wrote.err
    assert {"README.md", "index.md"} < set(wrote.json["files"])
    before = {path: path.read_bytes() for path in folder.rglob("*.md")}
    (folder / "summaries" / "gone.md").write_text("of a topic that is gone")
    (folder / "notes.md").write_text("somebody's own")
    (folder / "assets").mkdir(exist_ok=True)
    for name in ("figure-9.jpg", "own.jpg"):
        (folder / "assets" / name).write_bytes(b"")
    again = run("digest", "export", str(folder), "--kb", base, "--json")
    assert again.json["removed"] == ["assets/figure-9.jpg", "summaries/gone.md"]
    assert (folder / "assets" / "own.jpg").exists()
    assert {path: path.read_bytes() for path in before} == before
    assert (folder / "notes.md").exists()

    same = run("digest", "import", str(folder), "--kb", base, "--json").json
    sent = [path for path in before if path.name != "README.md"]
    assert (same["files"], same["conflicts"], same["unchanged"]) == ([], [], len(sent))
    file = next(path for path in (folder / "summaries").glob("*.md") if "890 mm" in path.read_text())
    file.write_text(file.read_text().replace(f"- {FACT} 890", f"- {FACT} 891"))
    looked = run("digest", "import", str(folder), "--kb", base, "--dry-run", "--json")
    assert [one["changed"] for one in looked.json["files"]] == [1]
    took = run("digest", "import", str(folder), "--kb", base, "--json")
    assert took.json["conflicts"] == []
    # The look before has changed nothing.
    assert ([one["changed"] for one in took.json["files"]], took.json["dry_run"], took.code) == ([1], False, 0)
    assert "891 mm" in run("context", TASK, "--kb", base).out
    printed = " ".join(run("digest", "show", f"summaries/{file.name}", "--kb", base).out.split())
    assert re.search(rf"- {FACT} 891 mm wide\.( \[[\d, ]+\])? \*\(by a person(, uncited)?\)\*", printed)
    file.write_text(file.read_text().replace(f"- {FACT} 891", f"- {FACT} 892"))
    lost = run("digest", "import", str(folder), "--kb", base)
    assert lost.code == 1
    assert "changed since" in lost.err
    assert "891 mm" in lost.out
    index = folder / "index.md"
    index.write_text(index.read_text() + "Another topic | of mine | summaries/mine.md\n")
    lost = run("digest", "import", str(folder), "--kb", base)
    assert "index.md: not a statement" in lost.err


def test_a_file_that_would_leave_the_folder_is_not_written(run: Run, tmp_path: Path) -> None:
    base = {"id": str(UUID(int=1)), "slug": "theirs", "name": "Theirs"}
    app = FastAPI()
    app.get("/v1/knowledge-bases")(lambda: {"items": [base], "next_cursor": None})

    @app.get("/v1/knowledge-bases/{which}/digest:export")
    def export() -> Response:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("index.md", "within")
            archive.writestr("../outside.md", "without")
        return Response(file.getvalue(), media_type="application/zip")

    with serving(app) as url:
        told = run("digest", "export", str(tmp_path / "digest"), "--kb", "theirs", "--url", url)
    assert (told.code, "would leave the folder" in told.err) == (1, True)
    assert [*tmp_path.rglob("*.md")] == []


def test_what_cannot_be_read_of_a_folder_keeps_nothing_else_back(run: Run, base: str, tmp_path: Path) -> None:
    folder = tmp_path / "digest"
    assert run("digest", "export", str(folder), "--kb", base).code == 0
    file = next(path for path in (folder / "summaries").glob("*.md") if f"{FACT} 89" in path.read_text())
    file.write_text(re.sub(rf"- {FACT} 89\d", f"- {FACT} 894", file.read_text()))
    (folder / "summaries" / "a.md").write_text("Somebody's own, without a head.")
    (folder / "summaries" / "b.md").write_bytes(b"\xff\xfe\x00 no text")
    (folder / "summaries" / "c.md").write_text("x" * 200_001)
    (folder / "summaries" / "d.md").mkdir()
    (folder / "summaries" / "e.md").write_text("a\0b")
    wrong = re.sub(r"(autri://\w+/)[0-9a-f-]{36}", r"\g<1>" + "-" * 36, file.read_text(), count=1)
    assert wrong != file.read_text()
    (folder / "summaries" / "f.md").write_text(wrong)
    took = run("digest", "import", str(folder), "--kb", base, "--json")
    assert took.code == 1
    assert [(one["path"], one["changed"]) for one in took.json["files"]] == [(f"summaries/{file.name}", 1)]
    told = {one["path"]: one["detail"] for one in took.json["conflicts"] if one["reason"] == "unreadable"}
    assert told.keys() == {f"summaries/{name}.md" for name in "abcdef"}
    expected = {"a": "front matter", "b": "UTF-8", "c": "200,000", "d": "directory", "e": "NUL", "f": "no id"}
    for name, word in expected.items():
        assert word in told[f"summaries/{name}.md"]
    assert "894 mm" in run("context", TASK, "--kb", base).out
    (folder / "summaries" / "d.md").rmdir()
    for path in folder.rglob("*.md"):
        path.write_bytes(b"\xff")
    nothing = run("digest", "import", str(folder), "--kb", base)
    assert (nothing.code, "no text in UTF-8" in nothing.err) == (1, True)


def test_of_many_files_no_more_are_sent_at_once_than_are_taken(run: Run, base: str, tmp_path: Path) -> None:
    folder = tmp_path / "digest" / "summaries"
    folder.mkdir(parents=True)
    for number in range(501):
        (folder / f"{number}.md").write_text("No head.")
    for number in range(6):
        (folder / f"{number}.md").write_text("x" * 200_000)
    took = run("digest", "import", str(folder.parent), "--kb", base, "--json")
    assert (took.code, len(took.json["conflicts"])) == (1, 501)
    # The server has read what is as long as it may be.
    assert all("front matter" in one["detail"] for one in took.json["conflicts"])
    assert "sent:" not in run("digest", "import", str(folder.parent), "--kb", base).out


def test_context_is_the_text_with_its_sources_behind_it(run: Run, base: str) -> None:
    found = run("context", TASK, "--kb", base, "--budget", "500", "--json").json
    plain = run("context", TASK, "--kb", base, "--budget", "500")
    assert plain.out.startswith(found["text"])
    assert f"[1] {found['sources'][0]['document']}" in plain.out
    assert f"{found['tokens']} of 500 tokens (estimate)" in plain.err
    assert "passage" in run("context", TASK, "--kb", base, "--why").out
    alone = run("context", TASK, "--kb", base, "--passages", "--json").json
    assert {part["kind"] for part in alone["parts"]} == {"passage"}


def test_a_folder_without_a_digest_says_what_to_do(run: Run, base: str, tmp_path: Path) -> None:
    refused = run("digest", "import", str(tmp_path), "--kb", base)
    assert refused.code == 1
    assert "autri digest export" in refused.err
