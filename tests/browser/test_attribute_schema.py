"""An editor declares the attributes of two price lists on their page, and corrects them later."""

import re
from collections.abc import Callable, Iterator

import httpx
import pytest
from playwright.sync_api import Locator, Page, Route, expect

from shared.domain.ids import new_id
from tests.browser.conftest import Opener
from tests.browser.gestures import settle, violations
from tests.browser.sample import Json, ingest, read

pytestmark = pytest.mark.browser

ATLAS = "Model,HP,Max. pressure (psi),Lubrication,Noise (dB)\nK-7,10,125,Oilless,68\nK-9,15,145,Flooded,n/a\n"
ROTOR = (
    "Model,Motor power [kW],Max. pressure (bar),Lubrication,Capacity\n"
    "R-1,7.5,8,Oilless,90 cfm\nR-2,11,10,oil-free,120 cfm\n"
)
Find = Callable[[str], list[str]]


@pytest.fixture
def shelf(api: httpx.Client) -> Json:
    made: Json = api.post("/v1/knowledge-bases", json={"name": f"shelf {new_id().hex}", "description": "x"}).json()
    for file, text in (("atlas.csv", ATLAS), ("rotor.csv", ROTOR)):
        ingest(api, made["id"], file, text.encode())
    return made


@pytest.fixture
def find(api: httpx.Client, shelf: Json) -> Find:
    def find(where: str) -> list[str]:
        body = {"query": "", "where": where, "knowledge_base_ids": [shelf["id"]], "k": 50}
        return sorted(hit["chunk"]["content"].split()[0] for hit in api.post("/v1/search", json=body).json()["hits"])

    return find


def path(shelf: Json) -> str:
    return f"/kb/{shelf['slug']}/attributes"


def row(page: Page, name: str) -> Locator:
    return page.locator(f'.attr[data-name="{name}"]')


def save(page: Page, why: str) -> None:
    page.locator("#attr-save").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("for the history")
    assert violations(page) == []
    dialog.get_by_label("Why, for the history").fill(why)
    dialog.get_by_role("button", name=re.compile("^(Declare them|Save version)")).click()
    expect(dialog).to_have_count(0)


def test_a_proposal_is_renamed_pruned_and_declared_and_documents_are_read(
    open_page: Opener, shelf: Json, find: Find
) -> None:
    page = settle(open_page(path(shelf)))
    power = page.locator('.attr[data-name="hp"], .attr[data-name="motor_power"]')
    expect(power).to_contain_text("100 % of documents")
    expect(power).to_contain_text("motor_power [kW]")
    name = power.locator(".attr-name")
    name.fill("Power")
    name.press("Tab")
    expect(row(page, "power")).to_be_visible()
    # The type has the focus, as the order of the fields has it.
    expect(row(page, "power").get_by_label("Type of power")).to_be_focused()
    row(page, "power").get_by_label("Unit of power").fill("hp")
    page.locator("#attr-all").uncheck()
    row(page, "power").get_by_label("power counts").check()
    row(page, "lubrication").get_by_label("lubrication counts").check()
    save(page, "what people ask for")
    expect(page.locator("#backfill")).to_contain_text("Version 1 is read: 2 documents")
    expect(page.locator(".attrs").first.locator(".attr")).to_have_count(2)
    assert find("power >= 14 hp") == ["K-9", "R-2"]
    history = page.get_by_role("region", name="History")
    expect(history).to_contain_text("what people ask for")
    history.get_by_text("What changed").click()
    expect(history).to_contain_text("added power")
    assert violations(page) == []


def test_older_versions_are_shown_when_they_are_asked_for(open_page: Opener, api: httpx.Client, shelf: Json) -> None:
    schema = f"/v1/knowledge-bases/{shelf['id']}/schema"
    for version in range(42):
        body = {"version": version, "attributes": [{"name": "power", "type": "number", "label": f"Power {version}"}]}
        api.put(schema, json=body).raise_for_status()
    page = settle(open_page(path(shelf)))
    history = page.get_by_role("region", name="History")
    versions = history.locator(".version-line b")
    expect(versions).to_have_count(20)
    older = history.get_by_role("button", name="Older versions")
    older.click()
    expect(versions).to_have_count(40)
    expect(history.locator("summary").nth(20)).to_be_focused()
    assert violations(page) == []
    older.click()
    expect(older).to_have_count(0)
    assert versions.all_inner_texts() == [f"Version {number}" for number in range(42, 0, -1)]
    expect(history).not_to_contain_text("autri schema")


def test_a_candidate_is_merged_and_taken_apart_again_and_the_act_undone(
    open_page: Opener, api: httpx.Client, shelf: Json, find: Find
) -> None:
    schema = f"/v1/knowledge-bases/{shelf['id']}/schema"
    hp = {"name": "hp", "type": "number", "unit": "hp"}
    api.put(schema, json={"version": 0, "attributes": [hp]}).raise_for_status()
    page = settle(open_page(path(shelf)))
    expect(page.locator("#backfill")).to_contain_text("Version 1 is read")
    page.locator("details.attr-candidates summary").click()
    page.get_by_label("Find among candidates").fill("motor")
    expect(page.locator("details.attr-candidates .attr")).to_have_count(1)
    row(page, "motor_power").get_by_role("button", name="Merge motor_power").click()
    assert violations(page) == []
    page.get_by_label("Merge it into").select_option(label="hp (number, hp)")
    page.get_by_role("button", name="Merge", exact=True).click()
    expect(row(page, "hp").locator(".attr-name")).to_be_focused()
    expect(row(page, "hp")).to_contain_text("motor_power")
    page.get_by_role("button", name="Undo").click()
    expect(row(page, "motor_power")).to_be_visible()
    row(page, "motor_power").get_by_role("button", name="Merge motor_power").click()
    page.get_by_label("Merge it into").select_option(label="hp (number, hp)")
    page.get_by_role("button", name="Merge", exact=True).click()
    save(page, "one and the same")
    expect(page.locator("#backfill")).to_contain_text("Version 2 is read")
    assert find("hp >= 14 hp") == ["K-9", "R-2"]
    row(page, "hp").get_by_role("button", name="Split hp").click()
    page.get_by_role("dialog").get_by_role("button", name="Split", exact=True).click()
    expect(row(page, "motor_power")).to_have_class(re.compile("kept"))
    save(page, "two after all")
    expect(page.locator("#backfill")).to_contain_text("Version 3 is read")
    assert find("hp >= 14 hp") == ["K-9"]
    assert find("motor_power >= 14 hp") == ["R-2"]


def test_what_does_not_fit_is_said_with_where_it_stands(open_page: Opener, api: httpx.Client, shelf: Json) -> None:
    wanted = {"name": "lubrication", "type": "category", "values": [{"value": "Oilless", "synonyms": ["oil-free"]}]}
    body = {"version": 0, "attributes": [wanted]}
    api.put(f"/v1/knowledge-bases/{shelf['id']}/schema", json=body).raise_for_status()
    page = settle(open_page(path(shelf)))
    expect(page.locator("#backfill")).to_contain_text("Version 1 is read")
    conflict = row(page, "lubrication").locator(".attr-conflict")
    expect(conflict).to_contain_text("1 not an allowed value: left out")
    row(page, "lubrication").get_by_role("button", name="Details lubrication").click()
    expect(page.get_by_label("Allowed values")).to_have_value("Oilless | oil-free")
    assert violations(page) == []
    conflict.get_by_role("link", name="Flooded").click()
    page.wait_for_url(re.compile("/documents/.*chunk="))


def test_what_is_refused_says_why_and_what_was_typed_stays(open_page: Opener, shelf: Json) -> None:
    page = settle(open_page(path(shelf)))
    field = row(page, "max_pressure").get_by_label("Unit of max_pressure")
    field.fill("blorps")
    # The click leaves the field, and is not lost over it.
    page.locator("#attr-save").click()
    expect(page.get_by_role("alert")).to_contain_text("blorps")
    expect(field).to_have_value("blorps")
    assert violations(page) == []


def test_a_version_that_came_meanwhile_is_not_overwritten(open_page: Opener, api: httpx.Client, shelf: Json) -> None:
    page = settle(open_page(path(shelf)))
    schema = f"/v1/knowledge-bases/{shelf['id']}/schema"
    api.put(schema, json={"version": 0, "attributes": [{"name": "noise", "type": "number", "unit": "dB"}]})
    page.locator("#attr-save").click()
    expect(page.get_by_role("alert")).to_contain_text("version 1 by now")
    assert read(api, schema)["version"] == 1
    page.get_by_role("link", name="Load it again").click()
    expect(row(page, "noise")).to_have_class(re.compile("kept"))


def test_a_former_version_is_brought_back(open_page: Opener, api: httpx.Client, shelf: Json) -> None:
    schema = f"/v1/knowledge-bases/{shelf['id']}/schema"
    for version, name in enumerate(("max_pressure", "noise")):
        declared = [{"name": name, "type": "number", "unit": "bar" if version == 0 else "dB"}]
        api.put(schema, json={"version": version, "attributes": declared}).raise_for_status()
    page = settle(open_page(path(shelf)))
    expect(page.locator("#backfill")).to_contain_text("Version 2 is read")
    page.get_by_role("button", name="Bring back version 1").click()
    save(page, "noise was wrong")
    expect(page.locator("#backfill")).to_contain_text("Version 3 is read")
    assert [one["name"] for one in read(api, schema)["attributes"]] == ["max_pressure"]


@pytest.fixture
def reading(open_page: Opener, shelf: Json) -> Iterator[tuple[Page, Callable[[], None]]]:
    """The page while documents are read under a first version, and what lets that come to its end."""
    page = settle(open_page(path(shelf)))
    held: list[Route] = []
    released = False

    def hold(route: Route) -> None:
        if released:
            route.continue_()
        else:
            held.append(route)

    def release() -> None:
        nonlocal released
        released = True
        held[0].continue_()

    page.route("**/backfill/continue", hold)
    save(page, "all that was read")
    expect(page.locator("#backfill")).to_contain_text("Reading documents for")
    history = page.get_by_role("region", name="History")
    history.get_by_text("What changed").click()
    expect(history).to_contain_text("added max_pressure")
    yield page, release
    page.unroute("**/backfill/continue", hold)


def test_an_opened_version_stays_open_when_documents_are_read(reading: tuple[Page, Callable[[], None]]) -> None:
    page, release = reading
    history = page.get_by_role("region", name="History")
    drawn = history.element_handle()
    release()
    expect(page.locator("#backfill")).to_contain_text("Version 1 is read")
    page.wait_for_function("old => !old.isConnected", arg=drawn)
    expect(history).to_contain_text("added max_pressure")


def test_what_is_typed_and_changed_stays_when_documents_are_read(reading: tuple[Page, Callable[[], None]]) -> None:
    page, release = reading
    counts = row(page, "max_pressure").get_by_label("max_pressure counts")
    counts.uncheck()
    name = row(page, "lubrication").locator(".attr-name")
    name.fill("greas")
    with page.expect_response("**/schema/proposal"):
        release()
    expect(page.locator("#backfill")).to_contain_text("Version 1 is read")
    settle(page)
    expect(name).to_have_value("greas")
    expect(counts).not_to_be_checked()


def test_a_dialog_chooses_among_the_rows_that_it_shows(reading: tuple[Page, Callable[[], None]]) -> None:
    page, release = reading
    row(page, "hp").get_by_role("button", name="Merge hp").click()
    drawn = row(page, "hp").element_handle()
    with page.expect_response("**/schema/proposal"):
        release()
    expect(page.locator("#backfill")).to_contain_text("Version 1 is read")
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    # Once nobody is at work, what was read is shown.
    page.wait_for_function("old => !old.isConnected", arg=drawn)


def test_an_example_leads_to_its_place_in_the_document(open_page: Opener, shelf: Json) -> None:
    page = settle(open_page(path(shelf)))
    row(page, "max_pressure").get_by_role("link", name="125").click()
    page.wait_for_url(re.compile("/documents/.*chunk="))
    settle(page)
    expect(page.locator("main")).to_contain_text("K-7")


@pytest.mark.parametrize("width", [390, 1440])
def test_the_page_stands_on_a_telephone_with_details_open(open_page: Opener, shelf: Json, width: int) -> None:
    page = settle(open_page(path(shelf), width=width, height=800, color_scheme="dark"))
    row(page, "lubrication").get_by_role("button", name="Details lubrication").click()
    page.locator("details.attr-candidates summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []
