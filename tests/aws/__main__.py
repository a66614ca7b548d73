"""`make emulated`: tier 1 on the emulator, for a person to try what they would get on AWS, until Ctrl-C."""

import html
import re
import signal
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from tests.aws.customer import bucket_of
from tests.aws.front import running_front
from tests.aws.login import PASSWORD, create_person
from tests.aws.streams import running_streams
from tests.aws.system import System, running_system
from tests.aws.tunnel import running_tunnel

WATCH_S = 2
GUIDE = """
Ready: {origin}
Sign in as {owner} with the password {password}

Only this machine knows that address, so open it in a Chromium that is told where it is:
  chromium --user-data-dir={folder}/browser --ignore-certificate-errors \\
    --disable-features=AutoupgradeMixedContent --host-resolver-rules="MAP {host}:443 127.0.0.1:{port}" {origin}
A colleague whom you invite (Settings, Members) gets a mail, which is printed here, and needs a browser of their own:
the same command with another --user-data-dir.
In another terminal:
  export HTTPS_PROXY={proxy} SSL_CERT_FILE={certificate} AUTRI_URL={origin}
  .venv/bin/autri login --no-browser        # where that Chromium is not your own browser
  .venv/bin/autri ops status
  .venv/bin/autri keys create smoke --scope admin
  make smoke URL={origin} TOKEN=autri_…     # three steps fail on an emulator: docs/deploy.md
Models are imitated: answers of the bedrock engine mean nothing. Mail that the deployment sends is printed here.
Ctrl-C stops it and removes everything but what `autri login` keeps: `autri logout` before.
"""


def main() -> None:
    """Deploys, says how to get in, and prints mail until Ctrl-C."""
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.default_int_handler)  # a shell's background ignores the first one
    print("autri: synthesizing tier 1 and deploying it to an emulator: 1 to 5 minutes, at first longer", flush=True)
    try:
        with running_system() as system, opened(system) as guide:
            create_person(system.emulator, system.deployed.only("AWS::Cognito::UserPool"), system.owner)
            print(guide, flush=True)
            watch_mail(system)
    except KeyboardInterrupt:
        print("\nautri: stopped; nothing is left")


@contextmanager
def opened(system: System) -> Generator[str]:
    """What a person has to know to get in; the way there is open until the context ends."""
    origin, api = system.deployed.output("Url"), system.deployed.only("AWS::ApiGatewayV2::Api")
    host = urlsplit(origin).netloc
    with tempfile.TemporaryDirectory(prefix="autri-front-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with (
            running_streams(system, folder) as streams,
            running_front(host, system.emulator.url, api, bucket_of(system, "StaticFiles"), folder, streams) as port,
            running_tunnel(host, port) as proxy,
        ):
            yield GUIDE.format(
                origin=origin,
                host=host,
                port=port,
                proxy=proxy,
                folder=folder,
                certificate=folder / "front.pem",
                owner=system.owner,
                password=PASSWORD,
            )


def watch_mail(system: System) -> None:
    """Prints each mail once; does not return."""
    told = 0
    while True:
        sent = sent_mail(system)
        for mail in sent[told:]:
            print(as_text(mail), flush=True)
        told = len(sent)
        time.sleep(WATCH_S)


def as_text(mail: dict[str, Any]) -> str:
    """As its receiver reads it."""
    lines = re.split(r"</p>|<br>", mail["BodyHtml"] or mail["BodyText"])
    body = "\n".join(f"  {html.unescape(re.sub(r'<[^>]+>', '', line))}" for line in lines if line)
    return f"Mail to {', '.join(mail['To'])}: {mail['Subject']}\n{body}\n"


def sent_mail(system: System) -> list[dict[str, Any]]:
    """All mail so far, oldest first."""
    sent = httpx.get(f"{system.emulator.url}/_ministack/ses/messages", timeout=30).json()["messages"]
    return [mail for group in sent.values() for mail in group]


if __name__ == "__main__":
    main()
