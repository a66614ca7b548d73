"""The settings' page for the model that answers: what is typed stays where the model does not answer."""

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import Opener
from tests.browser.gestures import settle

pytestmark = pytest.mark.browser
# Nothing listens there.
ADDRESS = "http://127.0.0.1:9/v1"
TYPED = {"model": "kestrel-7b", "url": ADDRESS, "key": "sk-kestrel", "price": "0.25,2"}


@pytest.mark.parametrize("button", ["Try it first", "Use this model"])
def test_the_form_keeps_what_was_typed_where_a_check_fails(open_page: Opener, button: str) -> None:
    page = settle(open_page("/settings/model"))
    problem = {"title": "Bad input", "status": 422, "detail": "The endpoint does not answer."}

    def refuse(route: Route) -> None:
        if route.request.method == "PUT":
            route.fulfill(status=422, json=problem)
        else:
            route.continue_()

    page.route("**/v1/model", refuse)
    form = page.locator(".model-form")
    for name, value in TYPED.items():
        form.locator(f"[name={name}]").fill(value)
    form.get_by_role("button", name=button).click()
    expect(form.get_by_role("alert")).to_contain_text("does not answer")
    expect(form.get_by_role("button", name=button)).to_be_enabled()
    for name, value in TYPED.items():
        expect(form.locator(f"[name={name}]")).to_have_value(value)
