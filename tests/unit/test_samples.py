"""The committed samples are what the script builds, and the gold beside them is true of the pages."""

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from functions.samples import sample_questions
from samples.build import build_all, write_questions

SAMPLES = Path(__file__).parents[2] / "samples"
RULE_BOOKS = ("kestrel-cup-2025.pdf", "kestrel-cup-2026.pdf")
PDFS = (*RULE_BOOKS, "tarnwick-price-list-2026.pdf")


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    build_all(folder)
    return folder


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def normal(text: str) -> str:
    return " ".join(text.split())


def page_text(page: Any) -> str:
    lines = [line for block in page.get_text("dict")["blocks"] for line in block.get("lines", [])]
    return "\n".join("".join(span["text"] for span in line["spans"] if not is_footnote_mark(span)) for line in lines)


def is_footnote_mark(span: dict[str, Any]) -> bool:
    return span["size"] < 7 and span["text"].strip().isdigit()


def page_texts(name: str) -> list[str]:
    with pymupdf.open(SAMPLES / name) as document:
        return [normal(page_text(page)) for page in document]


def geometry(path: Path) -> list[list[tuple[Any, ...]]]:
    with pymupdf.open(path) as document:
        pages: list[Any] = [page.get_text("words") for page in document]
    return [[(*(round(edge, 1) for edge in word[:4]), word[4]) for word in words] for words in pages]


def rules(name: str) -> dict[str, str]:
    return {
        line["address"]: line["text"]
        for line in read_lines(SAMPLES / "gold.jsonl")
        if line["file"] == name and line["kind"] == "rule"
    }


@pytest.mark.parametrize("name", PDFS)
def test_building_again_gives_the_committed_text_and_geometry(rebuilt: Path, name: str) -> None:
    assert geometry(rebuilt / name) == geometry(SAMPLES / name)


@pytest.mark.parametrize("name", ["gold.jsonl", "questions.jsonl"])
def test_building_again_gives_the_committed_gold(rebuilt: Path, name: str) -> None:
    assert (rebuilt / name).read_bytes() == (SAMPLES / name).read_bytes()


def test_two_builds_are_equal_byte_for_byte(rebuilt: Path, tmp_path: Path) -> None:
    for path in build_all(tmp_path):
        assert path.read_bytes() == (rebuilt / path.name).read_bytes()


@pytest.mark.parametrize("name", PDFS)
def test_each_pdf_is_small_enough_to_ship(name: str) -> None:
    assert (SAMPLES / name).stat().st_size < 600_000


@pytest.mark.parametrize("name", PDFS)
def test_every_gold_text_stands_on_its_pages(name: str) -> None:
    pages = page_texts(name)
    lines = [line for line in read_lines(SAMPLES / "gold.jsonl") if line["file"] == name]
    assert lines
    for line in lines:
        assert line["pages"] == list(range(line["pages"][0], line["pages"][-1] + 1)), line["address"]
        here = " ".join(pages[number - 1] for number in line["pages"])
        missing = [word for word in line["text"].split() if word not in here]
        assert line["address"] in here or line["kind"] == "part"
        assert not missing, (line["address"], missing)


@pytest.mark.parametrize("name", PDFS)
def test_a_rule_on_one_page_reads_there_word_for_word(name: str) -> None:
    pages = page_texts(name)
    for line in read_lines(SAMPLES / "gold.jsonl"):
        if line["file"] == name and len(line["pages"]) == 1 and line["kind"] in ("rule", "product", "row"):
            assert normal(line["text"]) in pages[line["pages"][0] - 1], line["address"]


@pytest.mark.parametrize("name", RULE_BOOKS)
def test_each_edition_has_a_paragraph_across_a_page_break(name: str) -> None:
    lines = read_lines(SAMPLES / "gold.jsonl")
    assert any(len(line["pages"]) == 2 and "\n" not in line["text"] for line in lines if line["file"] == name)


@pytest.mark.parametrize("name", RULE_BOOKS)
def test_a_table_continues_on_the_next_page_under_its_repeated_header(name: str) -> None:
    assert sum("Thread Class Pitch (mm)" in text for text in page_texts(name)) == 2


@pytest.mark.parametrize("name", RULE_BOOKS)
def test_bookmarks_name_each_part_chapter_and_section_on_its_page(name: str) -> None:
    gold = {line["address"]: line["pages"][0] for line in read_lines(SAMPLES / "gold.jsonl") if line["file"] == name}
    with pymupdf.open(SAMPLES / name) as document:
        marks = {title.split()[0]: page for _, title, page in document.get_toc() if re.match(r"[ABC]\d", title)}
    assert marks == {address: page for address, page in gold.items() if re.fullmatch(r"[ABC]\d+(\.\d+)?", address)}


def test_the_editions_differ_by_changed_added_and_removed_rules() -> None:
    old, new = rules(RULE_BOOKS[0]), rules(RULE_BOOKS[1])
    assert sum(old[address] != new[address] for address in old.keys() & new.keys()) > 60
    assert {"B1.3.4", "B5.3.1", "C7.6.5"} <= new.keys() - old.keys()
    assert "B2.2.7" in old.keys() - new.keys()


def test_the_manifest_names_exactly_the_shipped_pdfs_and_links_the_editions() -> None:
    manifest = tomllib.loads((SAMPLES / "manifest.toml").read_text("utf-8"))
    documents = [document for base in manifest["knowledge_base"] for document in base["document"]]
    assert {document["file"] for document in documents} == {path.name for path in SAMPLES.glob("*.pdf")}
    assert [document.get("version_of") for document in documents] == [None, RULE_BOOKS[0], None]


def test_every_place_of_a_question_holds_what_is_expected_on_its_page() -> None:
    questions = read_lines(SAMPLES / "questions.jsonl")
    answered = [question for question in questions if question["expected"]]
    assert (len(answered), len(questions)) == (25, 30)
    texts = {name: page_texts(name) for name in PDFS}
    for question in answered:
        for place in question["expected"]:
            assert place["quote"] in texts[place["document"]][place["page"] - 1], question["question"]
            assert any(wording in place["quote"] for wording in question["expect"]), place


def test_a_sample_knowledge_base_has_the_questions_on_its_documents_and_those_that_none_answers() -> None:
    manifest = tomllib.loads((SAMPLES / "manifest.toml").read_text("utf-8"))
    rules, prices = (sample_questions(base) for base in manifest["knowledge_base"])
    assert [sum(q.kind == "answerable" for q in asked) for asked in (rules, prices)] == [21, 4]
    assert [sum(q.kind == "negative" for q in asked) for asked in (rules, prices)] == [5, 5]
    card = next(q for q in prices if q.question == "What does the TF-7 cost?").expected[1]
    assert (card.document, card.page) == ("Tarnwick Air – Price list 2026", 1)
    assert (card.quote or "").endswith("PRICE: EUR 11,480")


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[dict[str, object]]]:
    path = tmp_path_factory.mktemp("asking") / "kestrel-2026.pdf"
    with pymupdf.open() as document:
        for line in ("C1 The wing is 900 mm wide.", "T7 Wing: 900 mm or less. Nut 5 mm.", "Nut 5 mm."):
            document.new_page().insert_text((50, 50), line)
        document.save(path)
    gold: list[dict[str, object]] = [{"file": path.name, "address": "C1", "pages": [1]}]

    def ask(*says: str) -> list[dict[str, object]]:
        asked = [{"ask": "How wide?", "answer": "900 mm", "address": "C1", "expect": ["900 mm"], "says": list(says)}]
        return write_questions(asked, gold, [path])

    return ask


def test_a_place_is_named_with_its_document_page_and_words(asking: Callable[..., list[dict[str, Any]]]) -> None:
    (line,) = asking("The wing is 900 mm wide.", "Wing: 900 mm or less.")
    assert line["expected"] == [
        {"document": "kestrel-2026.pdf", "page": 1, "quote": "The wing is 900 mm wide."},
        {"document": "kestrel-2026.pdf", "page": 2, "quote": "Wing: 900 mm or less."},
    ]


@pytest.mark.parametrize(
    ("says", "why"),
    [
        (("The wing is 900 mm wide.", "Nut 5 mm."), "does not answer"),
        (("The wing is 900 mm wide.", "The wing is 900 mm long."), "stands on 0 pages"),
        (("900 mm",), "stands on 2 pages"),
        (("Wing: 900 mm or less.",), "does not stand at C1"),
    ],
)
def test_a_place_that_does_not_hold_is_refused(asking: Callable[..., object], says: tuple[str, ...], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        asking(*says)
