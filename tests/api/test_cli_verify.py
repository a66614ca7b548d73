"""`autri verify` of a document that an older version of its reader has read: neither proved nor wrong."""

import json
from pathlib import Path

from tests.api.conftest import Run


def test_what_an_older_reader_read_is_told_apart_from_what_is_wrong(run: Run, home: Path, tmp_path: Path) -> None:
    (tmp_path / "pump.md").write_text("# Pump\n\nOil it.\n\nOften.\n")
    run("kb", "create", "Pumps", "--description", "Pumps.")
    document = run("ingest", str(tmp_path / "pump.md"), "--kb", "pumps", "--json").json["document_id"]
    assert run("verify", "--kb", "pumps", "--json").json["state"] == "proved"

    (part,) = home.glob(f"blobs/**/{document}/**/pages/1.json")
    file = json.loads(part.read_text())
    file["extractor_version"] = "text-1"
    del file["structure"][-1]
    part.write_text(json.dumps(file))
    outdated = run("verify", "--kb", "pumps", "--json")
    assert (outdated.code, outdated.json["state"], outdated.json["ok"]) == (3, "outdated", False)
    assert (outdated.json["older_reader"], outdated.json["failures"], outdated.json["failed"]) == (1, [], 0)
    assert outdated.json["outdated"] == [{"id": document, "name": "pump.md"}]
    shown = run("verify", "--kb", "pumps")
    assert (shown.code, f"autri reingest {document}" in shown.err + shown.out) == (3, True)

    file["fragments"][-1]["text"] = "Never"
    part.write_text(json.dumps(file))
    forged = run("verify", "--kb", "pumps", "--json")
    assert (forged.code, forged.json["state"]) == (1, "failed")

    run("reingest", document)
    assert run("verify", "--kb", "pumps").code == 0
