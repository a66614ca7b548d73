"""The retrievers for LangChain and LlamaIndex, with the real packages in an environment of their own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

CLIENT = Path(__file__).parents[2] / "clients" / "python"
PACKAGES = {
    "langchain": "langchain-core==1.0.4",
    "llama_index": "llama-index-core==0.14.7",
}
ASKED = "What does the TA-37V cost?"
SCRIPTS = {
    "langchain": """
from autri.langchain import AutriRetriever
found = AutriRetriever(client=client, k=4).invoke(asked)
said = [[one.id, one.page_content, one.metadata] for one in found]
""",
    "llama_index": """
from autri.llama_index import AutriRetriever
found = AutriRetriever(client, 4).retrieve(asked)
said = [[one.node.node_id, one.node.get_content(), one.node.metadata] for one in found]
assert [one.score for one in found] == [one.node.metadata["score"] for one in found]
""",
}


@pytest.mark.parametrize("name", PACKAGES)
def test_a_retriever_gives_verbatim_chunks_with_their_places(name: str, live_server: str) -> None:
    script = f"import json\nfrom autri import Client\nclient, asked = Client({live_server!r}), {ASKED!r}\n"
    script += SCRIPTS[name] + "print(json.dumps([said, [str(h.chunk.id) for h in client.search(asked, k=4).hits]]))"
    uv = Path(sys.executable).with_name("uv")
    command = [uv, "run", "--quiet", "--isolated", "--no-project", "--with", PACKAGES[name], "--with", CLIENT]
    ended = subprocess.run([*command, "python", "-c", script], check=False, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    said, hits = json.loads(ended.stdout)
    assert [one[0] for one in said] == hits
    assert len(said) == 4
    assert any("27,950" in one[1] for one in said)
    assert all(one[2]["boxes"] and one[2]["document"] for one in said)
