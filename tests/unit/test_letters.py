"""The letters of a second reading, which lines of the first one take."""

from pathlib import Path

from shared.domain.raw_page import SecondText
from shared.domain.verify import StoredPage
from shared.verify.parts import PartProver
from tests.readers.structured import opened


def proving(tmp_path: Path, text: str, second: str) -> tuple[list[str], str]:
    """The lines of a text that a second reading has not, and what it has left."""
    path = tmp_path / "x.txt"
    path.write_text(text)
    source = opened(path)
    page = source.read_page(1)
    prover = PartProver(source, SecondText(second, offsets=False))
    proven = prover.prove(1, StoredPage(1, False, page.route, []), page)
    lines = {one.id: one.text for one in page.fragments}
    return [lines[one] for one in proven.second or ()], prover.left_over()[1]


def test_a_short_line_is_taken_where_it_is_a_line(tmp_path: Path) -> None:
    assert proving(tmp_path, "1\n2\nSpace 21\n", "Space 21\n1\n2\n") == ([], "")
    assert proving(tmp_path, "2\nSpace 21\n1\n", "1\nSpace 21\n2\n") == ([], "")


def test_each_line_is_taken_once(tmp_path: Path) -> None:
    assert proving(tmp_path, "1\n1\n1\n", "1\n1\n") == (["1"], "")
    assert proving(tmp_path, "a\nb\nab\n", "ab\n") == (["ab"], "")
    assert proving(tmp_path, "Y\n1\na1b\nX\n", "a1b\nX\n1\nY\n") == ([], "")
    assert proving(tmp_path, "ab\nab\n", "ab\nxab\nab\n") == ([], "xab")


def test_a_line_that_another_reading_divides_or_joins_is_there(tmp_path: Path) -> None:
    assert proving(tmp_path, "one two\nthree\n", "one\ntwothree\n") == ([], "")
    assert proving(tmp_path, "three\nfour\n", "one three\nfour\n") == ([], "one")
    assert proving(tmp_path, "owt\n", "two\n") == (["owt"], "two")
