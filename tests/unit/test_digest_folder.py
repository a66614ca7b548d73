"""A digest's files as they are written for a folder, read back, and merged with what stands here."""

import re
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from shared.digest.folder import FolderFile, read_file, write_file
from shared.digest.merging import BaseLine, Wish, merge_file
from shared.domain.digest import DigestAsset, DigestCitation, DigestFile, DigestLine, LineKind
from shared.domain.knowledge import Chunk, DocumentRef, VersionEnvelope
from shared.errors import BadInput

CHUNKS = [uuid4() for _ in range(3)]
TITLE, HEADING = "Brakes", "Pads"
FIRST, SECOND, THIRD = "Pads are 12 mm thick.", "Discs are made of steel.", "Calipers have four pistons."


def line(kind: LineKind, text: str, *cited: UUID) -> DigestLine:
    citations = [DigestCitation(kind="chunk", source_id=one, document_id=uuid4()) for one in cited]
    return DigestLine(statement_id=uuid4(), kind=kind, text=text, origin="system", author="", citations=citations)


def make_file(*statements: DigestLine) -> DigestFile:
    """As the store writes its content: numbers of citations in the order of their first use."""
    lines = [line("title", TITLE), line("heading", HEADING), *statements]
    numbers = {one: n for n, one in enumerate(dict.fromkeys(c.source_id for s in statements for c in s.citations), 1)}
    shown = [
        f"- {s.text}" + (f" [{', '.join(str(numbers[c.source_id]) for c in s.citations)}]" if s.citations else "")
        for s in statements
    ]
    content = "\n".join([f"# {TITLE}", "1.2.0 | 2026-11-26", f"## {HEADING}", *shown, ""])
    return DigestFile(
        id=uuid4(), tier="summary", path="summaries/brakes.md", title=TITLE, topic_id=uuid4(), parent_id=uuid4(),
        version="1.2.0", number=3, changed_by="agent", updated_at=datetime(2026, 11, 26, tzinfo=UTC),
        content_hash="0" * 64, size=len(content), limit=2000, statements=len(statements), stale=0, uncited=0,
        by_people=0, content=content, lines=lines,
    )  # fmt: skip


@pytest.fixture
def file() -> DigestFile:
    return make_file(
        line("statement", FIRST, CHUNKS[0]),
        line("statement", SECOND, CHUNKS[1], CHUNKS[0]),
        line("statement", THIRD, CHUNKS[2]),
    )


def base_of(file: DigestFile) -> list[BaseLine]:
    return [
        BaseLine(one.statement_id, one.text, tuple((c.kind, c.source_id) for c in one.citations))
        for one in file.lines
        if one.kind == "statement"
    ]


def sent_back(file: DigestFile, old: str, new: str) -> FolderFile:
    written = write_file(file)
    assert old in written
    return read_file(file.path, written.replace(old, new))


def wishes(file: DigestFile, old: str, new: str) -> list[Wish]:
    merged = merge_file(sent_back(file, old, new), base_of(file), [TITLE, HEADING], file)
    assert merged.refusals == []
    return merged.wishes


def ids(file: DigestFile) -> list[UUID]:
    return [one.statement_id for one in file.lines if one.kind == "statement"]


def test_a_file_says_its_version_and_defines_what_its_numbers_cite(file: DigestFile) -> None:
    written = write_file(file)
    assert written.startswith(f"---\nid: {file.id}\ntier: summary\nversion: 1.2.0\nnumber: 3\nsha256: {'0' * 64}\n")
    assert f"- {SECOND} [2, 1]\n" in written
    assert written.endswith("".join(f"[{n}]: autri://chunks/{one}\n" for n, one in enumerate(CHUNKS, 1)))


def test_what_is_written_is_read_back(file: DigestFile) -> None:
    read = read_file(file.path, write_file(file).replace("\n", "\r\n"))
    assert (read.id, read.number, read.tier) == (file.id, 3, "summary")
    assert [(one.kind, one.text) for one in read.lines] == [(one.kind, one.text) for one in file.lines]
    assert read.lines[3].sources == (("chunk", CHUNKS[1]), ("chunk", CHUNKS[0]))


def with_marks(file: DigestFile) -> DigestFile:
    """Its first statement is stale and by a person, its last one a person's that nothing bears out."""
    first, _, last = (one for one in file.lines if one.kind == "statement")
    stale = first.model_copy(update={"stale": True, "origin": "user"})
    own = last.model_copy(update={"origin": "user", "uncited": True})
    changed = {first.statement_id: stale, last.statement_id: own}
    return file.model_copy(update={"lines": [changed.get(one.statement_id, one) for one in file.lines]})


def test_what_holds_of_a_statement_now_stands_behind_it(file: DigestFile) -> None:
    written = write_file(with_marks(file))
    assert f"\n- {FIRST} [1] *(stale, by a person)*\n- {SECOND} [2, 1]\n" in written
    assert f"\n- {THIRD} [3] *(by a person, uncited)*\n\n[1]: autri" in written


def test_of_two_statements_of_the_same_words_each_has_its_own_marks() -> None:
    file = make_file(line("statement", FIRST, CHUNKS[0]), line("statement", FIRST, CHUNKS[1]))
    lines = [one.model_copy(update={"stale": one is file.lines[-1]}) for one in file.lines]
    written = write_file(file.model_copy(update={"lines": lines}))
    assert f"\n- {FIRST} [1]\n- {FIRST} [2] *(stale)*\n" in written


def test_a_statement_that_ends_in_brackets_of_its_own_has_its_marks() -> None:
    file = make_file(line("statement", f"{FIRST} [3]"), line("statement", FIRST, CHUNKS[0]))
    lines = [one.model_copy(update={"uncited": one is file.lines[2]}) for one in file.lines]
    written = write_file(file.model_copy(update={"lines": lines}))
    assert f"\n- {FIRST} [3] *(uncited)*\n- {FIRST} [1]\n" in written


def test_marks_are_not_read_back(file: DigestFile) -> None:
    marked = with_marks(file)
    read = read_file(file.path, write_file(marked))
    assert [(one.kind, one.text) for one in read.lines] == [(one.kind, one.text) for one in file.lines]
    assert read.lines[2].sources == (("chunk", CHUNKS[0]),)
    assert wishes(marked, FIRST, FIRST) == []
    thick = "Pads are 14 mm thick."
    assert wishes(marked, FIRST, thick) == [Wish(ids(file)[0], thick, (("chunk", CHUNKS[0]),))]
    bold = f"{FIRST} *(measured)*"
    assert wishes(file, f"{FIRST} [1]", f"{bold} [1]") == [Wish(ids(file)[0], bold, (("chunk", CHUNKS[0]),))]


def test_what_nobody_changed_asks_for_nothing(file: DigestFile) -> None:
    assert wishes(file, FIRST, FIRST) == []


def test_a_changed_a_new_and_a_missing_line_are_an_edit_each(file: DigestFile) -> None:
    first, second, _ = ids(file)
    thick = "Pads are 14 mm thick."
    assert wishes(file, FIRST, thick) == [Wish(first, thick, (("chunk", CHUNKS[0]),))]
    assert wishes(file, f"- {SECOND} [2, 1]\n", "") == [Wish(second, None)]
    added = "Handbrakes hold on a slope of 20 %."
    assert wishes(file, f"- {SECOND} [2, 1]\n", f"- {SECOND} [2, 1]\n- {added}\n") == [Wish(None, added, (), second)]


def test_other_sources_of_the_same_words_are_an_edit(file: DigestFile) -> None:
    first = ids(file)[0]
    assert wishes(file, f"{FIRST} [1]", f"{FIRST} [3]") == [Wish(first, FIRST, (("chunk", CHUNKS[2]),))]


def test_what_was_changed_here_since_is_a_conflict_and_nothing_is_asked(file: DigestFile) -> None:
    base, mine, theirs = base_of(file), "Pads are 14 mm thick.", "Pads are 13 mm thick."
    sent = sent_back(file, FIRST, mine)
    changed = [one.model_copy(update={"text": theirs}) if one.text == FIRST else one for one in file.lines]
    merged = merge_file(sent, base, [TITLE, HEADING], file.model_copy(update={"lines": changed}))
    assert merged.wishes == []
    assert [(one.reason, one.text, one.standing) for one in merged.refusals] == [("changed_since", mine, theirs)]
    gone = [one for one in file.lines if one.text != FIRST]
    merged = merge_file(sent, base, [TITLE, HEADING], file.model_copy(update={"lines": gone}))
    assert [(one.reason, one.text) for one in merged.refusals] == [("gone", mine)]
    assert merged.wishes == []


def test_taking_the_same_folder_twice_asks_for_nothing_the_second_time(file: DigestFile) -> None:
    mine = "Pads are 14 mm thick."
    done = [one.model_copy(update={"text": mine}) if one.text == FIRST else one for one in file.lines]
    merged = merge_file(
        sent_back(file, FIRST, mine), base_of(file), [TITLE, HEADING], file.model_copy(update={"lines": done})
    )
    assert (merged.wishes, merged.refusals) == ([], [])


def test_a_title_is_not_changed_by_a_folder(file: DigestFile) -> None:
    merged = merge_file(sent_back(file, f"## {HEADING}", "## Linings"), base_of(file), [TITLE, HEADING], file)
    assert [(one.reason, one.text, one.standing) for one in merged.refusals] == [
        ("not_a_statement", "Linings", ""), ("not_a_statement", "", HEADING),
    ]  # fmt: skip
    assert merged.wishes == []


def test_a_file_that_cannot_be_read_says_what_is_wrong(file: DigestFile) -> None:
    with pytest.raises(BadInput, match=r"brakes\.md has no front matter"):
        read_file(file.path, file.content)
    with pytest.raises(BadInput, match="needs `id` and `number`"):
        read_file(file.path, write_file(file).replace("number: 3", "number: three"))
    with pytest.raises(BadInput, match=r"cites \[9\], which no line of it defines"):
        read_file(file.path, write_file(file).replace(f"{FIRST} [1]", f"{FIRST} [9]"))


def make_asset(caption: str, document: str) -> DigestAsset:
    chunk = Chunk(
        id=CHUNKS[0], document_id=CHUNKS[1], knowledge_base_id=CHUNKS[2], ordinal=0, chunk_type="figure", content="",
        section_id=None, section=None, boxes=[], confidence=1,
    )  # fmt: skip
    return DigestAsset(
        kind="figure", path=f"assets/figure-{chunk.id}.jpg", caption=caption, page=3, chunk=chunk,
        document=DocumentRef(id=CHUNKS[1], name=document, source_type="pdf"),
        version=VersionEnvelope(label=None, index=1, is_current=True, logical_document_name=document),
    )  # fmt: skip


@pytest.mark.parametrize("said", ["Figure 1 — Pads", 'a](http://evil.example "x") [b', "a\n# Title\n- said [1]", "\\"])
def test_a_figure_is_one_line_that_says_what_it_is_and_is_not_read_back(file: DigestFile, said: str) -> None:
    written = write_file(file, [make_asset(said, said)])
    (line,) = written.removeprefix(write_file(file)).strip().split("\n")
    assert re.fullmatch(
        rf"!\[[^\[\]]*\]\(\.\./assets/figure-{CHUNKS[0]}\.jpg \"[^\"]*, page 3 autri://chunks/{CHUNKS[0]}\"\)", line
    )
    assert read_file(file.path, written) == read_file(file.path, write_file(file))


def test_a_picture_that_somebody_puts_there_is_a_statement_of_theirs(file: DigestFile) -> None:
    sent = read_file(file.path, write_file(file, [make_asset("Pads", "rules.pdf")]) + "![Mine](../assets/mine.png)\n")
    assert [one.text for one in sent.lines][-1] == "![Mine](../assets/mine.png)"
