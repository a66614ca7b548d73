"""Gold files: shapes that are recognised, rows that are left out, and what is said of those that cannot be read."""

import json
from pathlib import Path
from typing import Any

import pytest

from shared.domain.evaluation import GoldInput, GoldPlace
from shared.errors import BadInput
from shared.evaluation.gold_file import read_gold
from shared.evaluation.trec import read_trec

RULES = {"document": "rules.pdf"}


def place(document: str, page: int | None = None, **fine: Any) -> GoldPlace:
    return GoldPlace(document=document, page=page, **fine)


def write(folder: Path, *rows: Any, name: str = "gold.jsonl") -> Path:
    file = folder / name
    file.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"expected": [{**RULES, "page": 2, "quote": "wing"}]}, [place("rules.pdf", 2, quote="wing")]),
        ({"document": "rules.pdf", "pages": [2, 3]}, [place("rules.pdf", 2), place("rules.pdf", 3)]),
        ({"evidence": [{"doc": "a.pdf", "page_1based": 7}]}, [place("a.pdf", 7)]),
        ({"doc": "a.pdf", "answers": ["380"], "page_1based": 49, "page_in_range": True}, [place("a.pdf", 49)]),
        ({"doc": "a.pdf", "answers": ["380"]}, [place("a.pdf")]),
        ({"docs": ["a.pdf", "b.pdf"], "answer": "both"}, [place("a.pdf"), place("b.pdf")]),
        ({"file": "a.pdf", "pages": [5], "address": "C1", "expect": "5 kg"}, [place("a.pdf", 5)]),
        ({"truth": "Free. [a.pdf#page=7] [b c.pdf#page=1]"}, [place("a.pdf", 7), place("b c.pdf", 1)]),
    ],
)  # fmt: skip
def test_a_row_is_read_by_what_its_fields_mean(tmp_path: Path, row: dict[str, Any], expected: list[GoldPlace]) -> None:
    found = read_gold(write(tmp_path, {"question": "What?", **row}))
    assert [q.expected for q in found.questions] == [expected]
    assert found.questions[0].pin is None


def test_a_section_is_asked_of_its_own_document(tmp_path: Path) -> None:
    row = {"doc": "asvs.pdf", "section_id": "V1.1.1", "parent_id": "V1.1", "text": "Verify.", "pages_1based": [17]}
    [question] = read_gold(write(tmp_path, row)).questions
    assert (question.question, question.pin, question.expected) == ("V1.1.1", "asvs.pdf", [place("asvs.pdf", 17)])


@pytest.mark.parametrize(("documents", "pin"), [(["a.pdf", "a.pdf"], "a.pdf"), (["a.pdf", "b.pdf"], None)])
def test_a_section_is_asked_of_the_only_document_expected(
    tmp_path: Path, documents: list[str], pin: str | None
) -> None:
    places = [{"document": name, "page": page} for page, name in enumerate(documents, start=3)]
    [question] = read_gold(write(tmp_path, {"section_id": "4.2", "expected": places})).questions
    assert (question.question, question.pin) == ("4.2", pin)


@pytest.mark.parametrize(
    "row", [{"kind": "negative"}, {"answerable": False, "doc": "a.pdf"}, {"answer": None, "file": None, "pages": []}]
)
def test_a_question_without_an_answer_is_negative(tmp_path: Path, row: dict[str, Any]) -> None:
    [question] = read_gold(write(tmp_path, {"question": "Who?", **row})).questions
    assert (question.kind, question.expected) == ("negative", [])


def test_an_answer_that_stands_nowhere_is_left_out_and_a_question_asked_twice_counts_twice(tmp_path: Path) -> None:
    lost = {"question": "Where?", "answer": "There.", "evidence": []}
    kept = {"question": "What is it?", **RULES}
    found = read_gold(write(tmp_path, lost, kept, "", {"question": "what is  IT?", **RULES}))
    assert [q.question for q in found.questions] == ["What is it?", "what is  IT?"]
    assert len(found.left_out) == 1
    assert "line 1" in found.left_out[0]


def test_a_list_in_one_document_is_read_as_lines_are(tmp_path: Path) -> None:
    found = read_gold(write(tmp_path, [{"question": "What?", **RULES}], name="gold.json"))
    assert len(found.questions) == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ("7", "not an object"),
        ({"document": "rules.pdf"}, "no question"),
        ({"question": "What?", "document": "rules.pdf", "page": 0}, "page"),
        ({"question": "What?", "document": "rules.pdf", "page": "seven"}, "page"),
        ({"question": "x" * 5000, "document": "rules.pdf"}, "question"),
        ({"question": "What?", "expected": [{"document": "rules.pdf", "grade": 0}]}, "grade"),
        ({"question": "What?", "answer": "So. [r.pdf#page=0]"}, "page"),
        ({"question": "What?", "answer": f"So. [r.pdf#page={'9' * 5000}]"}, "page"),
        ({"question": "What?", "answer": "So. [ #page=1]"}, "document"),
    ],
)
def test_a_row_that_cannot_be_read_is_named_with_its_line(tmp_path: Path, line: Any, said: str) -> None:
    file = write(tmp_path, {"question": "What?", **RULES}, line)
    with pytest.raises(BadInput, match=said) as caught:
        read_gold(file)
    assert f"{file}, line 2" in str(caught.value)


@pytest.mark.parametrize("text", ["", "\n\n", json.dumps({"question": "What?", "answer": "That."})])
def test_a_file_without_a_question_to_measure_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput, match="no question that can be measured"):
        read_gold(write(tmp_path, text))


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "gold.jsonl"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="UTF-8"):
        read_gold(file)


def test_what_is_written_out_is_read_back(tmp_path: Path) -> None:
    question = GoldInput(question="What?", expected=[place("a.pdf", 2, quote="so", grade=3)], pin="a.pdf", answer="So.")
    assert read_gold(write(tmp_path, question.model_dump(mode="json", exclude_none=True))).questions == [question]


XML = "<xml><top><num> 4</num><title>\nheat &amp; flow\n</title></top><top><num>8</num><title>slabs</title></top></xml>"
OLD = """
<top>
<num> Number: 4
<title> Topic: heat & flow
<desc> Description:
more
</top>
<top>
<num> Number: 8
<title> slabs
</top>
"""
LINES = "4\theat & flow\n8\tslabs\n"


@pytest.mark.parametrize("topics", [XML, OLD, LINES])
def test_topics_of_every_form_are_joined_with_their_judgements(tmp_path: Path, topics: str) -> None:
    (tmp_path / "topics").write_text(topics)
    (tmp_path / "qrels").write_text("4 0 184 2\n4 0 29 0\n4 0 31 -1\n8 0 12 1\n9 0 12 1\n")
    found = read_trec(tmp_path / "topics", tmp_path / "qrels")
    assert [(q.question, q.expected) for q in found.questions] == [
        ("heat & flow", [place("184", grade=2)]),
        ("slabs", [place("12")]),
    ]
    assert "query 9" in found.left_out[0]


def test_judgements_may_count_the_topics_by_their_position(tmp_path: Path) -> None:
    (tmp_path / "topics").write_text(XML)
    (tmp_path / "qrels").write_text("2 0 12 1\n")
    found = read_trec(tmp_path / "topics", tmp_path / "qrels", by_position=True)
    assert [q.question for q in found.questions] == ["slabs"]
    assert "query 1 has no relevant document" in found.left_out[0]


@pytest.mark.parametrize(
    ("topics", "qrels", "said"),
    [
        (XML, "4 0 184 1\n4 184 1\n", "qrels, line 2"),
        (XML, "4 0 184 good\n", "qrels, line 1"),
        (XML, "8 0 12 1\n4 0 184 500\n", "qrels, line 2 cannot be used: grade"),
        (XML, f"4 0 184 {'9' * 5000}\n", "qrels, line 1"),
        (XML, f"4 0 {'x' * 600} 1\n", "qrels, line 1 cannot be used: document"),
        (XML, "\n".join(f"4 0 {n} 1" for n in range(5001)), r"topics: query 4 .*qrels.*expected"),
        (f"4\t{'x' * 4001}\n", "4 0 184 1\n", "topics: query 4 .*question"),
        ("<top><num>4</num></top>", "4 0 184 1\n", "no <title>"),
        ("4 heat\n", "4 0 184 1\n", "topics, line 1"),
    ],
)
def test_trec_files_that_cannot_be_read_are_named_with_their_line(
    tmp_path: Path, topics: str, qrels: str, said: str
) -> None:
    (tmp_path / "topics").write_text(topics)
    (tmp_path / "qrels").write_text(qrels)
    with pytest.raises(BadInput, match=said):
        read_trec(tmp_path / "topics", tmp_path / "qrels")
