"""What a quoted statement announces stands behind it: the code or formula behind a colon, the items of a list, the rows
of a short table."""

from collections.abc import Sequence

from shared.answering.evidence import Embed, Sentence, weigh_items, weigh_whole
from shared.answering.found import LISTED_MAX, FoundEvidence
from shared.answering.question import Question
from shared.answering.quoting import QUOTATIONS_MAX, is_listed
from shared.answering.sentences import split_sentences
from shared.answering.statements import items_of
from shared.domain.knowledge import Hit


def with_announced(
    question: Question, chosen: Sequence[Sentence], found: FoundEvidence, embed: Embed
) -> Sequence[Sentence]:
    """The `chosen` statements, which are some. Where the passage of the first ends in a colon ("run the following
    command:") it is not finished: behind the statement the code or formula that it announces. Of those that end in one
    ("But there are disadvantages:") the one that ends in most of the question has its list behind it, and the others
    are left out; not where the first statement is of that list, since then an item is what was asked for. Where some
    rows of a table are chosen themselves these come before what announces the table."""
    first, *others = chosen
    behind = found.announced.get(first.hit.chunk.id, ())
    code = behind[0] if behind and not _is_list(behind) else None
    if code and not any(one.hit.chunk.id == code.chunk.id for one in others):
        chosen = [first, weigh_whole(question, code, embed), *others][:QUOTATIONS_MAX]
    lists = {one: found.announced.get(one.hit.chunk.id, ()) for one in chosen if _ends_passage(one)}
    announcing = [one for one, of in lists.items() if _is_list(of) and not _is_of(first, of)]
    # A sentence that is short stands with the one before: "Advantages include:".
    announcing.sort(key=lambda one: -question.share_in(split_sentences(one.text)[-1]))
    lead, *unfinished = announcing or [None]
    listed = lists[lead] if lead else ()
    if lead and (rows := [one for one in chosen if one.cells and _is_of(one, listed)]):
        return [*rows, *(one for one in chosen if one not in rows and one not in unfinished)]
    slices = [one for hit in listed for one in items_of(hit, found.rows.get(hit.chunk.id, ""))]
    items = weigh_items(question, slices[:LISTED_MAX], embed)
    alone = [one for one in chosen if one not in unfinished and not is_listed(one, items)]
    at = alone.index(lead) + 1 if lead else 0
    return [*alone[:at], *items, *alone[at:]]


def _ends_passage(one: Sentence) -> bool:
    return one.hit.chunk.content.rstrip().endswith(one.text)


def _is_list(passages: Sequence[Hit]) -> bool:
    return any(hit.chunk.chunk_type in ("list", "table_row") for hit in passages)


def _is_of(one: Sentence, passages: Sequence[Hit]) -> bool:
    return any(hit.chunk.id == one.hit.chunk.id for hit in passages)
