import pytest

from shared.domain.attributes import Attribute
from shared.domain.draft import DocumentDraft
from shared.domain.geometry import Rect
from shared.domain.operations import (
    AttributeClaim,
    CandidateAttribute,
    Cell,
    Operation,
    PageOperations,
    RegisterChunk,
    RegisterTable,
)
from shared.domain.page import Fragment, PageFile
from shared.extraction.assemble import assemble
from shared.extraction.attributes.document import AttributePass
from shared.values.names import name_of, read_label


def page_of(texts: list[str], known: bool = False) -> PageFile:
    edges = [tuple(0.1 + 0.01 * i for i in range(len(text) + 1)) if known else () for text in texts]
    fragments = [
        Fragment(
            id=f"p1.f{n}", text=text, box=Rect(x=0.1, y=0.02 * n, w=0.01 * len(text), h=0.015), font="Sans", size=10,
            char_x=edges[n - 1],
        )
        for n, text in enumerate(texts, 1)
    ]  # fmt: skip
    return PageFile(page=1, width_pt=595, height_pt=842, route="text", fragments=fragments, extractor_version="test")


def attached(page: PageFile, *operations: Operation) -> DocumentDraft:
    given = PageOperations(page=1, operations=list(operations), engine="test", engine_version="1")
    attributes = AttributePass()
    draft = assemble(attributes.watch([(page, given)]))
    attributes.attach(draft)
    return draft


def block(texts: list[str], known: bool = False, **more: object) -> list[Attribute]:
    page = page_of(texts, known)
    ids = [fragment.id for fragment in page.fragments]
    chunk = RegisterChunk.model_validate({"fragment_ids": ids, "chunk_type": "text", **more})
    return attached(page, chunk).chunks[0].attributes


def table(rows: list[list[str]], header_rows: int = 1, above: str = "") -> list[list[Attribute]]:
    texts = [above] if above else []
    texts += [text for row in rows for text in row if text]
    page = page_of(texts)
    ids = iter(f"p1.f{n}" for n in range(2 if above else 1, len(texts) + 1))
    cells = [[Cell(fragment_ids=[next(ids)] if text else []) for text in row] for row in rows]
    operations: list[Operation] = [RegisterChunk(fragment_ids=["p1.f1"], chunk_type="text")] if above else []
    draft = attached(page, *operations, RegisterTable(header_rows=header_rows, rows=cells))
    return [chunk.attributes for chunk in draft.chunks if chunk.chunk_type == "table_row"]


def short(attributes: list[Attribute]) -> list[tuple[str, str, object, str | None]]:
    return [(a.name, a.raw, a.value, a.quantity.unit if a.quantity else None) for a in attributes]


def test_labelled_lines_become_typed_values_with_their_fragments() -> None:
    found = block(["MODEL: K-7", "CAPACITY: 31.2 SCFM", "POWER: 10 hp (7.5 kW)", "READY: yes", "BUILT: 1 March 2026"])
    assert short(found) == [
        ("model", "K-7", "K-7", None),
        ("capacity", "31.2 SCFM", 31.2, "[cft_i]{standard}/min"),
        ("power", "10 hp", 10.0, "[HP]"),
        ("power", "7.5 kW", 7.5, "kW"),
        ("ready", "yes", True, None),
        ("built", "1 March 2026", "2026-03-01", None),
    ]
    assert [a.fragment_ids for a in found] == [(f"p1.f{n}",) for n in (1, 2, 3, 3, 4, 5)]
    assert {(a.route, a.confidence) for a in found} == {("label", 0.98)}


def test_leaders_and_a_label_above_its_value_are_labels_too() -> None:
    assert short(block(["Weight ........ 31 kg", "Range:", "120 km"])) == [
        ("weight", "31 kg", 31.0, "kg"),
        ("range", "120 km", 120.0, "km"),
    ]


def test_a_field_of_a_form_is_told_by_its_number_and_named_without_it() -> None:
    assert short(block(["* 10. Name of Federal Agency:", "NGMS Agency", "Department of the Interior"])) == [
        ("name_of_federal_agency", "NGMS Agency", "NGMS Agency", None)
    ]
    assert short(block(["8a. Legal name: Kestrel Quay", "and nothing else"])) == [
        ("legal_name", "Kestrel Quay", "Kestrel Quay", None)
    ]
    assert short(block(["* 12. Number: MBL-424", "* Title: All forms"])) == [
        ("number", "MBL-424", "MBL-424", None),
        ("title", "All forms", "All forms", None),
    ]


def test_a_numbered_sentence_and_a_label_behind_a_label_are_no_values() -> None:
    assert block(["3. Caution: wear gloves", "and a mask"]) == []
    assert block(["1. Remove the cover:", "2. Turn the screw"]) == []
    assert block(["* 1. Remove the cover:", "2. Turn the screw"]) == []
    assert block(["3. Scope: this part tells what the harbour master may decide without asking anybody."]) == []
    assert block(["Name of the boat: it is not numbered", "and so no field"]) == []
    assert block(["9. Type of applicant: Select applicant type:", "Type of applicant 2: Select applicant type:"]) == []


def test_numbered_labels_beside_their_values_in_a_ruled_form_name_them_too() -> None:
    rows = table([["10. Name of Federal Agency:", "NGMS Agency"], ["11. Title:", "All forms"]], header_rows=0)
    assert [short(row) for row in rows] == [
        [("name_of_federal_agency", "NGMS Agency", "NGMS Agency", None)],
        [("title", "All forms", "All forms", None)],
    ]


def test_a_sentence_with_a_colon_is_no_text_value() -> None:
    assert block(["Note: the wing must not be cut, and nothing else may be done to it either."]) == []


def test_a_footnote_mark_behind_a_heading_is_no_value() -> None:
    assert block(["Derivative assets: (1)"]) == []


def test_where_characters_have_places_a_value_is_a_part_of_its_fragment() -> None:
    assert block(["CAPACITY: 31.2 SCFM"], known=True)[0].fragment_ids == ("p1.f1[10:19]",)


def test_a_value_over_two_lines_names_both_and_its_raw_text_is_theirs() -> None:
    found = block(["The tank holds up to 270", "litres of fuel and weighs much."])
    assert short(found) == [("volume", "up to 270 litres", 270.0, "L")]
    assert found[0].fragment_ids == ("p1.f1", "p1.f2")


def test_a_value_names_its_lines_where_nothing_joins_them() -> None:
    """Lines of Chinese follow each other without a blank."""
    found = block(["自上午开市起停牌，", "直至公司发布公告，", "并于", "2018-01-16", "恢复，重 25 kg。"])
    assert [(a.raw, a.fragment_ids) for a in found] == [("25 kg", ("p1.f5",)), ("2018-01-16", ("p1.f4",))]


def test_a_value_in_a_caption_names_its_line() -> None:
    page = page_of(["Table 3: Wings until 11 March 2010", "Model", "A-1"])
    rows = [[Cell(fragment_ids=["p1.f2"])], [Cell(fragment_ids=["p1.f3"])]]
    draft = attached(page, RegisterTable(header_rows=1, rows=rows, caption_fragment_ids=["p1.f1"]))
    (caption,) = [chunk for chunk in draft.chunks if chunk.chunk_type == "caption"]
    assert [(a.raw, a.fragment_ids) for a in caption.attributes] == [("11 March 2010", ("p1.f1",))]


def test_the_title_behind_a_captions_number_is_no_value_of_it() -> None:
    page = page_of(["TABLE II: Wings of the", "last season: counts, masses", "Model", "A-1"])
    rows = [[Cell(fragment_ids=["p1.f3"])], [Cell(fragment_ids=["p1.f4"])]]
    draft = attached(page, RegisterTable(header_rows=1, rows=rows, caption_fragment_ids=["p1.f1", "p1.f2"]))
    assert [chunk.attributes for chunk in draft.chunks if chunk.chunk_type == "caption"] == [[]]


def test_the_columns_of_a_table_name_its_values_and_give_their_units() -> None:
    rows = table([["Model", "Mass (kg)", "kW", "Price, EUR", "Stock"], ["A-1", "1,250.5", "7.5", "11,480", "yes"]])
    assert short(rows[0]) == [
        ("model", "A-1", "A-1", None),
        ("mass", "1,250.5", 1250.5, "kg"),
        ("kw", "7.5", 7.5, "kW"),
        ("price", "11,480", 11480.0, "EUR"),
        ("stock", "yes", True, None),
    ]
    assert {(a.route, a.confidence) for a in rows[0]} == {("table", 0.98)}


def test_bare_numbers_in_a_column_of_names_are_names() -> None:
    rows = table([["Model", "Seats"], ["Falcon", "4"], ["900", "5"], ["Swift", "2"]])
    assert short(rows[1]) == [("model", "900", "900", None), ("seats", "5", 5.0, None)]


STATEMENT = [
    ["", "2025", "2024"],
    ["Net sales", "$ 1,200", "$ 1,100"],
    ["Cost", "(300)", "(250)"],
    ["Earnings per share:", "", ""],
    ["Basic", "$ 1.20", "$ 1.10"],
]


def test_in_a_statement_rows_are_names_and_amounts_have_the_scale_that_stands_above() -> None:
    rows = table(STATEMENT, above="(In millions, except per share amounts)")
    assert short(rows[0]) == [("net_sales", "$ 1,200", 1.2e9, "USD"), ("net_sales", "$ 1,100", 1.1e9, "USD")]
    assert short(rows[1]) == [("cost", "(300)", -3e8, "USD"), ("cost", "(250)", -2.5e8, "USD")]
    assert [a.qualifier for a in rows[0]] == ["2025", "2024"]


def test_what_a_scale_excepts_is_not_typed() -> None:
    assert table(STATEMENT, above="(In millions, except per share amounts)")[3] == []


def test_forms_label_their_values_in_the_cell_or_beside_it() -> None:
    rows = table([["Registration:", "K-NOW", "Seats:", "4"], ["Weight", "31 kg"], ["Engine: K-320", ""]], header_rows=0)
    assert short(rows[0]) == [("registration", "K-NOW", "K-NOW", None), ("seats", "4", 4.0, None)]
    assert short(rows[1]) == [("weight", "31 kg", 31.0, "kg")]


def test_an_empty_form_field_does_not_take_the_next_label_for_its_value() -> None:
    assert short(table([["Event:", "Injuries:", "1"]], header_rows=0)[0]) == [("injuries", "1", 1.0, None)]


def test_a_form_label_at_the_end_of_a_row_names_nothing_before_it() -> None:
    assert short(table([["31 kg", "5 m", "Weight:"]], header_rows=0)[0]) == []


def test_an_ambiguous_number_is_a_candidate_and_not_a_value() -> None:
    page = page_of(["Capacity: 1,234"])
    draft = attached(page, RegisterChunk(fragment_ids=["p1.f1"], chunk_type="text"))
    assert draft.chunks[0].attributes == []
    assert [(c.name, c.raw) for c in draft.candidates] == [("capacity", "1,234")]


def test_the_document_decides_how_its_numbers_are_written() -> None:
    assert short(block(["Gewicht: 1.234 kg", "Preis: 12,50 EUR"]))[:1] == [("gewicht", "1.234 kg", 1234.0, "kg")]
    assert short(block(["Weight: 1.234 kg", "Price: 12.50 EUR"]))[:1] == [("weight", "1.234 kg", 1.234, "kg")]


def test_an_engines_claim_is_typed_by_the_rules_and_its_candidates_are_kept() -> None:
    claim = AttributeClaim(name="Max Power", value_fragment_ids=["p1.f1"], raw="7.5 kW", value=7.5, unit="kW")
    page = page_of(["It makes 7.5 kW."])
    chunk = RegisterChunk(fragment_ids=["p1.f1"], chunk_type="text", attributes=[claim])
    candidate = CandidateAttribute(name="noise", raw="quiet", fragment_ids=["p1.f1"])
    draft = attached(page, chunk, candidate)
    assert [(a.name, a.route, a.value, a.confidence) for a in draft.chunks[0].attributes] == [
        ("power", "text", 7.5, 0.95),
        ("max_power", "model", 7.5, 0.9),
    ]
    assert [(c.name, c.raw) for c in draft.candidates] == [("noise", "quiet")]


def test_what_an_engine_calls_a_candidate_is_made_a_name_or_left_out() -> None:
    page = page_of(["The engine is quiet."])
    names = ["Noise level\x00" + "x" * 5000, "!?"]
    proposed = [CandidateAttribute(name=name, raw="quiet", fragment_ids=["p1.f1"]) for name in names]
    chunk = RegisterChunk(fragment_ids=["p1.f1"], chunk_type="text")
    (candidate,) = attached(page, chunk, *proposed).candidates
    assert candidate.name == "noise_level_" + "x" * 48


def test_a_claimed_number_that_is_not_in_its_text_is_not_believed() -> None:
    claim = AttributeClaim(name="motor", value_fragment_ids=["p1.f1"], raw="7.5 kW", value=9.0, unit="kW")
    found = block(["Made for 7.5 kW motors"], attributes=[claim])
    assert [(a.route, a.quantity is None, a.text) for a in found if a.route == "model"] == [("model", True, "7.5 kW")]


def test_amounts_side_by_side_are_a_row_of_numbers_and_not_prose() -> None:
    assert block(["$ 19,442 $ 21,744"]) == []
    assert block(["42,069 $ 148.45"]) == []


def test_the_copy_on_the_chunk_lists_further_values_of_a_name() -> None:
    page = page_of(["POWER: 10 hp (7.5 kW)"])
    attrs = attached(page, RegisterChunk(fragment_ids=["p1.f1"], chunk_type="text")).chunks[0].attrs
    assert {k: attrs["power"][k] for k in ("raw", "value", "unit")} == {"raw": "10 hp", "value": 10.0, "unit": "[HP]"}
    assert [one["raw"] for one in attrs["power"]["also"]] == ["7.5 kW"]


@pytest.mark.parametrize(
    ("label", "name", "unit"),
    [
        ("MAX. PRESSURE:", "max_pressure", None),
        ("Sound level (dB(A))", "sound_level", "dB{A}"),
        ("dB(A)", "db_a", "dB{A}"),
        ("Length [mm]", "length", "mm"),
        ("Services (3)", "services", None),
        ("R&D", "r_and_d", None),
        ("Größe", "größe", None),
    ],
)
def test_names_are_the_printed_labels_without_units_and_marks(label: str, name: str, unit: str | None) -> None:
    found, hint = read_label(label)
    assert (found, hint.unit.code if hint.unit else None) == (name, unit)


def test_a_label_without_a_letter_names_nothing() -> None:
    assert name_of("2025") is None


def test_strong_labels_of_markdown_are_labels() -> None:
    assert short(block(["- **Capacity:** 80 cfm", "- **Price:** EUR 7,350"])) == [
        ("capacity", "80 cfm", 80.0, "[cft_i]/min"),
        ("price", "EUR 7,350", 7350.0, "EUR"),
    ]
    assert short(block(["* **Duty**: 12 kW"])) == [("duty", "12 kW", 12.0, "kW")]


def test_an_amount_with_three_digits_behind_its_separator_is_in_thousands_unless_it_is_per_something() -> None:
    assert short(block(["It costs EUR 7,350."])) == [("money", "EUR 7,350", 7350.0, "EUR")]
    assert short(block(["It costs EUR 1.459 per litre."])) == []
    assert short(block(["It costs EUR 1.459/l."])) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [("Tighten with 40 Nm.", "torque"), ("Tighten with 30 lb-ft.", "torque"), ("It takes 5 kWh a day.", "energy")],
)
def test_newton_metres_are_a_torque_and_kilowatt_hours_an_energy(text: str, name: str) -> None:
    assert [one.name for one in block([text])] == [name]


def test_a_time_is_read_in_german() -> None:
    assert short(block(["Lieferzeit: 3 Wochen"])) == [("lieferzeit", "3 Wochen", 3.0, "wk")]


def test_the_size_of_an_attached_file_is_no_value() -> None:
    assert block(["Attachment: plan.zip (application/zip, 512 bytes)"]) == []
    assert [one.name for one in block(["The memory holds 512 bytes."])] == ["data"]


def test_an_identifier_stays_as_printed_behind_its_label_and_in_its_column() -> None:
    assert short(block(["Part no: 00042"])) == [("part_no", "00042", "00042", None)]
    # Nine of ten are digits like a number's.
    found = table([["Zip", "Count"], ["01234", "5"], *([f"1011{n}", "6"] for n in range(9))])
    assert [short(row)[0] for row in found[:2]] == [("zip", "01234", "01234", None), ("zip", "10110", "10110", None)]
    assert all(short(row)[1][2] in (5.0, 6.0) for row in found)
