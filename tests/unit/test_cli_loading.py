"""What a command loads before it does anything: nothing that it does not need."""

import json
import subprocess
import sys

import pytest

from functions.cli import api
from functions.cli.main import COMMANDS, load_command

# Modules outside the standard library, by their first name; typer brings the rest along.
FOR_HELP = {"functions", "shared", "typer", "rich"}
BROUGHT_ALONG = {"annotated_doc", "attr", "markdown_it", "mdurl", "pygments", "shellingham", "_distutils_hack"}
OURS_FOR_HELP = {"functions.cli.errors", "functions.cli.main", "functions.cli.output", "functions.ending"}
MODULES_MAX = 380


def loaded(*arguments: str) -> set[str]:
    """The modules that are loaded when the command has ended."""
    program = (
        "import json, sys; from functions.cli.main import call\n"
        f"call({list(arguments)!r}); print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_help_loads_no_command() -> None:
    modules = loaded("--help")
    outside = {name.partition(".")[0] for name in modules} - set(sys.stdlib_module_names) - {"__main__"}
    assert outside - BROUGHT_ALONG == FOR_HELP
    assert {n for n in modules if n.startswith("functions.") and n != "functions.cli"} == OURS_FOR_HELP
    assert len(modules) < MODULES_MAX


def test_a_command_loads_its_own_module_and_no_other_commands() -> None:
    commands = "functions.cli.commands."
    own = {name.removeprefix(commands) for name in loaded("kb", "--help") if name.startswith(commands)}
    assert "kb" in own
    assert not own & {"evaluate", "ingest", "doctor", "system"}


@pytest.mark.parametrize(
    ("url", "called"),
    [(None, ("http://127.0.0.1:8000", None)), ("https://autri.example", ("https://autri.example", "secret"))],
)
def test_a_token_goes_to_the_server_that_it_was_given_for_and_to_no_other(
    monkeypatch: pytest.MonkeyPatch, url: str | None, called: tuple[str, str | None]
) -> None:
    calls: list[tuple[str, str | None]] = []

    class Client:
        def __init__(self, base: str, token: str | None) -> None:
            calls.append((base, token))

        def __enter__(self) -> None: ...

        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr(api, "running_server", lambda: "http://127.0.0.1:8000")
    monkeypatch.setattr(api, "ApiClient", Client)
    with api.open_api(url, "secret"):
        assert calls == [called]


@pytest.mark.parametrize("name", COMMANDS)
def test_what_help_says_of_a_command_is_what_the_command_says_of_itself(name: str) -> None:
    said = (load_command(name).help or "").split("\n\n")[0]
    assert " ".join(said.split()) == COMMANDS[name][1]
