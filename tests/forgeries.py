"""Kinds of damage that `verify` has to find. Each does one to a stored document and says where: a chunk or a page."""

import unicodedata
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pymupdf
from psycopg.types.json import Jsonb

from shared.domain.ids import new_id
from tests.forger import Forger, Row, lines_of, page_of

Place = Row | int
Forgery = Callable[[Forger], Place]
# The checks of which one has to fail at that place.
FORGERIES: dict[Forgery, frozenset[str]] = {}


def found_by(*checks: str) -> Callable[[Forgery], Forgery]:
    def keep(forgery: Forgery) -> Forgery:
        FORGERIES[forgery] = frozenset(checks)
        return forgery

    return keep


def _rewrite(change: Callable[[str], str], kind: str = "text") -> Forgery:
    """Another text in a paragraph, everything else as it is."""

    def forge(f: Forger) -> Place:
        chunk = f.text() if kind == "text" else f.chunk(kind)
        content = change(chunk["content"])
        assert content != chunk["content"]
        return f.change(chunk, content=content)

    return forge


def _swapped(text: str) -> str:
    at = next(n for n in range(len(text) - 1) if text[n].isalpha() and text[n + 1].isalpha() and text[n] != text[n + 1])
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


TEXTS: dict[str, Callable[[str], str]] = {
    "two_letters_swapped": _swapped,
    "a_homoglyph": lambda text: text.replace("a", "\u0430", 1),
    "a_doubled_space": lambda text: text.replace(" ", "  ", 1),
    "a_space_removed": lambda text: text.replace(" ", "", 1),
    "a_space_made_a_line_feed": lambda text: text.replace(" ", "\n", 1),
    "a_space_made_a_cell_border": lambda text: text.replace(" ", " | ", 1),
    "a_space_made_a_no_break_space": lambda text: text.replace(" ", "\u00a0", 1),
    "a_tab": lambda text: text.replace(" ", "\t", 1),
    "a_word_put_in": lambda text: text.replace(" ", " not ", 1),
    "a_word_taken_out": lambda text: " ".join(text.split(" ")[:3] + text.split(" ")[4:]),
    "text_behind_the_end": lambda text: text + " And more.",
    "a_space_behind_the_end": lambda text: text + " ",
    "text_in_front": lambda text: "Draft: " + text,
    "the_last_letter_cut": lambda text: text[:-1],
    "the_first_letter_cut": lambda text: text[1:],
    "another_case": str.swapcase,
    "one_capital": lambda text: text.replace("e", "E", 1),
    "letters_decomposed": lambda text: unicodedata.normalize("NFD", text.replace("e", "\u00e9", 1)),
    "a_soft_hyphen": lambda text: text[:4] + "\u00ad" + text[4:],
    "a_zero_width_space": lambda text: text[:4] + "\u200b" + text[4:],
    "a_mark_of_direction": lambda text: text + "\u202e",
    "nothing_left": lambda _: "",
}
for _name, _change in TEXTS.items():
    _forge = _rewrite(_change)
    _forge.__name__ = _name
    found_by("verbatim")(_forge)


@found_by("verbatim")
def a_digit_changed(f: Forger) -> Place:
    chunk = f.chunk("text", lambda c: any(digit.isdigit() for digit in c["content"]))
    at = next(n for n, c in enumerate(chunk["content"]) if c.isdigit())
    digit = str((int(chunk["content"][at]) + 1) % 10)
    return f.change(chunk, content=chunk["content"][:at] + digit + chunk["content"][at + 1 :])


@found_by("verbatim")
def two_chunks_with_each_others_text(f: Forger) -> Place:
    one, other, *_ = f.chunks("text")
    f.change(other, content=one["content"])
    return f.change(one, content=other["content"])


@found_by("verbatim", "operations")
def lines_of_a_chunk_in_another_order(f: Forger) -> Place:
    chunk = f.text()
    box = chunk["boxes"][0]
    return f.box(chunk, fragment_ids=[*box["fragment_ids"][1:], box["fragment_ids"][0]])


@found_by("operations")
def lines_and_text_of_a_chunk_in_another_order(f: Forger) -> Place:
    chunk = f.text()
    texts = {one["id"]: one["text"] for one in f.read(f"pages/{page_of(chunk)}.json")["fragments"]}
    named = list(reversed(list(lines_of(chunk))))
    f.box(chunk, fragment_ids=named)
    f.change(chunk, content=" ".join(texts[one] for one in named))
    return page_of(chunk)


@found_by("verbatim")
def a_line_named_less_than_its_text_has(f: Forger) -> Place:
    chunk = f.text()
    return f.box(chunk, fragment_ids=list(lines_of(chunk))[:-1])


# Chunks as rows


@found_by("unclaimed")
def a_chunk_deleted(f: Forger) -> Place:
    chunk = f.text()
    f.sql("delete from chunks where id = %(id)s", id=chunk["id"])
    return page_of(chunk)


@found_by("unclaimed")
def a_heading_deleted(f: Forger) -> Place:
    chunk = f.chunk("heading")
    f.sql("delete from chunks where id = %(id)s", id=chunk["id"])
    return page_of(chunk)


@found_by("unclaimed")
def a_table_deleted_with_its_rows(f: Forger) -> Place:
    table = f.table()
    f.sql("delete from chunks where table_id = %(id)s", id=table["id"])
    f.sql("delete from tables where id = %(id)s", id=table["id"])
    return int(table["first_page"])


@found_by("table")
def the_chunk_of_a_table_deleted(f: Forger) -> Place:
    chunk = f.chunk("table_row", lambda c: c["table_id"] == f.table()["id"])
    f.sql("delete from chunks where table_id = %(id)s and chunk_type = 'table'", id=chunk["table_id"])
    return chunk


@found_by("table")
def the_chunk_of_a_row_deleted(f: Forger) -> Place:
    chunk = f.chunk("table_row")
    f.sql("delete from chunks where id = %(id)s", id=chunk["id"])
    return page_of(chunk)


def _copy(f: Forger, chunk: Row, **columns: Any) -> Row:
    """A second row of a chunk."""
    made = chunk | {"id": new_id(), "occurrence": chunk["occurrence"] + 7} | columns
    names = [name for name in made if name != "text_key"]
    values = {n: Jsonb(made[n]) if n in ("boxes", "attrs") else made[n] for n in names}
    columns_sql, placed = ", ".join(names), ", ".join(f"%({n})s" for n in names)
    f.sql(f"insert into chunks ({columns_sql}) values ({placed})", **values)  # noqa: S608 columns of ours
    return made


@found_by("claimed_twice")
def a_chunk_doubled(f: Forger) -> Place:
    return page_of(_copy(f, f.text()))


@found_by("table")
def the_chunk_of_a_row_doubled(f: Forger) -> Place:
    return page_of(_copy(f, f.chunk("table_row")))


@found_by("fragment", "box")
def a_chunk_on_another_page(f: Forger) -> Place:
    chunk = f.text()
    return f.box(chunk, page=page_of(chunk) + 1)


@found_by("box")
def a_chunk_on_a_page_that_the_source_lacks(f: Forger) -> Place:
    return f.box(f.text(), page=99)


@found_by("unclaimed")
def a_chunk_moved_to_another_document(f: Forger) -> Place:
    chunk = f.text()
    f.forget_derived(chunk["id"])
    columns = "document_id = %(other)s, section_id = null, occurrence = 9"
    f.sql(f"update chunks set {columns} where id = %(id)s", other=f.other.document, id=chunk["id"])  # noqa: S608
    return page_of(chunk)


@found_by("claimed_twice")
def a_chunk_of_another_document(f: Forger) -> Place:
    (chunk,) = f.sql(
        "select * from chunks where document_id = %(other)s and chunk_type = 'text' order by ordinal limit 1",
        other=f.other.document,
    )
    f.forget_derived(chunk["id"])
    columns = "document_id = %(document)s, section_id = null, occurrence = 9"
    f.sql(f"update chunks set {columns} where id = %(id)s", id=chunk["id"])  # noqa: S608
    return page_of(chunk)


@found_by("operations")
def another_type(f: Forger) -> Place:
    return page_of(f.change(f.text(), chunk_type="footnote"))


@found_by("verbatim")
def a_type_that_pages_do_not_have(f: Forger) -> Place:
    return f.change(f.text(), chunk_type="structured")


@found_by("operations")
def two_chunks_in_each_others_place(f: Forger) -> Place:
    one, other = _neighbours(f)
    f.change(one, ordinal=other["ordinal"])
    f.change(other, ordinal=one["ordinal"])
    return page_of(one)


def _neighbours(f: Forger) -> tuple[Row, Row]:
    chunks = [c for c in f.chunks("text") if len(c["boxes"]) == 1]
    return next((a, b) for a, b in pairwise(chunks) if page_of(a) == page_of(b))


@found_by("operations")
def two_chunks_made_one(f: Forger) -> Place:
    one, other = _neighbours(f)
    f.change(one, content=f"{one['content']} {other['content']}", boxes=[*one["boxes"], *other["boxes"]])
    f.sql("delete from chunks where id = %(id)s", id=other["id"])
    return page_of(one)


# Boxes


@found_by("box")
def a_box_a_hundred_thousandth_to_the_right(f: Forger) -> Place:
    chunk = f.text()
    return f.box(chunk, x=chunk["boxes"][0]["x"] + 1e-5)


@found_by("box")
def a_box_two_millionths_down(f: Forger) -> Place:
    chunk = f.text()
    return f.box(chunk, y=chunk["boxes"][0]["y"] + 2e-6)


@found_by("box")
def a_box_one_percent_wider(f: Forger) -> Place:
    chunk = f.text()
    return f.box(chunk, w=chunk["boxes"][0]["w"] * 1.01)


@found_by("box")
def a_box_one_percent_of_the_page_higher(f: Forger) -> Place:
    chunk = f.text()
    return f.box(chunk, h=chunk["boxes"][0]["h"] + 0.01)


@found_by("box")
def a_right_edge_from_the_last_line(f: Forger) -> Place:
    chunk = f.text()
    box, last = chunk["boxes"][0], list(lines_of(chunk))[-1]
    fragments = f.read(f"pages/{page_of(chunk)}.json")["fragments"]
    width = next(one["box"]["w"] for one in fragments if one["id"] == last)
    assert width < box["w"] - 0.01
    return f.box(chunk, w=width)


@found_by("box")
def a_bottom_edge_from_the_first_line(f: Forger) -> Place:
    chunk = f.text()
    return f.box(chunk, h=0.012)


@found_by("verbatim", "unclaimed")
def a_box_missing(f: Forger) -> Place:
    chunk = f.chunk("text", lambda c: len(c["boxes"]) > 1)
    return f.change(chunk, boxes=chunk["boxes"][:1])


@found_by("box")
def no_boxes(f: Forger) -> Place:
    return f.change(f.text(), boxes=[])


@found_by("box")
def a_box_too_many(f: Forger) -> Place:
    chunk = f.text()
    return f.change(chunk, boxes=[*chunk["boxes"], chunk["boxes"][0] | {"fragment_ids": []}])


@found_by("box")
def a_box_cut_in_two(f: Forger) -> Place:
    """Each is right by itself, but a column has one box."""
    chunk = f.text()
    fragments = {one["id"]: one["box"] for one in f.read(f"pages/{page_of(chunk)}.json")["fragments"]}
    boxes = [chunk["boxes"][0] | fragments[one] | {"fragment_ids": [one]} for one in lines_of(chunk)]
    return f.change(chunk, boxes=boxes)


@found_by("verbatim")
def other_lines_under_the_right_text(f: Forger) -> Place:
    one, other = _neighbours(f)
    return f.box(one, fragment_ids=other["boxes"][0]["fragment_ids"])


@found_by("box", "verbatim")
def a_part_of_a_line_one_character_off(f: Forger) -> Place:
    chunk = f.text()
    first, second, *rest = lines_of(chunk)
    return f.box(chunk, fragment_ids=[first, f"{second}[1:9]", *rest])


@found_by("fragment")
def a_part_beyond_the_end_of_a_line(f: Forger) -> Place:
    chunk = f.text()
    first, *rest = lines_of(chunk)
    return f.box(chunk, fragment_ids=[f"{first}[0:999]", *rest])


@found_by("fragment")
def a_line_that_is_not_there(f: Forger) -> Place:
    chunk = f.text()
    return f.box(chunk, fragment_ids=[*lines_of(chunk), f"p{page_of(chunk)}.f999"])


@found_by("box")
def a_row_of_a_table_with_another_box(f: Forger) -> Place:
    chunk = f.chunk("table_row")
    return f.box(chunk, w=chunk["boxes"][0]["w"] / 2)


@found_by("ocr")
def a_chunk_said_to_be_recognised(f: Forger) -> Place:
    return f.change(f.text(), ocr=True)


# Tables


def _inked(row: list[Row]) -> list[Row]:
    return [cell for cell in row if cell["text"]]


def _whole(f: Forger, table: Row) -> Row:
    return f.chunk("table", lambda c: c["table_id"] == table["id"])


@found_by("table")
def text_of_a_cell(f: Forger) -> Place:
    table = f.grid(f.table(), lambda grid: _inked(grid[-1])[-1].update(text="9.99"))
    return _whole(f, table)


@found_by("table")
def texts_of_two_cells_swapped(f: Forger) -> Place:
    def swap(grid: list[list[Row]]) -> None:
        one, other = _inked(grid[-1])[:2]
        one["text"], other["text"] = other["text"], one["text"]

    return _whole(f, f.grid(f.table(), swap))


@found_by("table")
def two_cells_swapped(f: Forger) -> Place:
    def swap(grid: list[list[Row]]) -> None:
        grid[-1][0], grid[-1][1] = grid[-1][1], grid[-1][0]

    return _whole(f, f.grid(f.table(), swap))


@found_by("table")
def two_rows_of_a_grid_swapped(f: Forger) -> Place:
    def swap(grid: list[list[Row]]) -> None:
        grid[-1], grid[-2] = grid[-2], grid[-1]

    return _whole(f, f.grid(f.table(), swap))


@found_by("table")
def a_row_of_a_grid_removed(f: Forger) -> Place:
    return _whole(f, f.grid(f.table(), lambda grid: grid.pop()))


@found_by("operations")
def a_cell_over_two_columns(f: Forger) -> Place:
    table = f.table()
    f.grid(table, lambda grid: grid[1][0].update(col_span=2))
    return int(table["first_page"])


@found_by("operations")
def a_cell_over_two_rows(f: Forger) -> Place:
    table = f.table()
    f.grid(table, lambda grid: grid[1][0].update(row_span=2))
    return int(table["first_page"])


@found_by("table")
def a_row_more_of_header(f: Forger) -> Place:
    table = f.table()
    f.sql("update tables set header_rows = header_rows + 1 where id = %(id)s", id=table["id"])
    return int(table["first_page"])


@found_by("box")
def the_box_of_a_cell(f: Forger) -> Place:
    def move(grid: list[list[Row]]) -> None:
        cell = _inked(grid[-1])[0]
        cell["boxes"] = [cell["boxes"][0] | {"x": cell["boxes"][0]["x"] - 0.001}]

    return _whole(f, f.grid(f.table(), move))


@found_by("table")
def the_caption_of_a_table(f: Forger) -> Place:
    table = f.table()
    f.sql("update tables set caption = caption || ' (revised)' where id = %(id)s", id=table["id"])
    return _whole(f, table)


@found_by("table")
def the_pages_of_a_table(f: Forger) -> Place:
    table = f.table()
    f.sql("update tables set last_page = first_page where id = %(id)s", id=table["id"])
    return _whole(f, table)


@found_by("verbatim")
def the_text_of_a_row(f: Forger) -> Place:
    chunk = f.chunk("table_row")
    return f.change(chunk, content=chunk["content"].replace(" | ", " ", 1))


@found_by("verbatim", "table")
def the_chunk_of_a_row_for_another_row(f: Forger) -> Place:
    chunk = f.chunk("table_row", lambda c: c["table_id"] == f.table()["id"])
    return f.change(chunk, table_row=chunk["table_row"] + 1)


@found_by("verbatim")
def the_text_of_a_whole_table(f: Forger) -> Place:
    chunk = f.chunk("table")
    return f.change(chunk, content=chunk["content"].replace("\n", " | ", 1))


# Stored pages


@found_by("fragment")
def text_of_a_stored_line(f: Forger) -> Place:
    return f.fragment(1, 3, text="Invented words")


@found_by("fragment")
def text_of_a_stored_line_and_its_chunk(f: Forger) -> Place:
    """Both say the same: only the source can tell."""
    chunk = f.text()
    name = list(lines_of(chunk))[1]
    fragments = f.read(f"pages/{page_of(chunk)}.json")["fragments"]
    line = next(one for one in fragments if one["id"] == name)
    text = _swapped(line["text"])
    f.fragment(page_of(chunk), fragments.index(line), text=text)
    return f.change(chunk, content=chunk["content"].replace(line["text"], text, 1))


def _line(f: Forger, page: int, change: Callable[[Row], Any]) -> int:
    return f.page_file(page, lambda file: change(file["fragments"][2]))


@found_by("fragment")
def the_box_of_a_stored_line(f: Forger) -> Place:
    return _line(f, 1, lambda one: one["box"].update(x=one["box"]["x"] + 1e-5))


@found_by("fragment")
def the_height_of_a_stored_line(f: Forger) -> Place:
    return _line(f, 1, lambda one: one["box"].update(h=one["box"]["h"] * 1.01))


@found_by("unread_text")
def a_stored_line_removed(f: Forger) -> Place:
    return f.page_file(1, lambda file: file["fragments"].pop())


@found_by("fragment")
def a_stored_line_put_in(f: Forger) -> Place:
    def add(file: Row) -> None:
        last = file["fragments"][-1]
        number = len(file["fragments"]) + 1
        file["fragments"].append(last | {"id": f"p1.f{number}", "text": "A line that nobody wrote"})

    return f.page_file(1, add)


@found_by("fragment")
def a_stored_line_doubled(f: Forger) -> Place:
    def add(file: Row) -> None:
        file["fragments"].append(file["fragments"][-1] | {"id": f"p1.f{len(file['fragments']) + 1}"})

    return f.page_file(1, add)


@found_by("page")
def two_stored_lines_with_each_others_names(f: Forger) -> Place:
    def swap(file: Row) -> None:
        one, other = file["fragments"][:2]
        one["id"], other["id"] = other["id"], one["id"]

    return f.page_file(1, swap)


@found_by("unread_text", "ocr")
def a_stored_line_said_to_be_recognised(f: Forger) -> Place:
    return f.fragment(1, 3, ocr=True)


@found_by("ocr")
def words_said_to_be_recognised_where_nothing_is(f: Forger) -> Place:
    def add(file: Row) -> None:
        box = {"x": 0.4, "y": 0.985, "w": 0.1, "h": 0.01}
        number = len(file["fragments"]) + 1
        file["fragments"].append(
            file["fragments"][-1] | {"id": f"p1.f{number}", "text": "Stamped", "ocr": True, "box": box}
        )
        file["route"] = "mixed"

    return f.page_file(1, add)


@found_by("ocr")
def a_page_said_to_be_a_scan(f: Forger) -> Place:
    """Every line believed, were the source not asked for its text layer."""

    def scan(file: Row) -> None:
        file["route"] = "ocr"
        for one in file["fragments"]:
            one["ocr"] = True

    f.sql("update pages set route = 'ocr' where document_id = %(document)s and page = 1")
    return f.page_file(1, scan)


@found_by("fragment")
def a_line_said_to_be_invisible(f: Forger) -> Place:
    return f.fragment(1, 3, invisible=True)


@found_by("fragment")
def a_line_said_to_be_large(f: Forger) -> Place:
    return f.fragment(1, 3, size=40.0)


@found_by("page")
def a_page_of_another_size(f: Forger) -> Place:
    return f.page_file(1, lambda file: file.update(width_pt=file["width_pt"] + 1))


@found_by("page")
def a_page_with_another_number(f: Forger) -> Place:
    return f.page_file(1, lambda file: file.update(page=2))


@found_by("unread_text")
def a_stored_page_missing(f: Forger) -> Place:
    f.remove("pages/1.json")
    return 1


@found_by("unread_page")
def a_page_recorded_as_failed(f: Forger) -> Place:
    f.sql("update pages set status = 'failed' where document_id = %(document)s and page = 1")
    return 1


@found_by("unread_page")
def a_page_with_no_record(f: Forger) -> Place:
    f.sql("delete from pages where document_id = %(document)s and page = 1")
    return 1


# What was left out


@found_by("unclaimed")
def text_left_out_without_a_record(f: Forger) -> Place:
    return f.skipped(1, list.pop)


@found_by("verbatim")
def another_text_of_what_was_left_out(f: Forger) -> Place:
    return f.skipped(1, lambda skipped: skipped[0].update(text="A footer"))


@found_by("operations")
def another_reason_for_what_was_left_out(f: Forger) -> Place:
    return f.skipped(1, lambda skipped: skipped[0].update(reason="watermark"))


@found_by("operations")
def a_paragraph_left_out(f: Forger) -> Place:
    chunk = f.text()
    f.sql("delete from chunks where id = %(id)s", id=chunk["id"])
    record = {"page": page_of(chunk), "reason": "decoration", "text": chunk["content"], "box": chunk["boxes"][0]}
    return f.skipped(page_of(chunk), lambda skipped: skipped.append(record))


# Operations


def _operation(operations: list[Row], kind: str) -> Row:
    return next(one for one in operations if one["op"] == kind)


@found_by("operations")
def an_operation_removed(f: Forger) -> Place:
    return f.operations(1, lambda operations: operations.pop(3))


@found_by("operations")
def an_operation_doubled(f: Forger) -> Place:
    return f.operations(1, lambda operations: operations.append(operations[3]))


@found_by("operations")
def operations_that_overlap(f: Forger) -> Place:
    def overlap(operations: list[Row]) -> None:
        one, other = [o for o in operations if o["op"] == "register_chunk"][:2]
        one["fragment_ids"] += other["fragment_ids"]

    return f.operations(1, overlap)


@found_by("operations")
def a_paragraph_that_operations_leave_out(f: Forger) -> Place:
    def hide(operations: list[Row]) -> None:
        at = operations.index(_operation(operations, "register_chunk"))
        named = operations[at]["fragment_ids"]
        operations[at] = {"op": "skip", "fragment_ids": named, "reason": "decoration"}

    return f.operations(1, hide)


@found_by("operations")
def operations_of_another_page(f: Forger) -> Place:
    f.put("ops/1.json", f.read("ops/2.json"))
    return 1


@found_by("operations")
def no_operations(f: Forger) -> Place:
    f.remove("ops/1.json")
    return 1


# Sections


@found_by("section")
def the_title_of_a_section(f: Forger) -> Place:
    section = f.section(lambda s: bool(s["title"]) and s["address"])
    f.sql("update sections set title = 'Other rules' where id = %(id)s", id=section["id"])
    return int(section["page"])


@found_by("section")
def the_title_of_a_section_wherever_it_is_said(f: Forger) -> Place:
    section = f.section(lambda s: bool(s["title"]) and s["address"])
    f.sql("update sections set title = 'Other rules' where id = %(id)s", id=section["id"])
    for row in f.sql("select id, path from sections where document_id = %(document)s"):
        for step in row["path"]:
            if step["id"] == str(section["id"]):
                step["title"] = "Other rules"
        f.sql("update sections set path = %(path)s where id = %(id)s", path=Jsonb(row["path"]), id=row["id"])
    return int(section["page"])


@found_by("section")
def the_number_of_a_section(f: Forger) -> Place:
    section = f.section(lambda s: bool(s["address"]))
    f.sql("update sections set address = 'X99' where id = %(id)s", id=section["id"])
    return int(section["page"])


@found_by("section")
def a_section_found_by_another_number(f: Forger) -> Place:
    section = f.section(lambda s: bool(s["address"]))
    f.sql("update section_addresses set address_key = 'x99' where section_id = %(id)s and exact", id=section["id"])
    return int(section["page"])


@found_by("section")
def a_section_on_another_page(f: Forger) -> Place:
    section = f.section(lambda s: bool(s["title"]))
    f.sql("update sections set page = page + 1 where id = %(id)s", id=section["id"])
    return int(section["page"])


@found_by("section")
def a_section_nobody_wrote(f: Forger) -> Place:
    section = f.section(lambda s: bool(s["address"]) and s["parent_id"] is None)
    path = Jsonb([{"id": str(section["id"]), "address": "Z1", "title": "Invented"}])
    f.sql(
        "insert into sections select (jsonb_populate_record(s, %(changes)s)).* from sections s where id = %(id)s",
        id=section["id"],
        changes=Jsonb({"id": str(made := new_id()), "address": "Z1", "title": "Invented", "occurrence": 9}),
    )
    f.sql("update sections set path = %(path)s where id = %(id)s", path=path, id=made)
    return int(section["page"])


# Figures and values


@found_by("box", "figure")
def the_box_of_a_figure(f: Forger) -> Place:
    chunk = f.chunk("figure")
    return f.box(chunk, w=chunk["boxes"][0]["w"] * 0.9)


@found_by("figure")
def a_figure_around_a_picture_that_is_not_drawn(f: Forger) -> Place:
    """The stored page, the chunk and the figure agree with each other."""
    chunk = f.chunk("figure")
    box = {"x": 0.1, "y": 0.1, "w": 0.2, "h": 0.2}
    picture = {"id": f"p{page_of(chunk)}.i99", "box": box, "kind": "vector"}
    f.page_file(page_of(chunk), lambda file: file["images"].append(picture))
    named = chunk["boxes"][0] | box | {"fragment_ids": []}
    labels = chunk["boxes"][0]["fragment_ids"]
    boxes = [named, *chunk["boxes"][1:]]
    f.sql("update figures set box = %(box)s where chunk_id = %(id)s", box=Jsonb(named), id=chunk["id"])
    if labels:
        chunk["content"] = chunk["content"].split("\n")[0]
    return f.change(chunk, boxes=boxes, content=chunk["content"])


@found_by("figure")
def the_caption_of_a_figure(f: Forger) -> Place:
    chunk = f.chunk("figure")
    f.sql("update figures set caption = 'Figure 9: another' where chunk_id = %(id)s", id=chunk["id"])
    return chunk


@found_by("figure")
def a_figure_without_its_row(f: Forger) -> Place:
    chunk = f.chunk("figure")
    f.sql("delete from figures where chunk_id = %(id)s", id=chunk["id"])
    return chunk


def _valued(f: Forger) -> tuple[Row, Row]:
    (value,) = f.sql("select * from chunk_attributes where document_id = %(document)s order by chunk_id, name limit 1")
    return value, f.chunk(*_by_id(value["chunk_id"], f))


def _by_id(chunk_id: Any, f: Forger) -> tuple[str, Callable[[Row], bool]]:
    kind = next(c["chunk_type"] for c in f.chunks() if c["id"] == chunk_id)
    return kind, lambda c: c["id"] == chunk_id


@found_by("attribute")
def what_a_value_was_read_from(f: Forger) -> Place:
    value, chunk = _valued(f)
    f.sql("update chunk_attributes set raw = '987654 kW' where chunk_id = %(id)s", id=value["chunk_id"])
    return chunk


@found_by("attribute")
def the_lines_of_a_value(f: Forger) -> Place:
    value, chunk = _valued(f)
    f.sql("update chunk_attributes set fragment_ids = '{p1.f1}' where chunk_id = %(id)s", id=value["chunk_id"])
    return chunk


@found_by("attribute")
def a_value_as_the_chunk_shows_it(f: Forger) -> Place:
    _, chunk = _valued(f)
    attrs = {name: shown | {"raw": "987654 kW"} for name, shown in chunk["attrs"].items()}
    return f.change(chunk, attrs=attrs)


# Sources


def _redraw(f: Forger, page: int, change: Callable[[pymupdf.Page], Any]) -> int:
    f.source(lambda document: change(document[page - 1]))
    return page


@found_by("fragment", "unread_text")
def another_source(f: Forger) -> Place:
    pages = len(f.sql("select 1 from pages where document_id = %(document)s"))

    def fill(document: pymupdf.Document) -> None:
        for _ in range(pages):
            document.new_page(width=595, height=842).insert_text((72, 72), "Another document of as many pages")

    with pymupdf.open() as document:
        fill(document)
        f.replace_source(document.tobytes())
    return 1


@found_by("fragment", "unread_text")
def another_page_in_the_source(f: Forger) -> Place:
    f.source(lambda document: document.move_page(0, 2))
    return 1


@found_by("page")
def a_page_of_the_source_turned(f: Forger) -> Place:
    return _redraw(f, 1, lambda page: page.set_rotation(90))


@found_by("unread_text")
def a_line_written_into_the_source(f: Forger) -> Place:
    return _redraw(f, 2, lambda page: page.insert_text((72, 30), "written in afterwards", fontsize=7))


@found_by("fragment")
def a_word_taken_out_of_the_source(f: Forger) -> Place:
    def redact(page: pymupdf.Page) -> None:
        word = next(w for w in page.get_text("words") if len(w[4]) > 4)
        page.add_redact_annot(pymupdf.Rect(word[:4]))
        page.apply_redactions()

    return _redraw(f, 1, redact)


@found_by("page")
def a_source_cropped(f: Forger) -> Place:
    return _redraw(f, 1, lambda page: page.set_cropbox(pymupdf.Rect(10, 10, 500, 700)))


@found_by("unread_page", "unread_text")
def a_source_with_a_page_more(f: Forger) -> Place:
    def add(document: pymupdf.Document) -> None:
        document.new_page(width=595, height=842).insert_text((72, 72), "One page more")

    f.source(add)
    return len(f.sql("select 1 from pages where document_id = %(document)s")) + 1


@found_by("page", "box")
def a_source_with_a_page_less(f: Forger) -> Place:
    pages = len(f.sql("select 1 from pages where document_id = %(document)s"))
    f.source(lambda document: document.delete_page(pages - 1))
    return pages


def _form(f: Forger) -> Row:
    return next(c for c in f.chunks() if any("ticks" in box for box in c["boxes"]))


def _ticks(f: Forger, change: Callable[[list[Row]], list[Row]]) -> Row:
    chunk = _form(f)
    return f.box(chunk, ticks=change([dict(tick) for tick in chunk["boxes"][0]["ticks"]]))


def _both(f: Forger, change: Callable[[list[Row]], list[Row]]) -> Place:
    """The stored page and the chunk agree with each other."""
    f.page_file(page_of(_form(f)), lambda file: file.update(tick_boxes=change(file["tick_boxes"])))
    _ticks(f, change)
    return page_of(_form(f))


@found_by("tick")
def a_tick_that_the_stored_page_does_not_have(f: Forger) -> Place:
    return _ticks(f, lambda ticks: [ticks[0] | {"ticked": True}, *ticks[1:]])


@found_by("tick")
def a_box_ticked_that_is_drawn_empty(f: Forger) -> Place:
    return _both(f, lambda ticks: [ticks[0] | {"ticked": True}, *ticks[1:]])


@found_by("tick")
def a_tick_taken_away(f: Forger) -> Place:
    return _both(f, lambda ticks: [tick | {"ticked": False} for tick in ticks])


@found_by("tick")
def a_box_to_tick_left_out(f: Forger) -> Place:
    return _both(f, lambda ticks: ticks[1:])


@found_by("tick")
def a_box_to_tick_lost_by_its_chunk(f: Forger) -> Place:
    return page_of(_ticks(f, lambda ticks: ticks[:-1]))


@found_by("tick")
def two_boxes_that_change_their_words(f: Forger) -> Place:
    return _ticks(f, lambda ticks: [one | {"at": other["at"]} for one, other in zip(ticks, ticks[::-1], strict=True)])


@found_by("tick")
def a_box_to_tick_twice(f: Forger) -> Place:
    return page_of(_ticks(f, lambda ticks: [*ticks, ticks[0]]))
