from pathlib import Path

from shared.rereading.sheets import reread_workbook
from tests.readers.structured import opened
from tests.readers.workbooks import Made, workbook


def test_a_cell_that_only_the_second_reader_lays_out_ends_no_server(tmp_path: Path) -> None:
    path = tmp_path / "far.xlsx"
    path.write_bytes(workbook({"S": Made({"A1": "x", "XFD1048576": '<c t="str"><v> </v></c>'})}))
    assert opened(path).page_count == 1
    cells = reread_workbook(path).cells
    assert cells is not None
    assert cells.left() == ""
