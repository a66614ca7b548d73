"""What a question's steps are called in notifications of progress: counts and names of tools, nothing of a document."""

from functions.mcp.exchange import EXCHANGE
from shared.answering.events import AskEvent, Tell, tell_nobody


def told_progress() -> Tell:
    """Tells each step to whoever waits for the call that runs; nobody where its answer goes out whole."""
    exchange = EXCHANGE.get()
    if exchange is None:
        return tell_nobody
    sentences = 0

    def tell(event: AskEvent) -> None:
        nonlocal sentences
        sentences += event.name == "sentence"
        exchange.tell(_words(event, sentences))

    return tell


def _words(event: AskEvent, sentences: int) -> str:
    """What was done, in a few words."""
    data = event.data
    match event.name:
        case "plan":
            return f"searching {_count(len(data['knowledge_base_ids']), 'knowledge base')}"
        case "tool":
            found = "failed" if data["failed"] else f"gave {_count(len(data['chunk_ids']), 'passage')}"
            return f"{data['name']} {found}"
        case "hits":
            return f"{_count(len(data['hits']), 'passage')} found"
        case "evidence":
            return "evidence chosen" if data["enough"] else "too little evidence"
        case "sentence":
            return f"{_count(sentences, 'sentence')} written"
        case _:
            return "answered"


def _count(number: int, name: str) -> str:
    return f"{number} {name}" if number == 1 else f"{number} {name}s"
