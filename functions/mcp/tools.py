"""The tools: each calls one thing in `shared/` as the caller, and answers with what an assistant cites."""

import base64
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Final
from uuid import UUID

from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolResult, ContentBlock, ImageContent, TextContent, ToolAnnotations
from pydantic import Field

from functions.api.pagination import listed, number_cursor, number_position, ordinal_cursor, page_of
from functions.mcp import lab, shapes
from functions.mcp.calls import caller, find_bases, told
from functions.mcp.progress import told_progress
from functions.mcp.shapes import LISTED, Base, Cursor, DocumentId, Limit
from shared.answering import service as answering
from shared.answering.agent.arguments import ARGUMENTS, description_of
from shared.digest import context
from shared.domain.context import BUDGET_LEAST, BUDGET_MOST, TASK_MAX, ContextRequest
from shared.domain.notes import NewNote, NoteType
from shared.domain.operations import ChunkType
from shared.ingestion.posting import notes
from shared.library import documents as library
from shared.library import knowledge_bases as bases
from shared.library.passages import NEIGHBOURS_MAX, crop_passage, get_passage
from shared.library.tables import read_table_window
from shared.retrieval import service
from shared.retrieval.requests import AskRequest, Index, LookupRequest, SearchRequest

HITS: Final = 10
READS: Final = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
# The same again changes nothing more; what was there before is kept.
ADDS: Final = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
# The same again is another one.
MAKES: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)

Bases = Annotated[
    list[str] | None,
    Field(description="slugs, names or ids of knowledge bases; leave it out to ask all that you can see"),
]
Pinned = Annotated[
    list[UUID] | None, Field(description="ids of document versions to look in, whether they are current or not")
]
Superseded = Annotated[bool, Field(description="older versions too; else current ones alone")]
Where = Annotated[
    str | None,
    Field(description="a filter over attributes, such as `mass >= 10 kg and not lubrication = oil`"),
]
Columns = Annotated[
    list[str] | None,
    Field(description="the hits as a small table of these attributes too; an empty list: of what they have"),
]


def list_knowledge_bases(cursor: Cursor = None, limit: Limit = LISTED) -> shapes.KnownBases:
    who = caller()
    page = listed("knowledge-bases", cursor, limit, partial(bases.list_knowledge_bases, who.runtime, who.identity))
    return shapes.KnownBases(items=[shapes.known_base(one) for one in page.items], next_cursor=page.next_cursor)


def list_documents(
    knowledge_base: Annotated[str | None, Field(description="its slug, name or id; leave it out for all")] = None,
    cursor: Cursor = None,
    limit: Limit = LISTED,
) -> shapes.KnownTrees:
    who = caller()
    base = find_bases([knowledge_base])[0] if knowledge_base else None
    page = listed("document-trees", cursor, limit, partial(library.list_trees, who.runtime, who.identity, base))
    return shapes.KnownTrees(items=[shapes.known_tree(one) for one in page.items], next_cursor=page.next_cursor)


def list_versions(document_id: DocumentId, cursor: Cursor = None, limit: Limit = LISTED) -> shapes.KnownDocuments:
    """List all versions of a document, oldest first, and which of them is current."""
    who = caller()
    after = number_cursor("versions", cursor)
    found = library.list_versions(who.runtime, who.identity, document_id, after, limit + 1)
    page = page_of("versions", found, limit, lambda one: [one.version.index])
    return shapes.KnownDocuments(items=[shapes.known_document(d) for d in page.items], next_cursor=page.next_cursor)


def outline(document_id: DocumentId, cursor: Cursor = None, limit: Limit = LISTED) -> shapes.Outline:
    """List a document's sections in order. Read one with look_up and its address."""
    who = caller()
    after = ordinal_cursor("sections", cursor)
    found = library.list_sections(who.runtime, who.identity, document_id, after, limit + 1)
    page = page_of("sections", found, limit, lambda one: [*one[0]])
    return shapes.Outline(
        items=[shapes.outline_entry(section) for _, section in page.items], next_cursor=page.next_cursor
    )


def search(
    query: Annotated[str, Field(description="what to look for; empty: what passes the filters")] = "",
    knowledge_bases: Bases = None,
    where: Where = None,
    types: Annotated[list[ChunkType] | None, Field(description="only these kinds of passage")] = None,
    documents: Pinned = None,
    include_superseded: Superseded = False,
    recency_days: Annotated[float | None, Field(description="prefer recent ones; half-life in days")] = None,
    sort: Annotated[str | None, Field(description="`price`, `price desc`, `newest` or `oldest`")] = None,
    columns: Columns = None,
    index: Index = "hybrid",
    k: Annotated[int, Field(ge=1, le=100, description="how many passages at most")] = HITS,
) -> shapes.Passages:
    request: dict[str, Any] = {"query": query, "knowledge_base_ids": find_bases(knowledge_bases), "where": where}
    request |= {"types": types, "documents": documents, "include_superseded": include_superseded, "sort": sort}
    request |= {"recency_days": recency_days, "columns": columns, "index": index, "k": k}
    who = caller()
    found = service.search(who.runtime, who.identity, SearchRequest.model_validate(request))
    return shapes.Passages(
        passages=[shapes.passage_of(hit) for hit in found.hits],
        corrections=found.corrections,
        table=found.table,
        rows_behind=found.rows_behind,
        trace_id=found.trace_id,
    )


def look_up(
    address: Annotated[str, Field(description="as printed: `C7.6.2`, `Table 3`; or of a document: `GPL-3 section 8`")],
    knowledge_bases: Bases = None,
    recursive: Annotated[bool, Field(description="everything below it too")] = False,
    documents: Pinned = None,
    include_superseded: Superseded = False,
) -> shapes.LookedUp:
    request = LookupRequest(
        address=address,
        knowledge_base_ids=find_bases(knowledge_bases),
        recursive=recursive,
        documents=documents,
        include_superseded=include_superseded,
    )
    who = caller()
    found = service.lookup(who.runtime, who.identity, request)
    return shapes.LookedUp(
        sections=[shapes.found_place(one) for one in found.sections],
        passages=[shapes.passage_of(hit) for hit in found.hits],
        trace_id=found.trace_id,
    )


def get_chunk(
    chunk_id: Annotated[UUID, Field(description="of a passage, as search and look_up have it")],
    neighbours: Annotated[int, Field(ge=0, le=NEIGHBOURS_MAX, description="passages before and after it")] = 1,
    page_image: Annotated[bool, Field(description="the crop of its page too, as an image")] = False,
) -> Annotated[CallToolResult, shapes.Neighbourhood]:
    who = caller()
    found = get_passage(who.runtime, who.identity, chunk_id, neighbours)
    image = crop_passage(who.runtime, who.identity, found.chunk) if page_image else None
    name, version = found.document.name, found.version
    said = shapes.Neighbourhood(
        passage=shapes.passage(found.chunk, name, version),
        before=[shapes.passage(one, name, version) for one in found.before],
        after=[shapes.passage(one, name, version) for one in found.after],
        page_image=image is not None,
    )
    content: list[ContentBlock] = [TextContent(type="text", text=said.model_dump_json())]
    if image is not None:
        content.append(ImageContent(type="image", data=base64.b64encode(image).decode(), mime_type="image/jpeg"))
    return CallToolResult(content=content, structured_content=said.model_dump(mode="json"))


def compare_versions(
    before: Annotated[UUID, Field(description="the id of the older document version")],
    after: Annotated[UUID, Field(description="the id of the newer one")],
    cursor: Cursor = None,
    limit: Limit = LISTED,
) -> shapes.Differences:
    from shared.library.diff import diff_documents

    who = caller()
    begin = number_cursor("differences", cursor)
    found = diff_documents(who.runtime, who.identity, before, after)
    left = shapes.differences(found)[begin : begin + limit + 1]
    page = page_of("differences", left, limit, lambda _: [begin + limit])
    return shapes.Differences(
        a=found.a.version, b=found.b.version, summary=found.summary, items=page.items, next_cursor=page.next_cursor
    )


def table_rows(
    chunk_id: Annotated[UUID, Field(description="of the table, or of one of its rows")],
    cursor: Cursor = None,
    limit: Limit = LISTED,
) -> shapes.TableRows:
    who = caller()
    # A cursor has the row that comes next.
    begin = number_cursor("rows", cursor)
    found = read_table_window(who.runtime, who.identity, chunk_id, begin - 1, limit)
    more = number_position("rows", found.rows[-1].row + 1) if found.rows and found.rows_left else None
    return shapes.TableRows(table=found, next_cursor=more)


def ask(
    question: Annotated[str, Field(description="one question in a whole sentence")],
    knowledge_bases: Bases = None,
    documents: Pinned = None,
    include_superseded: Superseded = False,
    plan: Annotated[
        bool, Field(description="look for evidence in several steps first: slower, for what needs several")
    ] = False,
) -> shapes.CitedAnswer:
    """Answer from the documents alone, each statement cited; or learn that they do not answer. Counted by the plan, as
    searching is not."""
    request = AskRequest(
        question=question,
        knowledge_base_ids=find_bases(knowledge_bases),
        documents=documents,
        include_superseded=include_superseded,
        plan=plan,
    )
    who = caller()
    return shapes.answered(answering.ask(who.runtime, who.identity, request, told_progress()))


def load_context(
    task: Annotated[str, Field(min_length=1, max_length=TASK_MAX, description="what is to be done, or asked")],
    budget_tokens: Annotated[int, Field(ge=BUDGET_LEAST, le=BUDGET_MOST, description="of `text`, at most")] = 4_000,
    knowledge_bases: Bases = None,
) -> shapes.LoadedContext:
    """Read what a task needs in one call, within a budget of tokens: topics, summaries and statements of the digest,
    and verbatim passages, each line with the numbers of its sources; and what was left out, to read where needed."""
    request = ContextRequest(task=task, budget_tokens=budget_tokens, knowledge_base_ids=find_bases(knowledge_bases))
    who = caller()
    return shapes.loaded(context.load_context(who.runtime, who.identity, request))


def add_note(
    knowledge_base: Base,
    text: Annotated[str, Field(description="what to note, as Markdown")],
    title: Annotated[str | None, Field(description="else its first line")] = None,
    tags: list[str] | None = None,
    note_type: Annotated[NoteType | None, Field(description="else what it seems to be")] = None,
) -> shapes.AddedNote:
    """Write a note into a knowledge base, where everybody who sees it finds it. Ask the person first."""
    body = NewNote.model_validate({"text": text, "title": title, "type": note_type, "tags": tags})
    who = caller()
    made = notes.post_note(who.runtime, who.identity, find_bases([knowledge_base])[0], body)
    return shapes.AddedNote(
        document_id=made.id,
        uri=shapes.document_uri(made.id),
        title=made.title,
        type=made.type,
        tags=made.tags,
        revision=made.revision,
        duplicate=made.duplicate,
    )


TITLES: Final[dict[Callable[..., Any], str]] = {
    search: "Search",
    look_up: "Look a section up",
    ask: "Ask the documents",
    load_context: "Load context for a task",
    get_chunk: "Read a passage",
    list_knowledge_bases: "List knowledge bases",
    list_documents: "List documents",
    list_versions: "List versions",
    outline: "List sections",
    compare_versions: "Compare versions",
    table_rows: "Read a table",
    lab.list_tables: "List tables",
    lab.list_datasets: "List datasets",
    lab.read_dataset: "Read a dataset",
    lab.make_dataset: "Make a dataset",
    lab.change_steps: "Transform a dataset",
    lab.dataset_sources: "Cells behind a dataset",
    lab.list_plots: "List plots",
    lab.read_plot: "Read a plot",
    lab.plot_dataset: "Plot a dataset",
    lab.keep_plot: "Keep a plot",
    lab.plot_cells: "Cells behind a mark",
    lab.experiment_summaries: "Read experiment summaries",
    lab.group_summary: "Read a summary of several documents",
    add_note: "Add a note",
}
_WRITES: Final[dict[Callable[..., Any], ToolAnnotations]] = {
    add_note: ADDS,
    lab.change_steps: ADDS,
    lab.make_dataset: MAKES,
    lab.keep_plot: MAKES,
}


def add_tools(server: MCPServer[Any]) -> None:
    """What a planning model has too is described to it in the same words."""
    for tool, title in TITLES.items():
        shared = description_of(tool.__name__) if tool.__name__ in ARGUMENTS else None
        annotations = _WRITES.get(tool, READS)
        server.add_tool(told(tool), title=title, description=shared, annotations=annotations)
