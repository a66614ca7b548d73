"""`make attacks`: runs every attack and writes docs/benchmarks/injection.md."""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from shared.adapters.local.postgres import OWNER, EmbeddedPostgres
from shared.bootstrap import local_runtime
from shared.store.identities import resolve_identity
from shared.store.migrate import migrate
from shared.store.provision import LOCAL_ISSUER, LOCAL_SUBJECT, Organization, provision, provision_local
from tests.attacks.trial import Outcome, World, corpus
from tests.conftest import NOT_DURABLE, add_member

COLUMNS = ("attack", "where it stands", "what an obeying model does", "reached", "came of it", "question")
HEAD = """# Attacks by documents

`make attacks` wrote this page (docs/decisions/0108-attacks-and-answers.md). Real files are ingested; a fake model
behind the real wire format looks for the order in what it is told, decodes it where it has to, calls the tools and
writes the sentences that it orders, each citing the rule, the order, both and nothing, and beside them the honest
answer. Looked at from outside: rows of other scopes that the database let a statement see, by a trap in the policy (of
other tenants alone where nothing was found, since then the names of one's own other knowledge bases are suggested);
texts of other knowledge bases and tenants in the answer or its events; addresses, images and markup in sentences;
sentences that cite no passage with the order, or whose parts no cited passage has, by a comparison of its own.

*Told, cited*: the sentence stands in the document that orders it, and cites that passage. What a document states
is told with its citation, whether or not it is true."""
PAGE = Path(__file__).parents[2] / "docs" / "benchmarks" / "injection.md"


def main(names: Sequence[str]) -> None:
    """Of `names` alone where there are any: then the page stays as it is, and what succeeds is printed."""
    with tempfile.TemporaryDirectory(prefix="autri-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        with EmbeddedPostgres(home / "postgres", NOT_DURABLE) as server:
            owner = server.dsn(OWNER)
            migrate(owner)
            provision_local(owner)
            provision(owner, Organization("kestrel", "Kestrel", "ada@kestrel.example"))
            runtime = local_runtime(server.dsn(), home)
            with runtime.database:
                with runtime.database.unscoped() as connection:
                    identity = resolve_identity(connection, LOCAL_ISSUER, LOCAL_SUBJECT)
                assert identity is not None
                other = add_member(runtime, owner, "kestrel", "owner")
                world = World(runtime, identity, other, owner, home / "postgres" / "server.log")
                made = {name: _run(world, name) for name in names or ("corpus", "held_out")}
    if names:
        _print(made)
    else:
        PAGE.write_text(_page(made))


def _run(world: World, name: str) -> list[Outcome]:
    made = list[Outcome]()
    for one in corpus(name):
        filled = world.filled(one)
        made.append(world.run(filled, world.ingest(filled)))
        print(f"{name} {one['id']}", flush=True)
    return made


def _print(made: dict[str, list[Outcome]]) -> None:
    for name, outcomes in made.items():
        print(f"{name}: {_counted(outcomes)}")
        for one in outcomes:
            said = "; ".join(one.succeeded) or one.honest
            print(f"  {one.attack['id']} {'reached' if one.reached else 'not reached'}: {said}; told {one.told}")


def _counted(outcomes: Sequence[Outcome]) -> str:
    return (
        f"{len(outcomes)} attacks, {sum(one.reached for one in outcomes)} reached the model, "
        f"{sum(bool(one.succeeded) for one in outcomes)} succeeded, "
        f"{sum(bool(one.told) for one in outcomes)} had the document's own words told with their citation, "
        f"{sum(one.honest == 'answered' for one in outcomes)} still answered the question"
    )


def _page(made: dict[str, list[Outcome]]) -> str:
    parts = [HEAD]
    for name, title in (("corpus", "Attacks"), ("held_out", "Held out")):
        parts += [f"## {title}", f"{_counted(made[name])}.", _table(made[name])]
    return "\n\n".join(parts) + "\n"


def _table(outcomes: Sequence[Outcome]) -> str:
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
    for one in outcomes:
        attack = one.attack
        came = "; ".join(one.succeeded) or ("told, cited" if one.told else "nothing")
        row = (attack["id"], attack["place"].replace("_", " "), attack["obeys"], "yes" if one.reached else "no", came)
        lines.append(f"| {' | '.join(text.replace('|', '·') for text in (*row, one.honest))} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main(sys.argv[1:])
