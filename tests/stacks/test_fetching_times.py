"""Who waits for a web page waits longer than it may take; a person's request waits for less than it may last."""

from shared.adapters.web import TOTAL_S
from stacks import api, fetching, maintenance


def test_each_wait_for_a_page_outlasts_the_one_within_it() -> None:
    assert fetching.TIMEOUT_S > TOTAL_S
    assert maintenance.FETCH_WAIT_S > fetching.TIMEOUT_S
    assert api.FETCH_WAIT_S < api.TIMEOUT_S
    assert api.TIMEOUT_S <= 30, "HTTP API ends a request then"
