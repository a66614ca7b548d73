"""The audit log's page names every act that is noted anywhere."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "functions/api/static/js/settings/audit/acts.js"
NOTED = re.compile(r"\bnote(?:_by_itself)?\(\s*[^)]*?\"([a-z_]+)\.([a-z_]+)\"")


def test_every_noted_act_has_its_words() -> None:
    acts = {match for path in (ROOT / "shared").rglob("*.py") for match in NOTED.findall(path.read_text())}
    assert {("member", "invite"), ("document", "upload"), ("key", "revoke"), ("sign_in", "succeed")} <= acts
    page = PAGE.read_text()
    kinds = dict(re.findall(r'\[\s*"([a-z_]+)",\s*"[^"]+",\s*\{([^}]*)\}', page))
    missing = [f"{kind}.{act}" for kind, act in acts if not re.search(rf"\b{act}:", kinds.get(kind, ""))]
    assert sorted(missing) == []
