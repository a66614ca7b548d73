import io
import re
import zipfile
from typing import Any
from uuid import UUID

import pytest

from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.pipeline import RULES_2026, make_knowledge_base, run_all, upload

BRAKES = """# Brakes

The brake calipers of the Marigold are made of forged aluminium and weigh 2.4 kg each.

Brake pads are replaced when less than 3 mm of the friction material is left on them.

The hydraulic fluid of the brake system is exchanged every two years, whatever the mileage is.
"""
FERRY = """# Timetable

The ferry leaves the northern harbour at seven in the morning on every working day of the year.

Tickets for the ferry are sold at the harbour office until ten minutes before it leaves.
"""
PADS = "Brake pads are replaced when less than 3 mm of the friction material is left on them."
SUMMARY, DESCRIPTION = "summaries/brakes.md", "descriptions/brakes.md"


class Digest:
    """A knowledge base's digest, by its routes."""

    def __init__(self, client: Client, base: UUID) -> None:
        self.client, self.base = client, base
        self.path = f"/v1/knowledge-bases/{base}/digest"

    def note(self, text: str, **more: Any) -> dict[str, Any]:
        answer = self.client.post(f"/v1/knowledge-bases/{self.base}/notes", json={"text": text, **more})
        assert answer.status_code == 201, answer.text
        return answer.json()

    def update(self, **wish: Any) -> dict[str, Any]:
        answer = self.client.post(f"{self.path}:update", json=wish)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def status(self) -> dict[str, Any]:
        return self.client.get(self.path).json()

    def listed(self) -> dict[str, dict[str, Any]]:
        return {one["path"]: one for one in self.client.get(f"{self.path}/files").json()["items"]}

    def at(self, path: str) -> str:
        return f"{self.path}/files/{self.listed()[path]['id']}"

    def file(self, path: str) -> dict[str, Any]:
        return self.client.get(self.at(path)).json()

    def history(self, path: str) -> list[dict[str, Any]]:
        return self.client.get(f"{self.at(path)}/versions").json()["items"]

    def past(self, path: str, number: int) -> str:
        return self.client.get(f"{self.at(path)}/versions/{number}").json()["content"]

    def line(self, path: str, words: str) -> dict[str, Any]:
        return next(line for line in self.file(path)["lines"] if words in line["text"])

    def events(self, **wish: str) -> list[tuple[str, list[str]]]:
        """Ids of events, each with the files that state it."""
        found = self.client.get("/v1/events", params={"knowledge_base_id": str(self.base)} | wish).json()["items"]
        return [(one["id"], [file["path"] for file in one["files"]]) for one in found]

    def edit(self, path: str, status: int = 200, **body: Any) -> dict[str, Any]:
        answer = self.client.post(f"{self.at(path)}/edits", json=body)
        assert answer.status_code == status, answer.text
        return answer.json()


@pytest.fixture
def digest(client: Client, runtime: Runtime, identity: Identity, request: pytest.FixtureRequest) -> Digest:
    return Digest(client, make_knowledge_base(runtime, identity, request.node.name[:60]))


def test_a_digest_lists_its_topics_and_every_statement_is_a_sentence_of_the_passage_that_it_cites(
    digest: Digest,
) -> None:
    note = digest.note(BRAKES)
    digest.note(FERRY)
    done = digest.update()
    assert (done["topics"], len(done["added"]), done["changed"], done["more"]) == (2, 5, [], False)
    entries = digest.file("index.md")["content"].splitlines()[2:]
    assert [line.split(" | ")[0::2] for line in entries] == [
        ["Brakes", SUMMARY],
        ["Timetable", "summaries/timetable.md"],
    ]
    chunks = {one["id"]: one for one in digest.client.get(f"/v1/documents/{note['id']}/chunks").json()["items"]}
    stated = [line for line in digest.file(DESCRIPTION)["lines"] if line["kind"] == "statement"]
    assert [line["text"] for line in stated][1] == PADS
    for line in stated:
        (cited,) = line["citations"]
        assert (cited["kind"], cited["document_id"], cited["standing"]) == ("chunk", note["id"], "current")
        assert line["text"] in chunks[cited["source_id"]]["content"]
        assert (line["origin"], line["stale"], line["uncited"]) == ("agent", False, False)


def test_cited_figures_and_tables_lie_beside_the_files_and_come_back_without_a_change(
    digest: Digest, runtime: Runtime, identity: Identity
) -> None:
    run_all(runtime, upload(runtime, identity, digest.base, RULES_2026.read_bytes()))
    note = digest.note("# Fees\n\nTable 5 of another book says more of this.")
    digest.update()
    (path,) = (one for one in digest.listed() if one.startswith("descriptions/") and "fees" not in one)
    passage = digest.client.get(f"/v1/documents/{note['id']}/chunks").json()["items"][-1]["id"]
    # It stands on the note, which has no such table; the rules have one of that number.
    digest.edit(path, text="Table 5 of another book says more of this.", citations=[{"id": passage}])
    shown = digest.client.get(f"{digest.at(path)}/sources").json()["assets"]
    figures = [one for one in shown if one["kind"] == "figure"]
    stated = [line for line in digest.file(path)["lines"] if line["kind"] == "statement"]
    own = {line["text"] for line in stated if line["citations"][0]["document_id"] == figures[0]["document"]["id"]}
    assert {one["caption"][:8] for one in figures} == set(re.findall(r"Figure \d", " ".join(own)))
    assert next(one["page"] for one in figures if "Position of the sound level meter" in one["caption"]) == 19
    tables = {one["caption"]: one for one in shown if one["kind"] == "table"}
    fees = tables["Table 1 — Fees for the season, per car"]
    assert fees["rows"][0] == ["Item", "Due", "Class S (EUR)", "Class E (EUR)"]
    assert fees["rows"][1] == ["Registration of the entrant", "once a season", "380", "380"]
    assert not any("Table 5" in one for one in tables)
    address = f"/v1/documents/{figures[0]['document']['id']}/figures/{figures[0]['chunk']['id']}/image"
    exported = digest.client.get(f"{digest.path}:export")
    with zipfile.ZipFile(io.BytesIO(exported.content)) as folder:
        files = {name: folder.read(name) for name in folder.namelist()}
    assert files[figures[0]["path"]] == digest.client.get(address).content
    assert files[fees["path"]].decode().splitlines()[2] == "Entry for one event,per event,940,960"
    links = re.findall(r'\]\(\.\./(assets/\S+) "', files[path].decode())
    assert sorted(links) == sorted(one["path"] for one in shown)
    assert sorted(name for name in files if name.startswith("assets/")) == sorted(links)
    sent = [
        {"path": name, "content": "" if name.startswith("assets/") else content.decode()}
        for name, content in files.items()
    ]
    back = digest.client.post(f"{digest.path}:import", json={"files": sent}).json()
    assert (back["files"], back["conflicts"]) == ([], [])


def test_words_that_are_divided_at_a_lines_end_are_shown_whole_and_kept_as_they_are_printed(digest: Digest) -> None:
    printed = "The brake calipers of the Marigold hang on alu-\nminium brackets of the rear sus-\npension."
    digest.note(f"# Brakes\n\n{printed}\n\nThe rear suspension is made by the same workshop as its springs.")
    digest.update()
    line = digest.line(DESCRIPTION, "Marigold")
    assert line["text"] == printed.replace("\n", " ")
    assert line["shown"] == "The brake calipers of the Marigold hang on aluminium brackets of the rear suspension."
    assert printed.replace("\n", " ") in digest.file(DESCRIPTION)["content"]


def test_an_update_touches_the_files_of_what_has_changed_and_no_others(digest: Digest) -> None:
    note = digest.note(BRAKES)
    digest.note(FERRY)
    digest.update()
    before = digest.listed()
    again = digest.update()
    assert (again["revision"], again["added"], again["changed"], again["units"]) == (1, [], [], 0)
    digest.note(BRAKES.replace("less than 3 mm", "less than 4 mm"), version_of=note["id"])
    done = digest.update()
    assert (done["changed"], done["added"], done["removed"]) == ([DESCRIPTION, SUMMARY], [], [])
    after = digest.listed()
    assert {path: after[path] for path in before.keys() - {DESCRIPTION, SUMMARY}} == {
        path: before[path] for path in before.keys() - {DESCRIPTION, SUMMARY}
    }
    last, first = digest.history(SUMMARY)
    assert (first["version"], last["version"], last["changed_by"]) == ("1.0.0", "1.1.0", "agent")
    assert (first["previous_hash"], last["previous_hash"]) == (None, first["new_hash"])
    diff = digest.client.get(f"{digest.at(SUMMARY)}/diff").json()
    assert "-- Brake pads are replaced when less than 3 mm" in diff["diff"]
    assert "+- Brake pads are replaced when less than 4 mm" in diff["diff"]


def test_a_topic_that_is_added_is_a_major_version_of_the_index(digest: Digest) -> None:
    digest.note(BRAKES)
    digest.update()
    digest.note(FERRY)
    digest.update()
    assert [one["version"] for one in digest.history("index.md")] == ["2.0.0", "1.0.0"]


def test_other_words_of_a_person_for_the_same_are_a_patch_another_number_is_a_change(digest: Digest) -> None:
    digest.note(BRAKES)
    digest.update()
    pads = digest.line(SUMMARY, "Brake pads")["statement_id"]
    digest.edit(SUMMARY, statement_id=pads, text=PADS.replace("replaced", "exchanged"))
    digest.edit(SUMMARY, statement_id=pads, text=PADS.replace("3 mm", "2 mm"))
    assert [one["version"] for one in digest.history(SUMMARY)] == ["1.1.0", "1.0.1", "1.0.0"]
    assert {one["changed_by"] for one in digest.history(SUMMARY)[:2]} == {"user"}


def test_what_is_superseded_is_stale_at_once_and_rewritten_by_the_next_update(digest: Digest) -> None:
    note = digest.note(BRAKES)
    digest.update()
    digest.note(BRAKES.replace("3 mm", "4 mm"), version_of=note["id"])
    line = digest.line(SUMMARY, "3 mm")
    assert (line["stale"], line["citations"][0]["standing"]) == (True, "superseded")
    assert digest.listed()[SUMMARY]["stale"] == 3
    assert (digest.status()["stale"], digest.status()["behind"]) == (6, True)
    digest.update()
    assert "4 mm" in digest.file(SUMMARY)["content"]
    assert "3 mm" not in digest.file(SUMMARY)["content"]
    assert (digest.status()["stale"], digest.status()["behind"]) == (0, False)


def test_what_a_deleted_document_said_is_gone_at_once_out_of_every_version_and_file(digest: Digest) -> None:
    note = digest.note(BRAKES)
    digest.note(FERRY)
    digest.update()
    digest.edit(SUMMARY, text="Ask Ida before touching them.", uncited=True)
    assert "calipers" in digest.past(SUMMARY, 1)
    assert digest.client.delete(f"/v1/documents/{note['id']}").status_code == 200
    (path,) = [one for one in digest.listed() if one.startswith("summaries/") and "timetable" not in one]
    said = digest.past(path, 1) + digest.past(path, 2) + "".join(str(digest.file(one)) for one in digest.listed())
    assert [word for word in ("calipers", "Brake pads", "hydraulic", "Brakes", "brakes") if word in said] == []
    assert all(line["stale"] for line in digest.file(path)["lines"] if line["origin"] == "agent")
    digest.update()
    assert "Ask Ida before touching them." in str([digest.file(one) for one in digest.listed()])
    assert digest.status()["stale"] == 0


def test_a_topic_goes_with_the_last_of_its_documents(digest: Digest) -> None:
    note = digest.note(BRAKES)
    digest.note(FERRY)
    digest.update()
    digest.client.delete(f"/v1/documents/{note['id']}")
    assert len(digest.update()["removed"]) == 2
    assert sorted(digest.listed()) == ["descriptions/timetable.md", "index.md", "summaries/timetable.md"]


def test_what_a_note_corrects_is_stale_at_once_and_the_note_stands_there_after_the_update(digest: Digest) -> None:
    note = digest.note(BRAKES)
    digest.update()
    chunk = digest.line(SUMMARY, "3 mm")["citations"][0]["source_id"]
    correct = {"document_id": note["id"], "chunk_id": chunk}
    digest.note("Brake pads of the Marigold are replaced at 5 mm already, since last year.", corrects=correct)
    assert digest.line(SUMMARY, "3 mm")["citations"][0]["standing"] == "corrected"
    assert digest.line(SUMMARY, "calipers")["stale"] is False
    digest.update()
    whole = "".join(digest.file(path)["content"] for path in digest.listed())
    assert "3 mm" not in whole
    assert "replaced at 5 mm already" in whole
    assert digest.status()["stale"] == 0


def test_what_a_person_changed_added_and_took_out_outlives_every_update_and_is_marked(digest: Digest) -> None:
    note = digest.note(BRAKES)
    digest.update()
    pads = digest.line(DESCRIPTION, "Brake pads")
    digest.edit(DESCRIPTION, statement_id=pads["statement_id"], text="Pads go out below 3 mm.")
    fluid = digest.line(DESCRIPTION, "hydraulic")
    digest.edit(DESCRIPTION, statement_id=fluid["statement_id"], remove=True)
    calipers = digest.line(DESCRIPTION, "calipers")
    digest.edit(DESCRIPTION, text="Ida has the spare ones.", uncited=True, after=calipers["statement_id"])
    digest.note(BRAKES + "\nThe hand brake of the Marigold acts upon both of its rear wheels.\n", version_of=note["id"])
    digest.update()
    lines = [one for one in digest.file(DESCRIPTION)["lines"] if one["kind"] == "statement"]
    lines = [one for one in lines if one["origin"] != "system"]
    assert sorted((one["text"].partition(" of ")[0], one["origin"], one["uncited"]) for one in lines) == [
        ("Ida has the spare ones.", "user", True),
        ("Pads go out below 3 mm.", "user", False),
        ("The brake calipers", "agent", False),
        ("The hand brake", "agent", False),
    ]
    own = next(one for one in lines if one["text"].startswith("Pads"))
    assert own["statement_id"] == pads["statement_id"]
    assert (own["stale"], own["citations"][0]["standing"]) == (True, "superseded")
    assert "hydraulic" in digest.file(SUMMARY)["content"]
    assert digest.listed()[DESCRIPTION]["by_people"] == 2


def test_an_edit_without_a_source_or_with_one_of_elsewhere_or_of_an_older_file_is_refused(
    digest: Digest, runtime: Runtime, identity: Identity, client: Client
) -> None:
    digest.note(BRAKES)
    other = Digest(client, make_knowledge_base(runtime, identity, "elsewhere"))
    other.note(FERRY)
    digest.update()
    other.update()
    foreign = other.line("summaries/timetable.md", "ferry")["citations"][0]["source_id"]
    assert "uncited" in digest.edit(SUMMARY, 422, text="The brakes are fine.")["detail"]
    assert foreign in digest.edit(SUMMARY, 422, text="The brakes are fine.", citations=[{"id": foreign}])["detail"]
    digest.edit(SUMMARY, 409, text="Late.", uncited=True, if_number=7)
    digest.edit("index.md", 422, text="Another | topic | there", uncited=True)
    assert [one["number"] for one in digest.history(SUMMARY)] == [1]


def test_people_cannot_write_a_summary_over_its_limit_and_what_they_write_makes_room(digest: Digest) -> None:
    digest.note(BRAKES)
    digest.update()
    for place in range(3):
        digest.edit(SUMMARY, text=f"{place} " + "word " * 118, uncited=True)
    assert "2,000" in digest.edit(SUMMARY, 422, text="3 " + "word " * 118, uncited=True)["detail"]
    file = digest.file(SUMMARY)
    assert file["size"] == len(file["content"]) <= file["limit"] == 2000
    digest.note(FERRY)
    digest.update()
    assert digest.listed()[SUMMARY]["by_people"] == 3


def test_a_first_version_counts_each_line_that_it_adds(digest: Digest) -> None:
    digest.note(BRAKES)
    digest.update()
    file = digest.file(DESCRIPTION)
    lines = [line for line in file["lines"] if line["kind"] != "title"]
    assert len(lines) > 2
    assert digest.history(DESCRIPTION)[0]["change_summary"] == f"{len(lines)} lines added"


def test_a_version_that_is_restored_stays_through_the_next_update(digest: Digest) -> None:
    note = digest.note(BRAKES)
    digest.update()
    digest.note(BRAKES.replace("3 mm", "4 mm"), version_of=note["id"])
    digest.update()
    restored = digest.client.post(f"{digest.at(SUMMARY)}/restore", json={"number": 1}).json()
    assert "3 mm" in restored["content"]
    assert "4 mm" not in restored["content"]
    assert digest.history(SUMMARY)[0]["change_summary"] == "version 1 restored"
    digest.note(FERRY)
    digest.update()
    assert "3 mm" in digest.file(SUMMARY)["content"]
    assert "4 mm" not in digest.file(SUMMARY)["content"]
    assert (digest.line(SUMMARY, "3 mm")["origin"], digest.line(SUMMARY, "3 mm")["stale"]) == ("user", True)


def test_events_are_stored_once_stated_with_their_values_and_gone_when_they_are_deleted(digest: Digest) -> None:
    event = {
        "knowledge_base_id": str(digest.base), "kind": "deployment", "subject": "shop", "at": "2026-03-01T10:00:00Z",
        "values": {"version": "4.2", "seconds": 81.5, "rolled_back": False}, "key": "d-1",
    }  # fmt: skip
    made = digest.client.post("/v1/events", json=event)
    assert (made.status_code, made.json()["duplicate"]) == (201, False)
    again = digest.client.post("/v1/events", json=event).json()
    assert (again["id"], again["duplicate"]) == (made.json()["id"], True)
    assert digest.client.post("/v1/events", json=event | {"subject": "mail"}).status_code == 409
    assert digest.client.post("/v1/events", json=event | {"values": {"deep": {"er": 1}}}).status_code == 422
    assert digest.events() == [(made.json()["id"], [])]
    digest.update()
    line = digest.line("summaries/events.md", "deployment shop")
    assert digest.events() == [(made.json()["id"], ["descriptions/events.md", "summaries/events.md"])]
    assert line["text"] == "deployment shop, 2026-03-01 10:00 UTC: version 4.2; seconds 81.5; rolled_back no"
    assert [(one["kind"], one["source_id"]) for one in line["citations"]] == [("event", made.json()["id"])]
    assert digest.client.delete(f"/v1/events/{made.json()['id']}").status_code == 200
    noted = digest.client.get("/v1/audit", params={"limit": 1}).json()["items"][0]
    assert (noted["act"], noted["knowledge_base_id"]) == ("event.delete", str(digest.base))
    assert "81.5" not in digest.file("summaries/events.md")["content"] + digest.past("summaries/events.md", 1)
    assert "summaries/events.md" in digest.update()["removed"]


def test_events_are_listed_by_their_kind_and_the_time_at_which_they_happened(digest: Digest) -> None:
    made = dict[str, str]()
    for kind, day in (("deployment", "01"), ("payment", "02"), ("deployment", "03")):
        event = {
            "knowledge_base_id": str(digest.base),
            "kind": kind,
            "subject": "shop",
            "at": f"2026-03-{day}T00:00:00Z",
        }
        made[day] = digest.client.post("/v1/events", json=event).json()["id"]

    def listed(**wish: str) -> list[str]:
        return [event for event, _ in digest.events(**wish)]

    assert listed() == [made["03"], made["02"], made["01"]]
    assert listed(kind="deployment") == [made["03"], made["01"]]
    assert listed(since="2026-03-02T00:00:00Z") == [made["03"], made["02"]]
    assert listed(until="2026-03-02T00:00:00Z") == [made["01"]]
    assert listed(since="2026-03-02T01:00:00+01:00", until="2026-03-03T00:00:00Z") == [made["02"]]
    wrong = digest.client.get("/v1/events", params={"knowledge_base_id": str(digest.base), "since": "yesterday"})
    assert wrong.status_code == 422


def test_what_is_posted_reported_and_deleted_wakes_the_digest_and_never_fails_by_that(
    digest: Digest, runtime: Runtime, identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken = list[tuple[UUID, UUID]]()

    def wake(organization: UUID, base: UUID) -> None:
        woken.append((organization, base))
        raise ConnectionError("the bus is down")

    monkeypatch.setattr(runtime, "wake_digest", wake)
    own = (identity.organization_id, digest.base)
    event = {"knowledge_base_id": str(digest.base), "kind": "race", "subject": "wing", "at": "2026-03-02T10:00:00Z"}

    def report() -> str:
        return str(digest.client.post("/v1/events", json=event).json()["id"])

    note = digest.note(BRAKES)
    assert woken == [own]
    # The same once more is nothing new.
    assert report() == report()
    assert woken == [own] * 2
    assert digest.client.delete(f"/v1/events/{report()}").is_success
    assert digest.client.delete(f"/v1/documents/{note['id']}").is_success
    assert woken == [own] * 4


def test_a_sheet_is_one_topic_told_by_its_columns_and_gone_with_its_document(
    digest: Digest, runtime: Runtime, identity: Identity
) -> None:
    digest.note(BRAKES)
    rows = "".join(f"B-{n},{n}.5,{'red' if n % 3 else 'blue'}\n" for n in range(1, 41))
    event = upload(runtime, identity, digest.base, f"Number,Price,Colour\n{rows}".encode(), "bolts.csv")
    document = run_all(runtime, event)["document_id"]
    digest.update()
    assert [path for path in digest.listed() if "/" in path] == [
        "descriptions/bolts.md", "descriptions/brakes.md", "summaries/bolts.md", "summaries/brakes.md",
    ]  # fmt: skip
    lines = [line for line in digest.file("summaries/bolts.md")["lines"] if line["kind"] == "statement"]
    assert [line["text"] for line in lines] == [
        "bolts: a table of 40 rows and 3 columns: Number, Price, Colour.",
        "bolts, Number: 40 different values, such as B-1.",
        "bolts, Price: from 1.5 to 40.5, half of them up to 20.5.",
        "bolts, Colour: red (27), blue (13).",
    ]
    assert {one["document_id"] for line in lines for one in line["citations"]} == {str(document)}
    assert digest.client.delete(f"/v1/documents/{document}").is_success
    assert "B-1" not in str([digest.file(path)["content"] for path in digest.listed()])
    digest.update()
    assert [path for path in digest.listed() if "/" in path] == [DESCRIPTION, SUMMARY]
