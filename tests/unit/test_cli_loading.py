"""What a command loads before it does anything: nothing that it does not need."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from functions.cli import api, http_channel, local_channel
from functions.cli.main import COMMANDS, call, load_command
from functions.cli.server import announced
from tests.answering_server import served

# Modules outside the standard library, by their first name; typer brings the rest along.
FOR_HELP = {"functions", "shared", "typer", "rich"}
BROUGHT_ALONG = {"annotated_doc", "annotated_types", "shellingham", "_distutils_hack"}
OURS_FOR_HELP = {
    "functions.cli.errors",
    "functions.cli.left_out",
    "functions.cli.main",
    "functions.cli.options",
    "functions.cli.output",
    "functions.ending",
}
# Typer reads every option by pydantic.
FOR_A_CALL = FOR_HELP | {"pydantic", "pydantic_core", "typing_extensions", "typing_inspection"}
OURS_FOR_A_CALL = OURS_FOR_HELP | {
    f"functions.cli.{name}"
    for name in (
        "api",
        "certificates",
        "channel",
        "commands",
        "commands.kb",
        "confirm",
        "find",
        "local_channel",
        "options",
        "server",
    )
}
MODULES_MAX = 330
NOT_FOR_HELP = ("rich.markdown", "rich.traceback", "rich.syntax")


def loaded(*arguments: str, **environment: str) -> set[str]:
    """The modules that are loaded when the command has ended."""
    program = (
        "import json, sys; from functions.cli.main import call\n"
        f"call({list(arguments)!r}); print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=os.environ | environment
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


def outside_of(modules: set[str]) -> set[str]:
    """The packages that somebody asked for."""
    first = {name.partition(".")[0] for name in modules} - set(sys.stdlib_module_names) - BROUGHT_ALONG
    return {name for name in first if name != "__main__" and not name.startswith("_sysconfigdata")}


def test_help_loads_no_command() -> None:
    modules = loaded("--help")
    assert outside_of(modules) == FOR_HELP
    assert {n for n in modules if n.startswith("functions.") and n != "functions.cli"} == OURS_FOR_HELP
    assert not modules & set(NOT_FOR_HELP)
    assert len(modules) < MODULES_MAX


def test_help_looks_as_with_all_that_typer_imports_for_it() -> None:
    import_all = "import typer.rich_utils; "
    program = "from functions.cli.main import call; call(['--help'])"
    shown = [subprocess.check_output([sys.executable, "-c", before + program]) for before in ("", import_all)]
    assert shown[0] == shown[1]


def test_what_was_left_out_is_there_for_whoever_needs_it() -> None:
    program = (
        "from functions.cli.main import call; call(['--help'])\n"
        "from rich.markdown import Markdown; from rich.traceback import Traceback\n"
        "Markdown('*a*').parsed; Traceback.from_exception"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)


def test_it_says_the_version_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    packaged = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["version"]
    assert call(["--version"]) == 0
    assert capsys.readouterr().out == f"autri {packaged}\n"


def test_a_call_to_the_running_server_loads_no_http_library(tmp_path: Path) -> None:
    with served([(200, "application/json", b'{"items": [], "next_cursor": null}')]) as server:
        with announced(tmp_path, "127.0.0.1", server.server_port):
            modules = loaded("kb", "list", AUTRI_HOME=str(tmp_path))
        assert server.asked == [("GET", "/v1/knowledge-bases?limit=500", b"")]
    assert outside_of(modules) == FOR_A_CALL
    assert {n for n in modules if n.startswith("functions.") and n != "functions.cli"} == OURS_FOR_A_CALL


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

    class Closed:
        def __init__(
            self, base: str, token: str | None = None, organization: str | None = None, login: object = None
        ) -> None:
            assert organization is login is None
            calls.append((base, token))

        def close(self) -> None: ...

    api.ORGANIZATION.set(None)
    api.LOGIN.set(None)
    monkeypatch.setattr(api, "running_server", lambda: "http://127.0.0.1:8000")
    monkeypatch.setattr(http_channel, "HttpChannel", Closed)
    monkeypatch.setattr(local_channel, "LocalChannel", Closed)
    with api.open_api(url, "secret"):
        assert calls == [called]


@pytest.mark.parametrize("name", COMMANDS)
def test_what_help_says_of_a_command_is_what_the_command_says_of_itself(name: str) -> None:
    said = (load_command(name).help or "").split("\n\n")[0]
    assert " ".join(said.split()) == COMMANDS[name][1]
