"""The application's start derives no route and builds hardly a shape: what is asked for is built then, once."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Annotated, Any

import httpx
import pytest
from fastapi import Body, Depends, FastAPI, Query, Response
from fastapi.exceptions import ResponseValidationError
from pydantic import BaseModel, ConfigDict, Field, field_serializer
from starlette.routing import Match

from functions.api import late_route
from functions.api.routing import v1_router
from shared.contract import Env
from tests.api import one_loop
from tests.homes import new_home
from tests.processes import free_port

ROOT = Path(__file__).parents[2]
BUILT_AT_START = """
import functions.api.app as api
from functions.api.late_route import LateRoute
from pydantic import BaseModel

app = api.create_app(None, None, local=False)
routes = [route for route in app.router.routes if isinstance(route, LateRoute)]
print(len(routes), sum("dependant" in vars(route) for route in routes))
shapes, left = set(), [BaseModel]
while left:
    found = set(left.pop().__subclasses__()) - shapes
    shapes |= found
    left += found
ours = [one for one in shapes if one.__module__.startswith(("functions.", "shared."))]
print(len(ours), sum(one.__pydantic_complete__ for one in ours))
"""


class Wish(BaseModel):
    number: int


def derived(route: Any) -> bool:
    return "dependant" in vars(route)


def declared(function: Any) -> Any:
    router = v1_router("system", "/wishes")
    router.post("/{name}")(function)
    (route,) = router.routes
    return route


def test_the_start_derives_no_route_and_builds_few_shapes() -> None:
    done = subprocess.run([sys.executable, "-c", BUILT_AT_START], capture_output=True, text=True, check=True, cwd=ROOT)
    routes, derived_routes, shapes, built = map(int, done.stdout.split())
    assert (routes > 200, derived_routes) == (True, 0)
    assert shapes > 500
    assert built < 15


def test_what_few_requests_need_is_not_loaded() -> None:
    late = {"lark", "jsonschema", "markdown_it", "PIL", "readability", "chardet", "multiprocessing"}
    late |= {"shared.answering.service", "shared.extraction.assemble", "shared.ingestion.posting.walk"}
    late |= {"shared.lab.summaries.extracting", "shared.verify.document"}
    program = f"import sys, functions.api.app; print(sorted({late} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_the_function_looks_for_garbage_once_it_has_started(owner_dsn: str, tmp_path: Path) -> None:
    program = "import gc, functions.api.handler; print(gc.isenabled(), gc.get_freeze_count() > 50_000)"
    named = {Env.DATABASE_URL: owner_dsn, Env.PUBLIC_ORIGIN: "https://autri.example", Env.HOME: str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT, env=os.environ | named
    )
    assert done.stdout.split() == ["True", "True"]


def test_a_server_looks_for_no_garbage_among_what_it_started_with_and_lets_no_thread_wait_long(tmp_path: Path) -> None:
    new_home(tmp_path / "home")
    (tmp_path / "home" / "samples-built").touch()
    program = f"""
import gc, pathlib, sys, uvicorn
from functions.local import serve

uvicorn.Server.run = lambda _: print(gc.isenabled(), gc.get_freeze_count() > 50_000, sys.getswitchinterval() < 0.001)
serve(pathlib.Path({str(tmp_path / "home")!r}), port={free_port()})"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.splitlines()[-1] == "True True True"


def test_a_route_is_found_before_it_is_derived() -> None:
    def wish(name: str, wanted: Wish) -> str:
        return f"{name} {wanted.number}"

    route = declared(wish)
    asked = {"type": "http", "path": "/v1/wishes/mine", "root_path": "", "headers": []}
    assert route.matches(asked | {"method": "POST"})[0] is Match.FULL
    assert route.matches(asked | {"method": "GET"})[0] is Match.PARTIAL
    assert not derived(route)
    assert route.response_model is str
    assert derived(route)
    assert not hasattr(route, "no_such_thing")


def test_threads_that_ask_at_once_derive_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    times, at_once = list[str](), threading.Barrier(4)
    derive = late_route.APIRoute.__init__

    def counted(self: Any, *arguments: Any, **options: Any) -> None:
        times.append(threading.current_thread().name)
        time.sleep(0.1)  # the others arrive meanwhile
        derive(self, *arguments, **options)

    def wish(name: str, wanted: Annotated[Wish, Body()]) -> str:
        return f"{name} {wanted.number}"

    monkeypatch.setattr(late_route.APIRoute, "__init__", counted)
    route, fields = declared(wish), list[Any]()

    def ask() -> None:
        at_once.wait()
        fields.append(route.body_field)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(times) == 1
    assert fields == [route.body_field] * 4


@pytest.mark.parametrize(("sent", "status"), [({"number": 3}, 200), ({"number": "x"}, 422), ({}, 422)])
def test_a_body_is_checked_by_the_first_request_as_by_any_other(sent: dict[str, Any], status: int) -> None:
    def wish(name: str, wanted: Wish) -> str:
        return f"{name} {wanted.number}"

    app = FastAPI()
    app.router.routes.append(declared(wish))

    async def ask() -> list[int]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://localhost") as client:
            return [(await client.post("/v1/wishes/mine", json=sent)).status_code for _ in range(2)]

    assert one_loop.run(ask()) == [status, status]


def test_parameters_of_a_shape_are_read_without_a_warning() -> None:
    def wish(name: str, wanted: Annotated[Wish, Query()]) -> str:
        return f"{name} {wanted.number}"

    app = FastAPI()
    app.router.routes.append(declared(wish))

    async def ask() -> int:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://localhost") as client:
            return (await client.post("/v1/wishes/mine?number=3")).status_code

    assert one_loop.run(ask()) == 200


def test_a_route_of_two_bodies_reads_them_without_a_warning() -> None:
    def wish(name: str, first: Wish, second: Wish) -> str:
        return f"{name} {first.number} {second.number}"

    route = declared(wish)
    for field in route.dependant.body_params:
        assert field.validate({"number": 3})[0] == Wish(number=3)


class Written(BaseModel):
    number: int

    @field_serializer("number")
    def tell(self, number: int) -> str:
        return f"{number} by {threading.current_thread().name}"


def answered(function: Any, **declaration: Any) -> httpx.Response:
    app, router = FastAPI(), v1_router("system")
    router.get("/written", **declaration)(function)
    app.router.routes.extend(router.routes)

    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://localhost") as client:
            return await client.get("/v1/written")

    return one_loop.run(ask())


def test_an_answer_is_written_by_the_thread_that_made_it() -> None:
    names = list[str]()

    def make() -> Written:
        names.append(threading.current_thread().name)
        return Written(number=3)

    answer = answered(make)
    assert answer.json() == {"number": f"3 by {names[0]}"}
    assert answer.headers["content-type"] == "application/json"


class Sparse(BaseModel):
    model_config = ConfigDict(validate_by_name=True)

    number: int = Field(1, alias="count")
    unknown: int | None = None
    secret: str = "kept"


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("include", {"number"}, {"count": 3}),
        ("exclude", {"secret"}, {"count": 3, "unknown": None}),
        ("by_alias", False, {"number": 3, "unknown": None, "secret": "kept"}),
        ("exclude_unset", True, {"count": 3}),
        ("exclude_defaults", True, {"count": 3}),
        ("exclude_none", True, {"count": 3, "secret": "kept"}),
    ],
)
def test_an_answer_is_written_as_its_route_declares(option: str, value: object, said: dict[str, Any]) -> None:
    def make() -> Sparse:
        return Sparse(number=3)

    assert answered(make, **{f"response_model_{option}": value}).json() == said


def test_an_answer_of_another_shape_than_was_declared_is_refused() -> None:
    def make() -> Written:
        return {"number": "none"}  # pyrefly: ignore[bad-return] which is tested

    with pytest.raises(ResponseValidationError):
        answered(make)


def test_headers_and_a_status_that_a_route_sets_are_sent() -> None:
    def add(response: Response) -> None:
        response.headers["X-Added"] = "below"

    def make(response: Response) -> Written:
        response.headers["X-Added"] = "here"
        return Written(number=3)

    def make_below() -> Written:
        return Written(number=3)

    assert answered(make).headers["X-Added"] == "here"
    assert answered(make_below, dependencies=[Depends(add)]).headers["X-Added"] == "below"
    assert answered(make_below, status_code=202).status_code == 202
