"""Operations of conversations: questions that follow upon one another, and what is done with their answers."""

from typing import Literal

from autri import models
from autri.operations import Id, Ids, content
from autri.wire import Listing, Operation, given, json_of

Verdict = Literal["right", "wrong", "incomplete"]


def threads(words: str = "") -> Listing[models.Thread]:
    """The caller's own conversations, latest first; those with all `words` in their title, questions or answers."""
    return Listing("/threads", models.Thread, given(words=words or None))


def create_thread(
    title: str = "",
    *,
    knowledge_bases: Ids = (),
    documents: Ids | None = None,
    k: int = 10,
    include_superseded: bool = False,
) -> Operation[models.Thread]:
    """Begins a conversation over some knowledge bases, or over all that the caller may read. Its first question names
    it where there is no title."""
    scope = given(knowledge_base_ids=knowledge_bases, documents=documents, k=k, include_superseded=include_superseded)
    return Operation("POST", "/threads", json_of(models.Thread), body={"title": title, "scope": scope})


def thread(thread: Id) -> Operation[models.WholeThread]:
    """A conversation with its questions and answers."""
    return Operation("GET", f"/threads/{thread}", json_of(models.WholeThread))


def rename_thread(thread: Id, title: str) -> Operation[models.Thread]:
    """Gives a conversation another title."""
    return Operation("PATCH", f"/threads/{thread}", json_of(models.Thread), body={"title": title})


def delete_thread(thread: Id) -> Operation[models.RemovedThread]:
    """Deletes a conversation with its answers and links."""
    return Operation("DELETE", f"/threads/{thread}", json_of(models.RemovedThread))


def export_thread(thread: Id, form: Literal["markdown", "json"] = "markdown") -> Operation[bytes]:
    """A conversation as a file, with its citations."""
    return Operation("GET", f"/threads/{thread}/export", content, {"form": form})


def ask_in_thread(thread: Id, question: str, *, rewrite: bool = True) -> Operation[models.AskedMessage]:
    """Asks on in a conversation. `asked_as` is what was asked in place of a question that does not stand alone; without
    `rewrite` it is asked as it is."""
    body = {"question": question, "rewrite": rewrite}
    return Operation("POST", f"/threads/{thread}/ask", json_of(models.AskedMessage), body=body, repeatable=False)


def answer_again(thread: Id, message: Id, *, model: str | None = None) -> Operation[models.AskedMessage]:
    """A further answer to a question of a conversation, by another of the server's models, or by the usual one."""
    path = f"/threads/{thread}/messages/{message}/answers"
    return Operation("POST", path, json_of(models.AskedMessage), body=given(model=model), repeatable=False)


def rate_answer(
    thread: Id, answer: Id, verdict: Verdict | None, note: str | None = None
) -> Operation[models.NewFeedback]:
    """Says what an answer is worth, or with None that nothing is said of it any more. Editors of what it cites are
    told, with the question."""
    path = f"/threads/{thread}/answers/{answer}/feedback"
    return Operation("PUT", path, json_of(models.NewFeedback), body={"verdict": verdict, "note": note})


def share_thread(thread: Id, days: int = 7) -> Operation[models.MadeShare]:
    """A link for `days` (1 to 30) by which a conversation is read; its `path`, behind the server's address, is told
    this once."""
    return Operation("POST", f"/threads/{thread}/shares", json_of(models.MadeShare), body={"days": days})


def revoke_share(thread: Id, share: Id) -> Operation[models.Share]:
    """Ends a link to a conversation."""
    return Operation("POST", f"/threads/{thread}/shares/{share}/revoke", json_of(models.Share))
