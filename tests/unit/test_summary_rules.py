"""What the rules of experiment summaries take for a step, a claim, a limitation and a result; sentences are made up."""

from typing import cast
from uuid import UUID

import pytest

from shared.domain.experiments import ExperimentSummary, ResultCell, SummaryField, SummaryStatement
from shared.domain.geometry import PageBox
from shared.domain.ids import new_id
from shared.domain.knowledge import Chunk, Section, SectionStep, TableCell, TableGrid
from shared.domain.operations import ChunkType
from shared.lab.summaries.clauses import claims, tells_a_step
from shared.lab.summaries.comparing import compare
from shared.lab.summaries.confidence import confidence_of
from shared.lab.summaries.extracting import extract
from shared.lab.summaries.numbers import cell_quantity
from shared.lab.summaries.phrases import PHRASES

DOCUMENT, BASE = UUID(int=1), UUID(int=2)
BOX = PageBox(page=1, x=0.1, y=0.1, w=0.5, h=0.1)


def chunk(text: str, title: str = "", chunk_type: ChunkType = "text", table: TableGrid | None = None) -> Chunk:
    step = SectionStep(id=UUID(int=sum(title.encode())), address=None, title=title)
    section = Section(**step.model_dump(), path=[step], depth=1) if title else None
    return Chunk(
        id=new_id(), document_id=DOCUMENT, knowledge_base_id=BASE, ordinal=0, chunk_type=chunk_type, content=text,
        section_id=None, section=section, boxes=[BOX], confidence=1, table_id=table.id if table else None, table=table,
    )  # fmt: skip


def below(text: str, *titles: str) -> Chunk:
    path = [SectionStep(id=UUID(int=sum(title.encode())), address=None, title=title) for title in titles]
    section = Section(**path[-1].model_dump(), path=path, depth=len(path))
    return chunk(text).model_copy(update={"section": section})


def stated(field: SummaryField, *chunks: Chunk) -> list[str]:
    return [one.text for one in extract(chunks).statements if one.field == field]


def grid(*rows: list[str], caption: str = "", header_rows: int = 1) -> Chunk:
    cells = [[TableCell(text=text, boxes=[BOX]) for text in row] for row in rows]
    table = TableGrid(id=new_id(), caption=caption, header_rows=header_rows, first_page=1, last_page=1, rows=cells)
    return chunk("\n".join(map(" | ".join, rows)), "Results", "table", table)


def told(*chunks: Chunk) -> list[tuple[str, str, str, str]]:
    return [(one.dataset, one.metric, one.system, one.raw) for one in extract(chunks).cells]


@pytest.mark.parametrize(
    "text",
    [
        "We anodised each specimen in oxalic acid.",
        "We then carefully sieved the gravel.",
        "Mice were fed twice a day.",
        "The tank was slowly drained.",
        "Mice were dosed daily.",
        "Seeds were planted in rows.",
        "We downloaded the images.",
        "The mixture was canned.",
    ],
)
def test_a_step_is_told_by_any_verb_of_doing(text: str) -> None:
    assert tells_a_step(text)


@pytest.mark.parametrize(
    "text",
    [
        "We found that the gravel moved.",
        "We believe so.",
        "No drift was observed.",
        "The rate was reduced.",
        "The loss is computed as a sum.",
        "We plan further trials.",
        "We can report more.",
    ],
)
def test_what_is_seen_or_said_or_defined_is_no_step(text: str) -> None:
    assert not tells_a_step(text)


def test_what_is_wished_for_or_may_be_is_no_result() -> None:
    assert claims(PHRASES["results"], "The coating improved the grip.")
    assert claims(PHRASES["results"], "To improve the grip we tried two coatings, and the second increased it.")
    for text in ("We want to improve the grip.", "A coating could also increase it.", "It may have improved."):
        assert not claims(PHRASES["results"], text)


def test_a_document_without_headings_tells_its_method_in_passives_with_what_or_how_much() -> None:
    text = "The bars were annealed for 90 minutes. The bars were annealed. Ducts were cleaned using a brush."
    assert stated("setup", chunk(text)) == [
        "The bars were annealed for 90 minutes.",
        "Ducts were cleaned using a brush.",
    ]
    # Where headings say what sections are of, one that says nothing tells no method.
    assert stated("setup", chunk(text, "Background"), chunk("Nothing was lost.", "Results")) == []
    assert stated("setup", chunk(text, "Methods"))[:1] == ["The bars were annealed for 90 minutes."]


def test_what_follows_a_limitation_in_its_passage_is_one_where_it_concedes_something() -> None:
    text = "There are caveats to our results. Only two rivers were sampled. The gauges are new. "
    rest = "Only one gauge was read."
    found = stated("limits", chunk(text, "Discussion"), chunk(rest, "Discussion"))
    assert found == ["There are caveats to our results.", "Only two rivers were sampled."]


def test_the_items_of_a_list_of_contributions_are_objectives() -> None:
    passages = [
        chunk("Our contributions are:", "Introduction"),
        chunk("• A map of both rivers.", "Introduction", "list"),
        chunk("• A model of their beds.", "Introduction", "list"),
        chunk("Rivers are long.", "Introduction"),
        chunk("• A list of tributaries.", "Introduction", "list"),
    ]
    assert stated("objective", *passages) == ["• A map of both rivers.", "• A model of their beds."]


def test_behind_the_opening_an_objective_is_said_of_the_study_itself() -> None:
    opening = chunk("In this paper we propose a weir.", "Introduction")
    body = chunk("We propose a loop over all gates. The aim of this study is to explore weirs.", "Weirs")
    said = stated("objective", opening, body)
    assert said == ["In this paper we propose a weir.", "The aim of this study is to explore weirs."]


def test_cells_without_a_system_sizes_and_sentences_that_announce() -> None:
    assert told(grid(["", "F1"], ["Birds", "71"], ["All", "64"]))[-1] == ("", "F1", "All", "64")
    sized = grid(["", "F1"], ["Model", "(n = 432)"], ["Heron", "71"], header_rows=2)
    assert told(sized) == [("", "F1", "Heron", "71")]
    assert stated("objective", chunk("We propose the following:", "Introduction")) == []
    unnamed = chunk("We evaluated it on the test set.", "Methods")
    named = chunk("We evaluated it on the Tarn test set.", "Methods")
    assert stated("dataset", unnamed, named) == [named.content]


def test_a_signpost_states_nothing_and_neither_does_a_plan_of_analysis() -> None:
    assert stated("objective", chunk("In section 4 we introduce the weir.", "Introduction")) == []
    plan = chunk("The difference between the groups was calculated as 3 points.", "Data analysis plan")
    assert stated("results", plan) == []
    assert stated("results", chunk(plan.content, "Analysis")) == [plan.content]


def test_each_section_has_its_say_before_any_has_its_second() -> None:
    many = " ".join(f"We set valve {at} to {at}0 bar." for at in range(1, 20))
    found = stated("setup", chunk(many, "Methods"), chunk("We set the flow to 7 bar.", "Experimental setup"))
    assert len(found) == 12
    assert found[-1] == "We set the flow to 7 bar."


def test_limits_of_others_in_a_statement_of_the_problem_are_none_of_this_work() -> None:
    text = "Weirs have serious limitations."
    assert stated("limits", chunk(text, "Problem statement")) == []
    assert stated("limits", chunk(text, "Discussion")) == [text]
    mended = "We want to address these limitations. Our study has two limitations."
    assert stated("limits", chunk(mended, "Discussion")) == ["Our study has two limitations."]


def test_a_column_of_ranges_names_no_row_and_gives_no_one_value() -> None:
    rows = (["", "Human", "Heron"], ["Birds", "84-89", "71"], ["All", "82–83", "64"])
    assert told(grid(*rows, caption="Table 2: Accuracy on Tarn."))[-1] == ("Tarn All", "Accuracy", "Heron", "64")


def test_a_header_that_is_repeated_in_the_first_row_has_two_levels() -> None:
    table = grid(
        ["Data set", "Model", "F1", "F1", "Time (s)"], ["Data set", "Model", "dev", "test", "Time (s)"],
        ["Tarn", "Heron", "71", "70", "2"], ["Mere", "Heron", "64", "63", "3"],
    )  # fmt: skip
    assert told(table)[:3] == [
        ("Tarn dev", "F1", "Heron", "71"), ("Tarn test", "F1", "Heron", "70"), ("Tarn", "Time (s)", "Heron", "2"),
    ]  # fmt: skip


def test_two_rows_that_stand_in_one_are_read_apart_and_settings_stand_behind_the_system() -> None:
    table = grid(["# layers", "Model", "F1", "AUC"], ["6", "Heron Teal", "71 70", "0.8 0.7"])
    assert told(table) == [
        ("", "F1", "Heron (# layers 6)", "71"), ("", "AUC", "Heron (# layers 6)", "0.8"),
        ("", "F1", "Teal (# layers 6)", "70"), ("", "AUC", "Teal (# layers 6)", "0.7"),
    ]  # fmt: skip
    # A range is one value, and no other label has as many words.
    assert told(grid(["Model", "F1"], ["Heron", "71 70"])) == []


def test_a_row_of_all_others_makes_rows_parts_of_the_data_and_columns_systems() -> None:
    rows = (["", "Heron", "Teal"], ["Birds", "71", "70"], ["All", "64", "63"])
    caption = "Table 2: Accuracy on Tarn."
    assert told(grid(*rows, caption=caption))[-2:] == [
        ("Tarn All", "Accuracy", "Heron", "64"), ("Tarn All", "Accuracy", "Teal", "63"),
    ]  # fmt: skip
    tested = (["Trained on", "Part", "Testing on Tarn"], ["Mere", "Birds", "71"], ["Mere", "total", "64"])
    assert told(grid(*tested, caption="Table 3: Accuracy."))[-1] == ("Testing on Tarn total", "Accuracy", "Mere", "64")


def test_a_column_is_a_part_of_the_measure_where_the_caption_names_the_data_else_the_data() -> None:
    rows = (["Model", "En-De"], ["Heron", "27.1"])
    assert told(grid(*rows, caption="Table 2: BLEU on Tarn.")) == [("Tarn", "BLEU En-De", "Heron", "27.1")]
    assert told(grid(*rows, caption="Table 2: BLEU.")) == [("En-De", "BLEU", "Heron", "27.1")]


def test_a_caption_beside_the_table_is_its_own_and_not_the_next_ones() -> None:
    first, second = (grid(["Model", "En-De"], ["Heron", number]) for number in ("27.1", "28"))
    passages = [chunk("Table 1. BLEU on Tarn.", "Results"), first, chunk("Table 2. BLEU on Mere.", "Results"), second]
    assert [one[0] for one in told(*passages)] == ["Tarn", "Mere"]


@pytest.mark.parametrize(
    ("raw", "number", "tolerance"),
    [
        ("6.988 * * df = 1", 6.988, None), ("1.55, ns df ¼ 1", 1.55, None), ("2.30 (1.03–5.13)", 2.3, None),
        ("48 (32%)", 48, None), ("0.71 ± 0.02 †", 0.71, 0.02),
    ],
)  # fmt: skip
def test_a_cell_is_its_number_whatever_is_said_of_its_significance(
    raw: str, number: float, tolerance: float | None
) -> None:
    found = cell_quantity(raw, None)
    assert found is not None
    assert (found.number, found.tolerance) == (number, tolerance)
    assert cell_quantity("3 (of them)", None) is None


def test_names_are_compared_without_references_and_marks_of_footnotes() -> None:
    systems = ("Heron [22]*", "Heron (Ada et al., 2020) [3]", "heron†", "Heron 2")
    body = extract([grid(["Model", "F1"], *([one, "71"] for one in systems))])
    assert [one.system for one in body.cells] == [*systems]
    summary = _Summary(body.cells)
    columns, _ = compare([cast(ExperimentSummary, summary)], "", "")
    assert columns == ["Heron", "Heron 2"]


def side_by_side(*grids: Chunk) -> list[tuple[str, str | None, list[int], list[bool]]]:
    """Metric, unit, what it is printed of and where documents differ, of the tables of a document each."""
    told = [_Summary(extract([one]).cells, UUID(int=at)) for at, one in enumerate(grids)]
    _, rows = compare(cast(list[ExperimentSummary], told), "", "")
    return [(row.metric, row.unit, row.printed_of, row.disagree) for row in rows]


def scores(metric: str, *values: str) -> Chunk:
    names = ("Heron", "Kestrel")
    return grid(["Dataset", "Model", metric], *(["Ponds", *row] for row in zip(names, values, strict=True)))


def test_shares_are_compared_whether_they_are_printed_of_1_or_of_100() -> None:
    one, other = scores("F1", "0.832", "0.7"), scores("F1", "83.2", "71")
    assert side_by_side(one, other) == [("F1", None, [1, 100], [False, True])]
    assert side_by_side(other, one) == [("F1", None, [1, 100], [False, True])]
    assert side_by_side(scores("F1 (%)", "83.2", "0.9"), one) == [("F1 (%)", None, [1, 100], [False, True])]
    assert side_by_side(scores("F1", "83.2%", "0.9%"), other) == [("F1", "1", [100], [False, True])]
    assert side_by_side(scores("F1 (%)", "0.832", "0.7"), one) == [("F1 (%)", None, [1, 100], [True, True])]
    assert side_by_side(other, scores("F1", "83.2", "71")) == [("F1", None, [100], [False, False])]
    # A change by -12 is one of 100.
    assert side_by_side(scores("F1", "-12", "0.3")) == [("F1", None, [100], [False, False])]


def test_each_table_of_a_document_prints_shares_of_its_own_whole() -> None:
    printed = (scores("F1", "0.832", "0.7"), scores("F1", "83.2", "70"))
    cells = [cell for one in printed for cell in extract([one]).cells]
    told = [_Summary(cells), _Summary(extract([scores("F1", "0.832", "0.7")]).cells, UUID(int=1))]
    _, rows = compare(cast(list[ExperimentSummary], told), "", "")
    assert [(row.printed_of, row.disagree) for row in rows] == [([1, 100], [False, False])]


def test_two_documents_with_the_same_runs_agree_and_one_with_another_does_not() -> None:
    def runs(*values: str) -> Chunk:
        return grid(["Dataset", "Model", "F1"], *(["Ponds", "Heron", value] for value in values))

    assert side_by_side(runs("0.7", "0.8"), runs("0.8", "0.7")) == [("F1", None, [1], [False])]
    assert side_by_side(runs("0.7", "0.8"), runs("0.7")) == [("F1", None, [1], [True])]


def test_a_row_has_the_caption_of_its_table_where_no_dataset_is_named() -> None:
    named = grid(["Dataset", "Model", "F1"], ["Ponds", "Heron", "0.7"], caption="Table 1: On all.")
    plain = grid(["Model", "F1"], ["[12]", "0.7"], caption="Table 2: Others.")
    told = [_Summary(extract([one]).cells) for one in (named, plain)]
    columns, rows = compare(cast(list[ExperimentSummary], told), "", "")
    assert [(row.dataset, row.caption) for row in rows] == [("Ponds", ""), (rows[1].dataset, "Table 2: Others.")]
    # Of what is nothing but a reference the name is that.
    assert columns == ["Heron", "[12]"]


def test_what_is_no_share_keeps_its_scale() -> None:
    assert side_by_side(scores("Latency (s)", "0.8", "0.7"), scores("Latency (s)", "80", "70")) == [
        ("Latency (s)", "s", [], [True, True])
    ]
    assert side_by_side(scores("Score", "0.8", "0.7"), scores("Score", "80", "70"))[0][2] == []
    of_maps = side_by_side(scores("MAP", "250", "0.7"), scores("MAP", "2.5", "0.7"))
    assert [printed_of for *_, printed_of, _ in of_maps] == [[], [100]]


class _Summary:
    document = "Paper"

    def __init__(self, cells: list[ResultCell], document_id: UUID = DOCUMENT) -> None:
        self.cells, self.document_id = cells, document_id


def test_confidence_asks_each_field_for_the_evidence_that_it_can_have() -> None:
    def sure(field: SummaryField, *found_by: str) -> float:
        one = SummaryStatement(id="1", field=field, text="x", chunk_ids=[new_id()], found_by=[*found_by])
        return confidence_of([one]).value

    # By hand: coverage x consistency, each the share of the evidence that is needed.
    assert sure("limits", "phrase") == sure("stats", "value") == sure("objective", "heading", "phrase") == 1.0
    assert sure("results", "phrase") == round(1 / 3 * 1 / 3, 3)
    assert sure("results", "phrase", "value") == round(2 / 3 * 2 / 3, 3)
    assert sure("metrics", "phrase", "value") == 1.0
    assert sure("metrics", "phrase") == 0.25


def test_a_row_that_tells_columns_with_the_same_header_apart_is_of_the_header() -> None:
    rows = [["", "Heron", "Heron", "Crane"], ["", "small", "large", "small"], ["Reed", "1", "2", "3"]]
    table = grid(*rows, ["All", "4", "5", "6"], caption="Table 2: Accuracy on Tarn.")
    assert told(table)[-3:] == [
        ("Tarn All", "Accuracy", "Heron small", "4"), ("Tarn All", "Accuracy", "Heron large", "5"),
        ("Tarn All", "Accuracy", "Crane small", "6"),
    ]  # fmt: skip
    # A label over a group of rows is the same below both.
    parts = [row for part in ("Dev", "Test") for row in ([part] * 3, ["Heron", "71", "72"])]
    assert [one[0] for one in told(grid(["Model", "F1", "F1"], *parts))] == ["Dev", "Dev", "Test", "Test"]


def test_a_measure_above_the_middle_column_is_that_of_the_columns_around_it() -> None:
    defined = chunk("We score by the reed-edit-distance-score (REDS) of both.", "Metrics")
    rows = [["Model", "Simple", "REDS Complex", "All"], ["Heron", "91", "88", "89"]]
    caption = "Table 2: Results on Tarn."
    whole = [
        ("", f"REDS {part}", "Heron", value) for part, value in (("Simple", "91"), ("Complex", "88"), ("All", "89"))
    ]
    assert [(one[1], one[3]) for one in told(defined, grid(*rows, caption=caption))] == [(m, v) for _, m, _, v in whole]
    assert [one[1] for one in told(grid(*rows, caption=caption))] == ["Simple", "REDS Complex", "All"]
    apart = [["Model", "REDS Simple", "Time", "Size"], ["Heron", "91", "88", "89"]]
    assert [one[1] for one in told(defined, grid(*apart, caption=caption))] == ["REDS Simple", "Time", "Size"]


def test_what_a_measurement_gave_is_a_result_and_no_step() -> None:
    gave = "A modulus of 3.19 GPa was measured for the plain polymer using a gauge."
    how = "The modulus was measured at 20 °C using a gauge."
    assert stated("setup", chunk(gave), chunk(how)) == [how]
    assert stated("metrics", chunk(how)) == [how]


def test_what_a_sample_is_made_of_tells_the_data() -> None:
    said = "With a response of 73%, the cohort consisted of 10,308 employees."
    assert stated("dataset", chunk(said), chunk("The device consisted of two plates.")) == [said]


TITLE = "Performance of Reed Beds in Winter"
COLDER = "Beds in the shade were colder than others by 4 K."


def test_entries_of_references_state_nothing_wherever_they_stand() -> None:
    entry = "Frost of 12 % is reached in beds, studied with 40 samples."
    printed = "[25] W. Guter, J. Reed, Current beds reaching 41.1% of the yield, Appl. Beds vol. 94 (2009) 223."
    kept = below(COLDER, "Results")
    assert stated("results", below(printed.removeprefix("[25] "), "Conclusion"), kept) == [COLDER]
    assert stated("results", below(entry, "References", ""), below(printed, "Conclusion"), kept) == [COLDER]


def test_a_table_below_the_references_is_of_the_document() -> None:
    table = grid(["Bed", "Accuracy"], ["Shade", "71"], caption="Table 5: Results.")
    under = below("", "References", "Results of beds").section
    float_ = table.model_copy(update={"section": under})
    caption = below("Table 5: Adjusted p-values of all 40 beds.", "References", "Results of beds")
    assert told(float_) == [("", "Accuracy", "Shade", "71")]
    assert stated("stats", caption.model_copy(update={"chunk_type": "caption"})) == [caption.content]


def test_a_heading_above_says_what_a_section_is_of_unless_it_is_the_documents() -> None:
    told = "The pump was set to 4 bar."
    assert stated("setup", below(told, "Methods", "Pumping")) == [told]
    # Above an introduction and a conclusion stands the title, whatever stands before it.
    whole = [
        chunk("Original article", "News"), below("Beds are wet.", TITLE, "Introduction"),
        below(COLDER, TITLE, "Ice"), below("All thawed.", TITLE, "Conclusions"),
    ]  # fmt: skip
    (one,) = [one for one in extract(whole).statements if one.field == "results"]
    assert "heading" not in one.found_by
    # What stands right below such a title is of no field by it.
    (other,) = [one for one in extract([below(COLDER, "Results", "Ice")]).statements if one.field == "results"]
    assert "heading" in other.found_by


def test_letters_that_stand_apart_are_a_heading() -> None:
    aim = "The purpose of this study is to cool beds."
    (one,) = extract([below(aim, TITLE, "a b s t r a c t")]).statements
    assert (one.section, "heading" in one.found_by) == ("abstract", True)


def test_a_label_at_the_head_of_a_paragraph_is_its_heading() -> None:
    paragraph = (
        "Aim: To assess whether shade cools beds. Methods: The pump was set to 4 bar. Results: Beds were 4 K colder"
        " than before. Conclusions: Shade helps."
    )
    (one,) = [one for one in extract([chunk(paragraph, TITLE)]).statements if one.field == "objective"]
    assert (one.text, one.found_by) == ("Aim: To assess whether shade cools beds.", ["heading", "phrase"])
    assert stated("setup", chunk(paragraph, TITLE)) == ["Methods: The pump was set to 4 bar."]
    assert stated("results", chunk(paragraph, TITLE)) == ["Results: Beds were 4 K colder than before."]
    # The next paragraph is of its section again; no label: a word that a sentence begins with.
    assert stated("setup", chunk("Methods: We wait.", TITLE), chunk("The pump was set to 4 bar.", TITLE)) == []
    assert stated("setup", chunk("Methods of old were slow. The pump was set to 4 bar.", TITLE)) == []


@pytest.mark.parametrize(
    "text",
    [
        "Reed and colleagues saw that beds in the shade were colder than others by 4 K.",
        "Heron et al. state that beds in the shade were colder than others by 4 K.",
        "Similarly, Crane et al. found beds colder than others by 4 K.",
        "In another study, Stork and Ibis found a decrease of 4 K in beds.",
        "It is well known that beds in the shade are colder than others by 4 K.",
        "Beds in the shade were 4 K colder than others (23).",
        "Beds in the shade were colder than others by 4 K [7, 12].",
        "Beds in the shade were colder than others by 4 K (Ibis and Stork, 2011).",
    ],
)
def test_what_others_found_is_no_result(text: str) -> None:
    assert stated("results", chunk(text, "Discussion"), chunk(COLDER, "Discussion")) == [COLDER]


def test_what_one_found_stays_where_something_is_cited() -> None:
    ours = "We saw that beds in the shade were colder than others by 4 K, as before (23)."
    score = "The model achieves an AP [19] of 96.97 on beds."
    assert stated("results", chunk(ours, "Discussion"), chunk(score, "Discussion")) == [ours, score]


def test_an_abstract_in_another_language_says_nothing_again() -> None:
    english = "The mean yield was 24.2 ± 3.4 in shade, and this was not significant (P = 0.052)."
    other = "The mean depth of the beds was 3.1 ± 0.4 before."
    turkish = "Sürat egzersizi öncesi değerleri 25,59 ± 1,59 iken, hemen sonrası 21,45 ± 2,08 olarak bulundu."
    assert stated("stats", chunk(english), chunk(other), chunk(turkish)) == [english, other]
    # Of a document that is in that language it is all there is.
    assert stated("stats", chunk(turkish)) == [turkish]


def test_the_number_of_a_figure_counts_nothing() -> None:
    one = chunk("Figure 3. Pump snippet for sample program.", "Overview", "caption")
    other = chunk("Figure 4. Beds of 1,200 sample programs.", "Overview", "caption")
    assert stated("dataset", one, other) == ["Figure 4. Beds of 1,200 sample programs."]


def test_rows_below_a_header_for_measures_are_what_was_measured() -> None:
    rows = [["Parameter", "Shade", "Sun"], ["Voc (V)", "0.50", "1.38"], ["η (%)", "9.13", "13.52"]]
    said = told(grid(*rows, caption="Table 1: Comparison of beds."))
    assert said[0] == ("", "Voc (V)", "Shade", "0.50")
    assert said[3] == ("", "η (%)", "Sun", "13.52")
    fitted = [["Parameter", "Estimate", "Adjusted p-value"], ["Age", "-0.37", "0.092"]]
    assert told(grid(*fitted, caption="Table 4: Results."))[0] == ("", "Estimate", "Age", "-0.37")


def test_the_letter_of_a_statistic_is_no_unit() -> None:
    (cell, *_) = extract([grid(["Group", "t", "F1"], ["Shade", "1.98", "71"], caption="Table 1: Results.")]).cells
    assert (cell.metric, cell.quantity.unit) == ("t", None)


def test_of_those_with_as_many_signs_a_heading_of_its_own_comes_first() -> None:
    many = [below(f"Bed {'x' * at} was colder than others by 4 K.", "Results", "Ice") for at in range(1, 14)]
    own = [below(f"Bed {'y' * at} was colder than others by 4 K.", "Impact of shade") for at in range(1, 13)]
    assert stated("results", *many, *own) == [one.content for one in own]


def test_what_is_planned_is_no_step() -> None:
    done = "We apply the pump to each bed."
    assert stated("setup", chunk("We plan to apply the pump to all beds.", "Methods"), chunk(done, "Methods")) == [done]


SCORES = (["", "dev", "test"], ["System", "Precision", "F1"], ["Tarn", "71.2", "70.1"], ["Mere", "72.4", "71.3"])


def metrics(*chunks: Chunk) -> list[tuple[str, int | None, list[str]]]:
    found = [one for one in extract(chunks).statements if one.field == "metrics"]
    by_id = {one.id: one.content for one in chunks}
    assert all(by_id[one.chunk_ids[0]][one.start : one.end] == one.text for one in found)
    return [(one.text, one.start, one.found_by) for one in found]


def test_where_no_sentence_tells_what_is_measured_the_headers_of_the_tables_do() -> None:
    table = grid(*SCORES, caption="Table 1: Results.", header_rows=2)
    assert metrics(table, table) == [("System | Precision | F1", 14, ["value"])]
    told = chunk("We report precision and the F1 score of all systems.", "Evaluation metrics")
    assert [text for text, *_ in metrics(told, table)] == [told.content]


def test_headers_of_three_tables_of_results_are_enough_and_other_tables_measure_nothing() -> None:
    many = [grid(["System", f"F1 of {n}"], ["Tarn", "71.2"], ["Mere", "72.4"], caption="Results.") for n in range(5)]
    assert [text for text, *_ in metrics(*many)] == [f"System | F1 of {n}" for n in range(3)]
    assert metrics(grid(["Site", "Depth"], ["Tarn", "7"], ["Mere", "9"], caption="Table 2: Sites.")) == []
    counted = grid(["Site", "F1"], ["Tarn", "7"], ["Mere", "9"], caption="Table 2: Number of examples by F1.")
    assert metrics(counted) == []


STUDY = "Dean [14] carried out experiments at the bench. "


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"{STUDY}The strength increased to 40 MPa. It was higher by 5 MPa in winter.", []),
        (f"{STUDY}The strength increased to 40 MPa. We found that it decreased to 30 MPa.", ["We found"]),
        (f"{STUDY}As Fig. 4 has it, strength increased to 40 MPa.", ["As Fig. 4"]),
        ("Strength was studied in a pilot plant [7]. It increased to 40 MPa.", []),
        ("In our kiln strength was studied as before [7]. It increased to 40 MPa.", ["It increased"]),
        ("We score 40 AP [19]. It increased to 41 AP.", ["It increased"]),
    ],
)
def test_what_stands_behind_a_study_that_is_named_is_its_until_the_document_speaks(text: str, kept: list[str]) -> None:
    found = stated("results", chunk(text, "Results"))
    assert [one[: len(begin)] for one, begin in zip(found, kept, strict=True)] == kept


def test_another_paragraph_is_no_longer_of_the_study_that_was_named() -> None:
    assert stated("results", chunk(STUDY, "Results"), chunk("Strength increased to 40 MPa.", "Results"))


def test_a_paragraph_without_a_verb_is_a_caption_that_states_no_result() -> None:
    caption = "Effect of load on increase of strength for loads of 4 kg and 6 kg."
    assert stated("results", chunk(caption, "Results")) == []
    assert stated("results", chunk(f"{caption} Strength increased to 40 MPa.", "Results")) != []
    assert stated("results", chunk("Loads of 4 kg increase strength by 40 MPa.", "Results")) != []
    assert stated("dataset", chunk("Target population: 15 patients", "Participants", "list")) != []


def test_what_results_or_a_figure_are_said_to_show_comes_before_what_is_only_printed_with_numbers() -> None:
    text = " ".join(f"Strength increased to {at} MPa in run {at} of it." for at in range(12))
    found = stated("results", chunk(f"{text} Fig. 7 shows that strength is greater at 40 °C than at 20 °C.", "Results"))
    assert (len(found), found[-1][:6]) == (12, "Fig. 7")
    shown = "The results as shown in Fig. 8 confirm the trend."
    assert stated("results", chunk(shown, "Results")) == [shown]
    assert stated("results", chunk("Fig. 3 shows the set-up of the kiln.", "Results")) == []


@pytest.mark.parametrize(
    ("text", "is_data"),
    [
        ("A total of 71 samples were prepared in acid.", True),
        ("Analysis was carried out on 289 bulk rock samples.", True),
        ("Analysis was carried out on samples.", False),
        ("The yield of 289 samples is high.", False),
    ],
)
def test_what_was_done_with_so_many_is_data(text: str, is_data: bool) -> None:
    assert bool(stated("dataset", chunk(text))) is is_data


def test_a_method_in_accordance_with_another_is_a_step_and_an_error_a_limit() -> None:
    assert stated("setup", chunk("Sampling was undertaken in accordance with Method 29.", "Methods"))
    assert stated("limits", chunk("This value may be due to analytical errors.", "Results"))
    assert not stated("limits", chunk("This value may be due to rain.", "Results"))
