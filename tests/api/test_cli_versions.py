import re
from pathlib import Path

from tests.api.conftest import Run
from tests.api.files import three_pages


def test_versions_are_suggested_linked_compared_renamed_and_taken_apart(run: Run, tmp_path: Path) -> None:
    assert run("kb", "create", "rules").code == 0
    for year, word in ((2025, "wing"), (2026, "fin")):
        (tmp_path / f"rules {year}.pdf").write_bytes(three_pages(word))
        ingested = run("ingest", str(tmp_path / f"rules {year}.pdf"), "--kb", "rules")
        assert ingested.code == 0
        assert ("looks like a version of" in ingested.err) == (year == 2026)
    (found,) = run("versions", "suggestions", "--kb", "rules", "--json").json
    assert found["label"] == "2026"
    told = " ".join(ingested.err.split())
    assert (
        f"rules 2026.pdf looks like a version of rules 2025.pdf. Link them: autri versions accept {found['id']}" in told
    )
    assert "rules 2026.pdf" in run("versions", "suggestions", "--kb", "rules").out
    done = run("versions", "accept", found["id"], "--json").json
    assert [item["version"]["label"] for item in done["items"]] == [None, "2026"]
    listed = run("versions", "list", "rules 2025.pdf", "--json").json
    assert [item["version"]["is_current"] for item in listed] == [False, True]
    back = run("versions", "current", "rules 2025.pdf", "--json").json
    assert [item["version"]["is_current"] for item in back["items"]] == [True, False]
    renamed = run("versions", "rename", "rules 2025.pdf", "--label", "old", "--together", "Rules", "--json").json
    assert (renamed["version"]["label"], renamed["version"]["logical_document_name"]) == ("old", "Rules")
    bare = run("versions", "rename", "rules 2025.pdf", "--label", "", "--json").json
    assert (bare["version"]["label"], bare["version"]["logical_document_name"]) == (None, "Rules")
    assert run("versions", "rename", "rules 2025.pdf").code == 2
    day = run("versions", "rename", "rules 2025.pdf", "--date", "2024-12-09", "--json").json
    assert (day["document_date"], day["document_date_source"], day["version"]["logical_document_name"]) == (
        "2024-12-09", "edited", "Rules",
    )  # fmt: skip
    assert run("versions", "rename", "rules 2025.pdf", "--date", "", "--json").json["document_date"] is None
    assert run("versions", "rename", "rules 2025.pdf", "--date", "9.12.2024").code == 1

    diff = run("diff", "rules 2025.pdf", "rules 2026.pdf", "--kb", "rules", "--json").json
    assert diff["summary"]["changed"] == 3
    compared = run("diff", "rules 2025.pdf", "rules 2026.pdf", "--kb", "rules")
    assert compared.code == 0
    shown = compared.out
    assert "C1.1" in shown
    assert "3  changed" in shown
    assert "The [-wing-] {+fin+} of page 1" in shown

    apart = run("versions", "unlink", "rules 2026.pdf", "--json").json
    assert apart["logical_document"]["versions"] == 1
    assert run("versions", "unlink", "rules 2026.pdf").code == 1
    linked = run("versions", "link", "rules 2026.pdf", "--to", "rules 2025.pdf", "--label", "new", "--json").json
    assert [item["version"]["label"] for item in linked["items"]] == [None, "new"]
    assert "Nothing looks like" in run("versions", "suggestions", "--kb", "rules").out


def test_documents_of_one_name_are_told_apart(run: Run, tmp_path: Path) -> None:
    assert run("kb", "create", "twins").code == 0
    for word in ("wing", "fin"):
        (tmp_path / word).mkdir()
        (tmp_path / word / "rules.md").write_text(f"# {word}\n\nThe {word} is red.\n\nThe {word} is new.")
        assert run("ingest", str(tmp_path / word / "rules.md"), "--kb", "twins").code == 0
    told = run("versions", "list", "rules.md", "--kb", "twins")
    assert told.code == 1
    assert re.search(
        r"id of one: [0-9a-f-]{36} \(of 20\d\d-\d\d-\d\d, 1 page\), [0-9a-f-]{36}", " ".join(told.err.split())
    )
