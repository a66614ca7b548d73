"""Reads a workbook with calamine in a process of its own: the library ends its process where a file claims more cells
than there is memory for."""

import os
import pickle
import re
import resource
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from io import BytesIO
from pathlib import Path

Value = int | float | str | bool | time | date | datetime | timedelta
Sheets = dict[str, Sequence[Sequence[Value]]]

TIMEOUT_S = 120
# Address space, above what the largest workbook takes that is read at all.
MEMORY_BYTES = 3 << 30

_VALUE = re.compile(rb"<v>([^<]*+)</v>")


def read_values(path: Path) -> Sheets | None:
    """Sheets as rows of values, from A1; None where calamine cannot read the file."""
    command = [sys.executable, "-m", __name__, str(path)]
    environment = {**os.environ, "PYTHONPATH": ":".join(one for one in sys.path if one)}
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False, env=environment)
    except subprocess.TimeoutExpired:
        return None
    # What our own program wrote: plain values.
    return pickle.loads(done.stdout) if done.returncode == 0 else None  # noqa: S301


def main() -> None:
    from python_calamine import CalamineError

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    path = Path(sys.argv[1])
    try:
        sheets = _sheets(path)
    except CalamineError:
        if not zipfile.is_zipfile(path):
            raise
        sheets = _sheets(_without_space(path))
    pickle.dump(sheets, sys.stdout.buffer)


def _sheets(file: Path | BytesIO) -> Sheets:
    from python_calamine import CalamineWorkbook, SheetTypeEnum

    with CalamineWorkbook.from_object(file) as workbook:
        return {
            sheet.name: workbook.get_sheet_by_name(sheet.name).to_python(skip_empty_area=False)
            for sheet in workbook.sheets_metadata
            if sheet.typ == SheetTypeEnum.WorkSheet
        }


def _without_space(path: Path) -> BytesIO:
    """The workbook without white space before and behind the values of cells: calamine gives up on such numbers, which
    R's packages write."""
    made = BytesIO()
    with zipfile.ZipFile(path) as read, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as written:
        for member in read.infolist():
            data = read.read(member)
            if member.filename.startswith("xl/worksheets/"):
                data = _VALUE.sub(lambda found: b"<v>" + found[1].strip() + b"</v>", data)
            written.writestr(member, data)
    made.seek(0)
    return made


if __name__ == "__main__":
    main()
