"""What a passage announces is quoted with it: the code behind "run the following command:", the list behind
"disadvantages:"."""

from uuid import UUID

import pytest

from shared.answering.found import LISTED_MAX
from shared.answering.service import ask
from shared.domain.review import NewDecision
from shared.domain.scope import Identity, Scope
from shared.library.reviews import decide
from shared.retrieval.requests import AskRequest
from shared.runtime import Runtime
from tests.store.seeding import Passage, add_base, add_document

PASSAGES = [
    Passage("Whoever wants to build a custom kernel has a target for it. After that, run the following:"),
    Passage("make deb-pkg", chunk_type="code"),
    Passage("A custom kernel is removed by this command:"),
    Passage("Mind the old kernel."),
    Passage("A kernel is signed with the key of the maintainer."),
    Passage("openssl sign", chunk_type="code"),
]


def quoted(runtime: Runtime, identity: Identity, base: UUID, question: str) -> list[str]:
    answer = ask(runtime, identity, AskRequest(question=question, knowledge_base_ids=[base]))
    cited = {hit.chunk.id: hit.chunk.content for hit in answer.citations}
    assert all(one.text in cited[one.citations[0]] for one in answer.sentences)
    return [one.text for one in answer.sentences]


def reject(runtime: Runtime, identity: Identity, scope: Scope, document: UUID, passage: Passage) -> None:
    with runtime.database.transaction(scope) as connection:
        row = connection.execute(
            "select id from chunks where document_id = %s and content = %s", (document, passage.content)
        ).fetchone()
    assert row is not None
    decision = NewDecision(verdict="rejected", chunk_ids=[row["id"]])
    decide(runtime, identity, scope.knowledge_base_ids[0], decision)


def test_code_is_quoted_behind_what_announces_it_and_nothing_else(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "announced")
    add_document(runtime, scope, "Kernel", PASSAGES, embedder=runtime.embedder)
    (base,) = scope.knowledge_base_ids
    built = quoted(runtime, identity, base, "How do I build a custom kernel?")
    assert built[:2] == ["Whoever wants to build a custom kernel has a target for it.", "make deb-pkg"]
    assert len(built) <= 3
    removed = quoted(runtime, identity, base, "How is a custom kernel removed?")
    assert removed[0] == PASSAGES[2].content
    assert "Mind the old kernel." not in removed[1:2]
    assert "openssl sign" not in quoted(runtime, identity, base, "With which key is a kernel signed?")


def test_code_that_people_rejected_is_not_announced(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "announced and rejected")
    document = add_document(runtime, scope, "Kernel", PASSAGES, embedder=runtime.embedder)
    (base,) = scope.knowledge_base_ids
    reject(runtime, identity, scope, document, PASSAGES[1])
    built = quoted(runtime, identity, base, "How do I build a custom kernel?")
    assert built[0] == "Whoever wants to build a custom kernel has a target for it."
    assert PASSAGES[1].content not in built


LISTS = [
    Passage("A write-ahead log has advantages and disadvantages for a kernel. Advantages include:"),
    Passage("Readers never wait.", chunk_type="list"),
    Passage("But a write-ahead log has disadvantages, too:"),
    Passage("It needs shared memory.", chunk_type="list"),
    Passage("It is slow for large transactions. These are the disadvantages of a log:", chunk_type="list"),
    Passage("Whoever has a log keeps it."),
    Passage("It is read by nobody.", chunk_type="list"),
]


def test_a_list_is_quoted_behind_what_announces_it(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "lists")
    document = add_document(runtime, scope, "Logs", LISTS, embedder=runtime.embedder)
    (base,) = scope.knowledge_base_ids
    asked = "What are the disadvantages of a write-ahead log?"
    found = quoted(runtime, identity, base, asked)
    start = found.index(LISTS[2].content)
    # Up to what is no list, each passage once; of the two that announce one the one that says what is asked.
    assert found[start + 1 : start + 3] == [LISTS[3].content, LISTS[4].content]
    assert len(found) == len(set(found))
    assert LISTS[0].content not in found
    assert LISTS[1].content not in found
    assert LISTS[6].content not in found
    answer = ask(runtime, identity, AskRequest(question=asked, knowledge_base_ids=[base]))
    assert [one.text for one in answer.sentences if one.listed] == found[start + 1 : start + 3]
    reject(runtime, identity, scope, document, LISTS[3])
    found = quoted(runtime, identity, base, asked)
    assert found[found.index(LISTS[2].content) + 1] == LISTS[4].content
    assert LISTS[3].content not in found


def test_where_an_item_answers_best_its_list_is_not_quoted(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "lists and items")
    items = [Passage(f"Pump {n} has a seal of rubber.", chunk_type="list") for n in range(3)]
    items.append(Passage("The old pump in the cellar has a gasket of copper.", chunk_type="list"))
    lead = Passage("The wall of the cellar was painted by hand. Of the pumps there each has another gasket:")
    add_document(runtime, scope, "Pumps", [lead, *items], embedder=runtime.embedder)
    (base,) = scope.knowledge_base_ids
    found = quoted(runtime, identity, base, "Which gasket has the old pump in the cellar?")
    assert found[0] == items[-1].content
    assert items[0].content not in found
    # Nor behind another statement of the passage that announces it.
    found = quoted(runtime, identity, base, "How was the wall of the cellar painted?")
    assert found[0] == "The wall of the cellar was painted by hand."
    assert items[0].content not in found


def test_what_stands_further_down_a_long_list_is_quoted_beside_its_beginning(
    runtime: Runtime, identity: Identity
) -> None:
    scope = add_base(runtime, identity, "long lists")
    last = "Code 17 is for chemical faults of the furnace of the plant."
    faults = [f"- It is one of pump {number}." for number in range(12)]
    items = Passage(" ".join([*faults, f"- {last}"]), chunk_type="list")
    lead = Passage("Chemical faults of the furnace of the plant have a code of these:")
    add_document(runtime, scope, "Faults", [lead, items], embedder=runtime.embedder)
    (base,) = scope.knowledge_base_ids
    found = quoted(runtime, identity, base, "Which code is for chemical faults of the furnace of the plant?")
    assert found[: LISTED_MAX + 1] == [lead.content, *faults[:LISTED_MAX]]
    assert found[LISTED_MAX + 1 :] == [f"- {last}"]


@pytest.mark.parametrize(
    ("lead", "announces"),
    [
        ("For the inspection of a tank the following papers are required.", True),
        ("Here are the papers that are required for the inspection of a tank.", True),
        ("The papers that are required for the inspection of a tank are listed below.", True),
        ("Which papers the inspection of a tank needs is said in the following chapter.", False),
        ("The inspection of a tank needs papers following the accident of a tank.", False),
        ("The papers that are required for the inspection of a tank are found below the deck.", False),
        ("The papers for the inspection of a tank that are required here are many.", False),
    ],
)
def test_a_list_is_announced_without_a_colon(runtime: Runtime, identity: Identity, lead: str, announces: bool) -> None:
    items = Passage("The licence of the plant. The log of all repairs.", chunk_type="list")
    scope = add_base(runtime, identity, f"lists without colons {lead}")
    add_document(runtime, scope, "Papers", [Passage(lead), items], embedder=runtime.embedder)
    (base,) = scope.knowledge_base_ids
    found = quoted(runtime, identity, base, "Which papers are required for the inspection of a tank?")
    assert lead.endswith(found[0])
    assert (items.content in found[1:]) == announces


SIZES = Passage("The sizes of the tanks of the plant are shown below.")


def tanks(count: int) -> list[Passage]:
    rows = [f"Tank {n} | {n}00 | {'steel' if n == 1 else 'copper'}" for n in range(count)]
    header = "Tank | Litres | Material"
    labelled = [
        "Tank: Tank {0} | Litres: {0}00 | Material: {1}".format(n, r.rpartition("| ")[2]) for n, r in enumerate(rows)
    ]
    return [
        Passage("\n".join([header, *rows]), chunk_type="table", table=0),
        *(Passage(r, chunk_type="table_row", table=0, labelled=text) for r, text in zip(rows, labelled, strict=True)),
    ]


def test_the_rows_of_a_short_table_are_quoted_behind_what_announces_it(runtime: Runtime, identity: Identity) -> None:
    found: list[list[str]] = []
    for rows in (3, LISTED_MAX + 1):
        scope = add_base(runtime, identity, f"tanks {rows}")
        add_document(runtime, scope, "Tanks", [SIZES, *tanks(rows)], embedder=runtime.embedder)
        (base,) = scope.knowledge_base_ids
        found.append(quoted(runtime, identity, base, "How do the sizes of the tanks of the plant differ?"))
        steel = quoted(runtime, identity, base, "Which tank is of steel?")
        assert steel[0] == "Tank 1 | 100 | steel"
    assert found[0][:4] == [SIZES.content, *(row.content for row in tanks(3)[1:])]
    assert found[1][0] == SIZES.content
    assert len(found[1]) <= 3


def test_a_row_that_people_rejected_is_not_announced(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "tanks, one of them rejected")
    document = add_document(runtime, scope, "Tanks", [SIZES, *tanks(3)], embedder=runtime.embedder)
    reject(runtime, identity, scope, document, tanks(3)[2])
    (base,) = scope.knowledge_base_ids
    found = quoted(runtime, identity, base, "How do the sizes of the tanks of the plant differ?")
    assert found[:3] == [SIZES.content, tanks(3)[1].content, tanks(3)[3].content]
    assert tanks(3)[2].content not in found


def test_a_chosen_row_comes_before_what_announces_its_table(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "tanks and a row")
    lead = Passage("The sizes and the material of steel of the tanks of the plant are these:")
    add_document(runtime, scope, "Tanks", [lead, *tanks(3)], embedder=runtime.embedder)
    (base,) = scope.knowledge_base_ids
    found = quoted(runtime, identity, base, "Which material of steel have the tanks?")
    assert found.index("Tank 1 | 100 | steel") < found.index(lead.content)
    assert "Tank 0 | 000 | copper" not in found[:1]


def test_a_row_is_quoted_whole_where_its_value_is_asked_for_by_what_it_is(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "rows of sentences")
    rows = ["Drill | It is a faster version of the basic drill and eats it all. | Petrol", "Saw | It saws wood. | Oil"]
    labelled = [
        "Tool: Drill | Description: It is a faster version of the basic drill and eats it all. | Fuel: Petrol",
        "Tool: Saw | Description: It saws wood. | Fuel: Oil",
    ]
    passages = [
        Passage("\n".join(["Tool | Description | Fuel", *rows]), chunk_type="table", table=0),
        *(Passage(r, chunk_type="table_row", table=0, labelled=one) for r, one in zip(rows, labelled, strict=True)),
    ]
    add_document(runtime, scope, "Tools", passages, embedder=runtime.embedder)
    (base,) = scope.knowledge_base_ids
    assert rows[0] in quoted(runtime, identity, base, "Which fuel does the drill use?")


def test_a_count_and_a_date_answer_however_far_the_rest_of_the_question_is(
    runtime: Runtime, identity: Identity
) -> None:
    scope = add_base(runtime, identity, "counts")
    counted = "You start with only a handgun, 50 bullets and your fists to fall back on once they run out."
    dated = "I opened up Fabrikam in 1998."
    add_document(runtime, scope, "Game", [Passage(counted), Passage(dated)], embedder=runtime.embedder)
    (base,) = scope.knowledge_base_ids
    assert quoted(runtime, identity, base, "How many bullets does anybody possess at the beginning?")[0] == counted
    assert quoted(runtime, identity, base, "In which year was Fabrikam incorporated?")[0] == dated
