from pathlib import Path

from tests.crash import trials
from tests.pipeline import PRICES


def test_an_ingestion_killed_at_random_moments_ends_as_an_undisturbed_one(test_home: Path) -> None:
    folder = test_home / "crash"
    folder.mkdir()
    report = trials(folder, PRICES, 2)
    outcomes = [(t["was_running"], t["same_chunks"], t["ids_kept"]) for t in report["trials"]]
    assert outcomes == [(True, True, True)] * 2, report
