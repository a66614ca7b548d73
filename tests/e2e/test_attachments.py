"""Files attached to mail: documents of their own, linked both ways; and the threads that mail is in."""

import hashlib
import zipfile
from contextlib import suppress
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from uuid import UUID

import pymupdf
import pytest

from shared.contract import incoming_key
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.errors import NotFound
from shared.ingestion import custody, register
from shared.ingestion.arrival import attached
from shared.ingestion.uploads import reingest
from shared.library.documents import delete_document, get_document, list_documents
from shared.library.messages import find_thread, list_attached
from shared.library.verification import verify_stored_document
from shared.readers.embedded import EmbeddedFile
from shared.runtime import Runtime
from shared.store import ingestions
from tests.e2e.test_parcels import packed
from tests.pipeline import PRICES, chunk_rows, make_knowledge_base, run_all, upload
from tests.readers.compound import compound
from tests.readers.test_opendocument import write_odf
from tests.readers.workbooks import Made, workbook

PDF = PRICES.read_bytes()
ZIP = "application/zip"
# `pymupdf.PDF_ENCRYPT_AES_256`, which its type information leaves out.
LOCKED = {"encryption": 5, "user_pw": "secret", "owner_pw": "secret"}


@pytest.fixture
def base(runtime: Runtime, identity: Identity, request: pytest.FixtureRequest) -> UUID:
    return make_knowledge_base(runtime, identity, request.node.name)


def mail(subject: str, *files: tuple[str, bytes, str], **headers: str) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "Ann Lee <ann@example.org>", "bob@example.org", subject
    for name, value in {"Date": "Mon, 2 Mar 2026 14:05:44 +0100", **headers}.items():
        message[name.replace("_", "-")] = value
    message.set_content(f"The list for {subject} is attached.")
    for name, data, kind in files:
        main, _, sub = kind.partition("/")
        message.add_attachment(data, maintype=main, subtype=sub, filename=name)
    return message


def send(runtime: Runtime, identity: Identity, base: UUID, data: bytes, name: str = "one.eml") -> UUID:
    """Runs the file, then what was queued by it, and so on."""
    answer = run_all(runtime, upload(runtime, identity, base, data, name))
    while queued := waiting(runtime, identity, base):
        for row in queued:
            run_all(runtime, {"key": row["source_key"]})
    return UUID(answer["document_id"])


def read_again(runtime: Runtime, identity: Identity, base: UUID, document: UUID) -> None:
    """With the files that come along."""
    again = reingest(runtime, identity, document)
    scope = identity.scope(base)
    run_all(runtime, {"organization_id": str(scope.organization_id), "knowledge_base_id": str(base),
                      "document_id": str(document), "ingestion_id": str(again.id)})  # fmt: skip
    for row in waiting(runtime, identity, base):
        if row["source_key"].startswith("incoming/"):
            run_all(runtime, {"key": row["source_key"]})


def waiting(runtime: Runtime, identity: Identity, base: UUID) -> list[dict[str, Any]]:
    with runtime.database.transaction(identity.scope(base)) as connection:
        return connection.execute("select source_key from ingestions where status = 'queued'").fetchall()


def test_what_is_attached_is_a_document_that_is_linked_both_ways(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    files = (("prices.pdf", PDF, "application/pdf"), ("old.tar.gz", b"\x1f\x8b\0", "application/gzip"))
    sent = send(runtime, identity, base, mail("March", *files, ("empty.txt", b"", "text/plain")).as_bytes())
    pdf, archive, empty = list_attached(runtime, identity, sent).attachments
    assert (pdf.name, pdf.size, pdf.status, pdf.error) == ("prices.pdf", len(PDF), "ready", None)
    assert pdf.document_id is not None
    assert get_document(runtime, identity, pdf.document_id).name == "prices.pdf"
    assert verify_stored_document(runtime, identity, pdf.document_id).ok
    assert archive.status == empty.status == "refused"
    assert "empty" in (empty.error or "")
    assert [(one.id, one.name) for one in list_attached(runtime, identity, pdf.document_id).attached_to] == [
        (sent, "one.eml")
    ]


def test_the_same_file_in_several_messages_is_one_document_and_goes_with_the_last(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    file = ("prices.pdf", PDF, "application/pdf")
    sent = [send(runtime, identity, base, mail(f"No {n}", file).as_bytes(), f"{n}.eml") for n in range(3)]
    [one] = {list_attached(runtime, identity, mail_id).attachments[0].document_id for mail_id in sent}
    assert one is not None
    assert {carrier.id for carrier in list_attached(runtime, identity, one).attached_to} == set(sent)
    assert delete_document(runtime, identity, sent[0]).documents == 1
    assert delete_document(runtime, identity, sent[1]).documents == 1
    assert [carrier.id for carrier in list_attached(runtime, identity, one).attached_to] == [sent[2]]
    assert delete_document(runtime, identity, sent[2]).documents == 2
    with pytest.raises(NotFound):
        get_document(runtime, identity, one)


def test_what_was_sent_by_itself_too_stays_and_what_is_to_be_kept_stays(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    text = ("terms.txt", b"Payment within 30 days of the invoice.\n", "text/plain")
    sent = send(runtime, identity, base, mail("Both", ("prices.pdf", PDF, "application/pdf"), text).as_bytes())
    own = send(runtime, identity, base, PDF, "prices.pdf")
    assert own in {one.document_id for one in list_attached(runtime, identity, sent).attachments}
    assert delete_document(runtime, identity, sent, keep_attachments=True).documents == 1
    assert {one.name for one in list_documents(runtime, identity, base)} == {"prices.pdf", "terms.txt"}
    again = send(runtime, identity, base, mail("Again", ("prices.pdf", PDF, "application/pdf")).as_bytes())
    assert delete_document(runtime, identity, again).documents == 1
    assert get_document(runtime, identity, own).status == "ready"


def test_a_further_run_takes_nothing_out_twice(runtime: Runtime, identity: Identity, base: UUID) -> None:
    event = upload(runtime, identity, base, mail("Twice", ("prices.pdf", PDF, "application/pdf")).as_bytes(), "one.eml")
    first = run_all(runtime, event)
    run_all(runtime, event)
    assert len(waiting(runtime, identity, base)) == 1
    assert len(list_attached(runtime, identity, UUID(first["document_id"])).attachments) == 1


def test_what_is_interrupted_between_files_goes_on_with_those_that_are_left(
    runtime: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attached, "AT_ONCE", 2)
    files = [(f"{at}.txt", f"Terms of part {at}.\n".encode(), "text/plain") for at in range(5)]
    event = upload(runtime, identity, base, mail("Many", *files).as_bytes(), "one.eml")
    put, sent = runtime.blobs.put, list[str]()

    def interrupted(key: str, data: bytes, *more: str) -> None:
        sent.extend([key] if key.startswith("incoming/") else [])
        if len(sent) == 4:
            raise OSError("killed")
        put(key, data, *more)

    with monkeypatch.context() as broken:
        broken.setattr(runtime.blobs, "put", interrupted)
        with pytest.raises(OSError, match="killed"):
            run_all(runtime, event)
    assert {row["source_key"] for row in waiting(runtime, identity, base)} == set(sent[:2])
    run_all(runtime, event)
    assert len(waiting(runtime, identity, base)) == 5
    for row in waiting(runtime, identity, base):
        assert runtime.blobs.get(row["source_key"]).startswith(b"Terms of part")


def test_mail_within_mail_is_taken_apart_to_a_depth(runtime: Runtime, identity: Identity, base: UUID) -> None:
    inner = mail("Level 0", ("terms.txt", b"Terms of level nought.\n", "text/plain")).as_bytes()
    for level in range(1, attached.DEPTH_MAX + 2):
        inner = mail(f"Level {level}", (f"{level}.eml", inner, "application/octet-stream")).as_bytes()
    outer = send(runtime, identity, base, inner)
    seen: list[str] = []
    found: UUID | None = outer
    error: str | None = None
    while found is not None:
        [one] = list_attached(runtime, identity, found).attachments
        seen.append(one.status)
        found, error = one.document_id, one.error
    assert seen == ["ready"] * attached.DEPTH_MAX + ["refused"]
    assert "one within the other" in (error or "")


def zipped(name: str, **files: bytes) -> tuple[str, bytes, str]:
    return name, packed({key.replace("__", "/").replace("_", "."): data for key, data in files.items()}), ZIP


def names(runtime: Runtime, identity: Identity, base: UUID) -> set[str]:
    return {one.name for one in list_documents(runtime, identity, base)}


def test_files_of_a_zip_file_that_is_attached_are_linked_and_go_with_the_message(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    deep = packed({"deep.md": b"# Deep\n\nThe shaft turns.\n"})
    data = zipped("data.zip", folder__list_csv=b"part,price\nP1,12\n", inner_zip=deep, song_mp3=b"la la")
    inner = mail("Inner", data).as_bytes()
    sent = send(runtime, identity, base, mail("Outer", ("inner.eml", inner, "application/octet-stream")).as_bytes())
    assert names(runtime, identity, base) == {"one.eml", "inner.eml", "folder/list.csv", "inner.zip/deep.md"}
    [carrier] = list_attached(runtime, identity, sent).attachments
    assert carrier.document_id is not None
    told = list_attached(runtime, identity, carrier.document_id).attachments
    assert {(one.name, one.status) for one in told} == {
        ("data.zip/folder/list.csv", "ready"),
        ("data.zip/inner.zip/deep.md", "ready"),
        ("data.zip/song.mp3", "refused"),
    }
    for one in told:
        if one.document_id:
            assert [c.name for c in list_attached(runtime, identity, one.document_id).attached_to] == ["inner.eml"]
    assert delete_document(runtime, identity, sent).documents == 4
    assert names(runtime, identity, base) == set()
    with runtime.database.transaction(identity.scope(base)) as connection:
        assert connection.execute("select filename from uploads where filename like 'data%%'").fetchall() == []


def test_files_of_zip_files_stay_where_they_came_in_another_way_or_are_to_be_kept(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    files = {"a_txt": b"Terms of part A.\n", "b_txt": b"Terms of part B.\n", "c_txt": b"Terms of part C.\n"}
    first = send(runtime, identity, base, mail("First", zipped("all.zip", **files)).as_bytes(), "1.eml")
    second = send(
        runtime, identity, base, mail("Second", zipped("b.zip", b_txt=files["b_txt"])).as_bytes(), "2.eml"
    )  # fmt: skip
    [b] = list_attached(runtime, identity, second).attachments
    assert b.document_id is not None
    assert [c.name for c in list_attached(runtime, identity, b.document_id).attached_to] == ["1.eml", "2.eml"]
    send_parcel = upload(runtime, identity, base, packed({"c.txt": files["c_txt"]}), "own.zip")
    run_all(runtime, send_parcel)
    for row in waiting(runtime, identity, base):
        run_all(runtime, {"key": row["source_key"]})
    assert delete_document(runtime, identity, first).documents == 2
    assert names(runtime, identity, base) == {"2.eml", "b.txt", "c.txt"}
    assert delete_document(runtime, identity, second, keep_attachments=True).documents == 1
    assert names(runtime, identity, base) == {"b.txt", "c.txt"}
    again = send(runtime, identity, base, mail("Third", zipped("b.zip", b_txt=files["b_txt"])).as_bytes(), "3.eml")
    assert delete_document(runtime, identity, again).documents == 1
    assert names(runtime, identity, base) == {"b.txt", "c.txt"}


def test_the_same_zip_file_in_another_knowledge_base_is_left_alone(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    other = make_knowledge_base(runtime, identity, "other")
    data = mail("Both", zipped("all.zip", a_txt=b"Terms of part A.\n")).as_bytes()
    sent = [send(runtime, identity, one, data) for one in (base, other)]
    assert delete_document(runtime, identity, sent[0]).documents == 2
    assert names(runtime, identity, base) == set()
    assert names(runtime, identity, other) == {"one.eml", "a.txt"}


def test_files_of_a_zip_file_that_wait_go_with_the_message_and_what_comes_late_is_refused(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    data = mail("Wait", zipped("all.zip", a_txt=b"Terms of part A.\n", b_txt=b"Terms of part B.\n")).as_bytes()
    sent = UUID(run_all(runtime, upload(runtime, identity, base, data, "one.eml"))["document_id"])
    [parcel] = waiting(runtime, identity, base)
    run_all(runtime, {"key": parcel["source_key"]})
    queued = waiting(runtime, identity, base)
    assert len(queued) == 2
    with runtime.database.transaction(identity.scope(base)) as connection:
        # The first has begun and is not registered yet.
        connection.execute("update ingestions set status = 'running' where source_key = %s", [queued[0]["source_key"]])
    assert delete_document(runtime, identity, sent).documents == 1
    assert waiting(runtime, identity, base) == []
    assert run_all(runtime, {"key": queued[0]["source_key"]})["outcome"] == "refused"
    assert names(runtime, identity, base) == set()


def test_a_message_that_is_deleted_while_its_files_are_taken_out_takes_them_along(
    runtime: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind, (name, data, media) in (
        ("text", ("a.txt", b"Terms of part A.\n", "text/plain")),
        ("zip", zipped("all.zip", b_txt=b"Terms of part B.\n")),
    ):
        event = upload(runtime, identity, base, mail(kind, (name, data, media)).as_bytes(), "one.eml")
        sent = UUID(run_all(runtime, event)["document_id"])
        [row] = waiting(runtime, identity, base)
        with runtime.database.transaction(identity.scope(base)) as connection:
            connection.execute("update ingestions set status = 'running' where source_key = %s", [row["source_key"]])
        take = custody.take

        def meanwhile(*given: Any, sent: UUID = sent, take: Any = take) -> Any:
            taken = take(*given)
            delete_document(runtime, identity, sent)
            return taken

        with monkeypatch.context() as late:
            late.setattr(custody, "take", meanwhile)
            with suppress(NotFound):
                run_all(runtime, {"key": row["source_key"]})
        assert names(runtime, identity, base) == set()
        assert waiting(runtime, identity, base) == []


def test_what_is_copied_when_its_message_is_gone_leaves_nothing(
    runtime: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set(runtime.blobs.list(""))
    for file in (("a.txt", b"Terms of part A.\n", "text/plain"), zipped("all.zip", b_txt=b"Terms of part B.\n")):
        event = upload(runtime, identity, base, mail("Late", file).as_bytes(), "one.eml")
        sent = UUID(run_all(runtime, event)["document_id"])
        [row] = waiting(runtime, identity, base)
        with runtime.database.transaction(identity.scope(base)) as connection:
            connection.execute("update ingestions set status = 'running' where source_key = %s", [row["source_key"]])
        take = custody.take

        def meanwhile(*given: Any, sent: UUID = sent, take: Any = take) -> Any:
            taken = take(*given)
            copied = runtime.blobs.get(taken.key)
            delete_document(runtime, identity, sent)
            runtime.blobs.put(taken.key, copied)
            return taken

        with monkeypatch.context() as late, suppress(NotFound):
            late.setattr(custody, "take", meanwhile)
            run_all(runtime, {"key": row["source_key"]})
        assert names(runtime, identity, base) == set()
        assert waiting(runtime, identity, base) == []
        assert set(runtime.blobs.list("")) == before, file[0]


def test_of_thousands_of_files_the_first_are_taken_out(
    runtime: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attached, "FILES_MAX", 20)
    part = "--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename={0}.txt\n\nFile {0}.\n"
    head = "From: a@b.example\nTo: c@d.example\nSubject: Many\nContent-Type: multipart/mixed; boundary=b"
    data = f"{head}\n\n--b\n\nAll of them.\n" + "".join(map(part.format, range(2_000))) + "--b--\n"
    event = upload(runtime, identity, base, data.encode(), "many.eml")
    sent = UUID(run_all(runtime, event)["document_id"])
    rows = list_attached(runtime, identity, sent).attachments
    assert len(rows) == 21
    assert (rows[-1].name, rows[-1].status) == ("1,980 more", "refused")
    assert delete_document(runtime, identity, sent).documents == 1
    assert waiting(runtime, identity, base) == []


def test_messages_of_a_thread_are_found_across_files_and_within_a_mailbox(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    first = mail("Seal", Message_ID="<1@x>")
    second = mail("Re: Seal", Message_ID="<2@x>", In_Reply_To="<1@x>", Date="Tue, 3 Mar 2026 09:00:00 +0000")
    third = mail(
        "Re: Seal", Message_ID="<3@x>", References="<1@x> <2@x>", Date="Tue, 3 Mar 2026 08:00:00 -0500"
    )  # fmt: skip
    other = mail("Lunch", Message_ID="<9@x>", Date="Wed, 4 Mar 2026 08:00:00 +0000")
    box = b"".join(
        b"From ann@example.org Mon Mar  2 14:05:44 2026\n" + one.as_bytes() + b"\n" for one in (other, third)
    )
    mailbox = send(runtime, identity, base, box, "all.mbox")
    alone = send(runtime, identity, base, second.as_bytes(), "two.eml")
    begun = send(runtime, identity, base, first.as_bytes(), "one.eml")
    thread = find_thread(runtime, identity, begun)
    assert [(one.message_id, one.document_id) for one in thread] == [
        ("<1@x>", begun), ("<2@x>", alone), ("<3@x>", mailbox)
    ]  # fmt: skip
    assert [one.part for one in thread] == [1, 1, 2]
    assert thread == find_thread(runtime, identity, alone)
    assert {one.message_id for one in find_thread(runtime, identity, mailbox)} == {"<1@x>", "<2@x>", "<3@x>", "<9@x>"}
    assert delete_document(runtime, identity, alone).documents == 1
    assert [one.document_id for one in find_thread(runtime, identity, begun)] == [begun, mailbox]


def test_a_document_that_is_no_mail_is_in_no_thread(runtime: Runtime, identity: Identity, base: UUID) -> None:
    found = send(runtime, identity, base, b"# Terms\n\nPayment within 30 days.\n", "terms.md")
    assert find_thread(runtime, identity, found) == []
    assert list_attached(runtime, identity, found).attachments == []


def test_what_was_inserted_into_an_office_file_is_a_document_or_told_with_a_reason(
    runtime: Runtime, identity: Identity, base: UUID, tmp_path: Path
) -> None:
    report = write_odf(tmp_path / "report.odt", "text", "<text:p>The prices are in the table.</text:p>")
    with zipfile.ZipFile(report, "a") as file:
        file.writestr("Object 1", compound({"Package": workbook({"Prices": Made({"A1": "item", "A2": "pump"})})}))
        file.writestr("Object 2", compound({"Equation Native": b"E = m c^2"}))
    sent = send(runtime, identity, base, report.read_bytes(), "report.odt")
    sheet, drawn = list_attached(runtime, identity, sent).attachments
    assert (sheet.name, sheet.status, sheet.error) == ("Object 1.xlsx", "ready", None)
    assert sheet.document_id is not None
    assert verify_stored_document(runtime, identity, sheet.document_id).ok
    assert verify_stored_document(runtime, identity, sent).ok
    assert [one.id for one in list_attached(runtime, identity, sheet.document_id).attached_to] == [sent]
    assert (drawn.name, drawn.status, drawn.document_id) == ("an object of an unknown program", "refused", None)
    assert "nothing is read" in (drawn.error or "")
    assert delete_document(runtime, identity, sent).documents == 2


def pdf_with(*files: tuple[str, bytes], **saved: Any) -> bytes:
    with pymupdf.open() as made:
        made.new_page().insert_text((50, 50), "The prices are attached.")
        for name, data in files:
            made.embfile_add(name, data, filename=name, ufilename=name)
        return made.tobytes(**saved)


def test_what_is_attached_to_a_pdf_is_a_document_however_deep_it_lies(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    locked = pdf_with(**LOCKED)
    inner = pdf_with(("terms.txt", b"Payment within 30 days of the invoice.\n"))
    sent = send(runtime, identity, base, pdf_with(("inner.pdf", inner), ("locked.pdf", locked)), "outer.pdf")
    deeper, refused = list_attached(runtime, identity, sent).attachments
    assert (deeper.name, deeper.status, refused.name, refused.status) == ("inner.pdf", "ready", "locked.pdf", "refused")
    assert "password" in (refused.error or "")
    assert deeper.document_id is not None
    [terms] = list_attached(runtime, identity, deeper.document_id).attachments
    assert (terms.name, terms.status) == ("terms.txt", "ready")
    assert terms.document_id is not None
    for document in (sent, deeper.document_id, terms.document_id):
        assert verify_stored_document(runtime, identity, document).ok
    assert delete_document(runtime, identity, sent).documents == 4


def test_pdfs_in_pdfs_are_taken_apart_to_a_depth_and_equal_ones_are_one_document(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    same = ("terms.txt", b"Payment within 30 days.\n")
    data = pdf_with(same)
    for level in range(attached.DEPTH_MAX):
        data = pdf_with(same, (f"{level}.pdf", data))
    sent = send(runtime, identity, base, data, "outer.pdf")
    found, terms = sent, set[UUID | None]()
    for _ in range(attached.DEPTH_MAX):
        text, within = list_attached(runtime, identity, found).attachments
        terms.add(text.document_id)
        assert within.document_id is not None
        found = within.document_id
    [last] = list_attached(runtime, identity, found).attachments
    assert (len(terms), last.status) == (1, "refused")
    assert "one within the other" in (last.error or "")


def test_what_is_attached_to_a_pdf_with_a_password_comes_along(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    data = pdf_with(("terms.txt", b"Payment within 30 days.\n"), **LOCKED)
    event = upload(runtime, identity, base, data, "x.pdf", password="secret")
    sent = UUID(run_all(runtime, event)["document_id"])
    [terms] = list_attached(runtime, identity, sent).attachments
    assert (terms.name, terms.status) == ("terms.txt", "queued")


def test_what_was_read_before_files_were_taken_out_has_them_when_it_is_read_again_once(
    runtime: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr(register, "take_out", lambda *_: None)
        sent = send(runtime, identity, base, pdf_with(("terms.txt", b"Payment within 30 days.\n")), "offer.pdf")
    assert list_attached(runtime, identity, sent).attachments == []
    for _ in range(2):
        read_again(runtime, identity, base, sent)
    [terms] = list_attached(runtime, identity, sent).attachments
    assert (terms.name, terms.status) == ("terms.txt", "ready")


def test_files_that_wait_get_their_own_bytes_in_whatever_order_they_are_found_later(
    runtime: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [(f"{at}.txt", f"Terms of part {at}.\n".encode()) for at in range(3)]
    older = [EmbeddedFile(*one) for one in [("gone.txt", b"gone"), *reversed(files)]]
    event = upload(runtime, identity, base, pdf_with(*files), "offer.pdf")
    put = runtime.blobs.put

    def killed(key: str, data: bytes, *more: str) -> None:
        if key.startswith("incoming/"):
            raise OSError("killed")
        put(key, data, *more)

    with monkeypatch.context() as before:
        before.setattr(attached, "embedded_files", lambda _: older)
        before.setattr(runtime.blobs, "put", killed)
        with pytest.raises(OSError, match="killed"):
            run_all(runtime, event)
    sent = UUID(run_all(runtime, event)["document_id"])
    for row in waiting(runtime, identity, base):
        run_all(runtime, {"key": row["source_key"]})
    found = {one.name: one for one in list_attached(runtime, identity, sent).attachments}
    assert {name: one.status for name, one in found.items()} == {
        "gone.txt": "refused", "0.txt": "ready", "1.txt": "ready", "2.txt": "ready",
    }  # fmt: skip
    assert "not found in the file any more" in (found["gone.txt"].error or "")
    for at in range(3):
        document = found[f"{at}.txt"].document_id
        assert document is not None
        [chunk] = chunk_rows(runtime, identity.scope(base), document)
        assert chunk["content"] == f"Terms of part {at}."


def test_what_an_older_reader_could_only_name_is_taken_out_when_it_is_read_again(
    runtime: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, deleted = ((f"{at}.txt", f"Terms of part {at}.\n".encode()) for at in range(3))
    named = EmbeddedFile("an object of Word", b"", "It is drawn by another program.")
    broken = EmbeddedFile("broken.bin", b"", "The object is damaged.")
    with monkeypatch.context() as older:
        listed = [named, broken, EmbeddedFile(*first), EmbeddedFile(*deleted)]
        older.setattr(attached, "embedded_files", lambda _: listed)
        sent = send(runtime, identity, base, pdf_with(first, second, deleted), "offer.pdf")
    before = list_attached(runtime, identity, sent).attachments
    assert [one.status for one in before] == ["refused", "refused", "ready", "ready"]
    newer = [EmbeddedFile(*second), EmbeddedFile(*deleted), broken, EmbeddedFile(*first)]
    monkeypatch.setattr(attached, "embedded_files", lambda _: newer)
    for _ in range(2):
        read_again(runtime, identity, base, sent)
        after = list_attached(runtime, identity, sent).attachments
        assert [(one.name, one.status) for one in after] == [
            ("broken.bin", "refused"), ("0.txt", "ready"), ("2.txt", "ready"), ("1.txt", "ready"),
        ]  # fmt: skip
    assert {one.document_id for one in before} < {one.document_id for one in after}
    assert delete_document(runtime, identity, after[-2].document_id or sent).documents == 1
    read_again(runtime, identity, base, sent)
    assert [one.name for one in list_attached(runtime, identity, sent).attachments] == ["broken.bin", "0.txt", "1.txt"]


def test_what_was_deleted_by_itself_stays_deleted_when_an_older_reader_only_named_something(
    runtime: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    deleted, kept = ((f"{at}.txt", f"Terms of part {at}.\n".encode()) for at in range(2))
    with monkeypatch.context() as older:
        named = EmbeddedFile("an object of Word", b"", "It is drawn by another program.")
        older.setattr(attached, "embedded_files", lambda _: [named, EmbeddedFile(*deleted)])
        sent = send(runtime, identity, base, pdf_with(deleted, kept), "offer.pdf")
    [_, one] = list_attached(runtime, identity, sent).attachments
    assert delete_document(runtime, identity, one.document_id or sent).documents == 1
    for _ in range(2):
        read_again(runtime, identity, base, sent)
        assert [(one.name, one.status) for one in list_attached(runtime, identity, sent).attachments] == [
            ("1.txt", "ready")
        ]
    # Whoever sends it again has it, and it goes with the document as it would have before.
    again = send(runtime, identity, base, deleted[1], "0.txt")
    assert get_document(runtime, identity, again).status == "ready"
    assert delete_document(runtime, identity, sent).documents == 2


def test_a_file_that_was_the_only_one_stays_deleted_until_what_brought_it_is_sent_again(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    """What is left of it says no more than which bytes they were, and is gone with what brought it."""
    sent = send(runtime, identity, base, pdf_with(("terms.txt", b"Payment within 30 days.\n")), "offer.pdf")
    [terms] = list_attached(runtime, identity, sent).attachments
    assert delete_document(runtime, identity, terms.document_id or sent).documents == 1
    read_again(runtime, identity, base, sent)
    assert list_attached(runtime, identity, sent).attachments == []
    with runtime.database.transaction(identity.scope(base)) as connection:
        rows = connection.execute("select filename, title, size from uploads where parcel_id is not null").fetchall()
    assert rows == [{"filename": "", "title": None, "size": 0}]
    delete_document(runtime, identity, sent, keep_attachments=True)
    with runtime.database.transaction(identity.scope(base)) as connection:
        assert connection.execute("select from uploads").fetchall() == []
    sent = send(runtime, identity, base, pdf_with(("terms.txt", b"Payment within 30 days.\n")), "offer.pdf")
    assert [one.status for one in list_attached(runtime, identity, sent).attachments] == ["ready"]


def test_files_of_a_document_that_was_sent_twice_stay_with_the_upload_that_brought_some(
    runtime: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its first upload has none, since an older reader took none out; the second one's run did."""
    data = pdf_with(("terms.txt", b"Payment within 30 days.\n"))
    with monkeypatch.context() as older:
        older.setattr(register, "take_out", lambda *_: None)
        sent = send(runtime, identity, base, data, "offer.pdf")
        assert send(runtime, identity, base, data, "copy.pdf") == sent
    text, member = b"Payment within 30 days.\n", new_id()
    with runtime.database.transaction(identity.scope(base)) as connection:
        second = connection.execute("select * from uploads order by id desc limit 1").fetchone()
        assert second is not None
        key = incoming_key(str(identity.organization_id), str(base), str(member))
        ingestions.add_members(connection, second, [
            {"id": member, "filename": "terms.txt", "path": None, "size": len(text), "source_key": key,
             "sha256": hashlib.sha256(text).hexdigest(), "refusal": None}])  # fmt: skip
    read_again(runtime, identity, base, sent)
    [terms] = list_attached(runtime, identity, sent).attachments
    assert (terms.name, terms.status) == ("terms.txt", "ready")
