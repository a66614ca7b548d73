"""Counts the results of verification into the report."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from shared.domain.verify import Check, Difference, StoredChunk, VerifyFailure, VerifyReport
from shared.verify.page import Wrong
from shared.verify.second_reader import HARMLESS

MAX_EXAMPLES = 100
EXAMPLE_CHARACTERS = 200


@dataclass
class Checked:
    """The results for one chunk."""

    chunk: StoredChunk
    failures: list[VerifyFailure] = field(default_factory=list[VerifyFailure])
    warnings: list[VerifyFailure] = field(default_factory=list[VerifyFailure])
    differences: set[Difference] = field(default_factory=set[Difference])

    def fail(self, check: Check, page: int | None, expected: str, actual: str) -> None:
        self.failures.append(_example(self.chunk.id, page, Wrong(check, expected, actual)))

    def warn(self, check: Check, page: int | None, expected: str, actual: str) -> None:
        self.warnings.append(_example(self.chunk.id, page, Wrong(check, expected, actual)))


def count_chunk(report: VerifyReport, checked: Checked) -> None:
    report.chunks += 1
    failed = {failure.check for failure in checked.failures}
    report.boxes_exact += not failed & {"box", "fragment"}
    if failed:
        report.failed += 1
    elif checked.chunk.ocr:
        report.ocr += 1
    else:
        report.verbatim += 1
        report.second_reader += checked.differences <= HARMLESS
    for difference in sorted(checked.differences):
        report.second_reader_differences[difference] = report.second_reader_differences.get(difference, 0) + 1
    _note(report.failures, checked.failures)
    _note(report.warnings, checked.warnings)


def count_page(report: VerifyReport, page: int | None, wrong: Sequence[Wrong]) -> None:
    """A part of an older reader is no failure and no proof."""
    older = [one for one in wrong if one.check == "older_reader"]
    report.older_reader += len(older)
    _note(report.warnings, [_example(None, page, one) for one in older])
    _note(report.failures, [_example(None, page, one) for one in wrong if one not in older])


def count_beyond(report: VerifyReport, page: int, letters: str) -> None:
    """Adds a warning about letters that only the second reader sees on a page."""
    report.second_reader_differences["beyond"] = report.second_reader_differences.get("beyond", 0) + 1
    _note(report.warnings, [_example(None, page, Wrong("second_reader", "no line", f"beyond: {letters}"))])


def _example(chunk_id: str | None, page: int | None, wrong: Wrong) -> VerifyFailure:
    expected, actual = _cut(wrong.expected), _cut(wrong.actual)
    return VerifyFailure(chunk_id=chunk_id, page=page, check=wrong.check, expected=expected, actual=actual)


def _note(examples: list[VerifyFailure], found: Sequence[VerifyFailure]) -> None:
    examples += found[: MAX_EXAMPLES - len(examples)]


def _cut(text: str) -> str:
    return text if len(text) <= EXAMPLE_CHARACTERS else text[:EXAMPLE_CHARACTERS] + "…"
