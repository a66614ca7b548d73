"""What a stored statement sets is set until its transaction ends: connections are used again, for others."""

import re

import pytest

from tests.store.filling import Connection
from tests.store.statements import statements

SETTING = re.compile(r"set_config\(\s*'([\w.]+)'")
GIVEN = {"newest": 1, "ef_search": "77", "scanned_max": "777", "visited_max": "7777", "memory": "7"}
ID = "{00000000-0000-0000-0000-000000000007}"


@pytest.mark.parametrize("name", sorted(name for name, text in statements().items() if "set_config(" in text))
def test_what_a_statement_sets_ends_with_its_transaction(everywhere: Connection, name: str) -> None:
    text = statements()[name]
    settings = SETTING.findall(text)
    # Begin with the contrary, so that what stays behind shows.
    for setting in settings:
        if setting.startswith("enable_"):
            contrary = "off" if f"'{setting}', 'on'" in text else "on"
            everywhere.execute("select set_config(%s, %s, false)", (setting, contrary))
    everywhere.commit()
    before = said(everywhere, settings)
    with everywhere.transaction():
        everywhere.execute(
            "select set_config('app.kb_ids', '{}', true), set_config('app.read_only_ids', %s, true)", (ID,)
        )
        everywhere.execute(text.encode(), {key: value for key, value in GIVEN.items() if f"%({key})s" in text})
    assert said(everywhere, settings) == before


def said(connection: Connection, settings: list[str]) -> list[str]:
    found = [connection.execute("select current_setting(%s, true) as it", (name,)).fetchone() for name in settings]
    connection.commit()
    return [row["it"] or "" for row in found if row]
