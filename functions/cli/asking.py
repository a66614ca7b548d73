"""What is done while a question is answered, on a line of stderr where that is a terminal."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from rich.markup import escape

from functions.cli.heard import Tell
from functions.cli.output import count, err

SHOWN = 60
TOOLS = {
    "search": "searching", "look_up": "looking up", "get_chunk": "reading a passage",
    "list_documents": "looking at the documents", "list_knowledge_bases": "looking at the knowledge bases",
    "compare_versions": "comparing versions",
}  # fmt: skip
# Arguments of tools that say what is looked for.
NAMED = ("query", "address")


@contextmanager
def told_steps() -> Generator[Tell]:
    """What draws each step; nothing where stderr is no terminal."""
    if not err.is_terminal:
        yield lambda _name, _data: None
        return
    with err.status("searching …") as status:
        yield lambda name, data: status.update(escape(step_in_words(name, data)))


def step_in_words(name: str, data: Any) -> str:
    """What goes on after an event, in one line."""
    if name == "plan":
        asked = count(len(data["knowledge_base_ids"]), "knowledge base")
        return f"searched {asked} …"
    if name == "tool":
        given = data.get("arguments") or {}
        about = next((str(given[one]) for one in NAMED if given.get(one)), "")
        about = f" “{about[:SHOWN]}{'…' if len(about) > SHOWN else ''}”" if about else ""
        found = ", which failed" if data["failed"] else f": {count(len(data['chunk_ids']), 'passage')}"
        return f"{TOOLS.get(data['name'], data['name'].replace('_', ' '))}{about}{found} …"
    if name == "hits":
        return f"{count(len(data['hits']), 'passage')} found, judging them …"
    if name == "evidence":
        return "writing the answer …" if data["enough"] else "too little was found …"
    return "checking each sentence …"
