"""Reads a workbook with calamine in a process of its own: the library ends its process where a file claims more cells
than there is memory for."""

import os
import pickle
import resource
import subprocess
import sys
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path

Value = int | float | str | bool | time | date | datetime | timedelta
Sheets = dict[str, Sequence[Sequence[Value]]]

TIMEOUT_S = 120
# Address space, above what the largest workbook takes that is read at all.
MEMORY_BYTES = 3 << 30


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
    from python_calamine import CalamineWorkbook, SheetTypeEnum

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    sheets: Sheets = {}
    with CalamineWorkbook.from_path(Path(sys.argv[1])) as workbook:
        for sheet in workbook.sheets_metadata:
            if sheet.typ == SheetTypeEnum.WorkSheet:
                sheets[sheet.name] = workbook.get_sheet_by_name(sheet.name).to_python(skip_empty_area=False)
    pickle.dump(sheets, sys.stdout.buffer)


if __name__ == "__main__":
    main()
