"""`Client` and `AsyncClient`: the same methods over the same operations."""

import os
from asyncio import sleep as sleep_awaited
from asyncio import to_thread
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import closing
from functools import wraps
from time import sleep
from types import TracebackType
from typing import Any, Concatenate, Final, ParamSpec, Self, TypeVar

import httpx
from pydantic_core import to_jsonable_python

from autri import administration, conversations, curation, lab, models, operations, uploads
from autri.errors import Unreachable
from autri.events import TYPE, Event, EventReader
from autri.uploads import Flow, Pause, Sending, Step, Work
from autri.wire import Listing, Operation, checked, waits, worth_sending_again, worth_waiting

P = ParamSpec("P")
T = TypeVar("T")

# What a file that has arrived before is answered with.
TAKEN: Final = frozenset({409})
LOCAL: Final = "http://127.0.0.1:8000"
# Seconds. An answer may wait for a database that wakes up, or for many pages.
TIMEOUT: Final = httpx.Timeout(30.0, read=120.0)


def _settings(url: str | None, token: str | None, organization: str | None) -> dict[str, Any]:
    """Of httpx's clients, whose log tells addresses: without the name and password that one has."""
    base = httpx.URL((url or os.environ.get("AUTRI_URL") or LOCAL).rstrip("/"))
    login = (base.username, base.password) if base.userinfo else None
    known = token or os.environ.get("AUTRI_TOKEN")
    headers = {"Authorization": f"Bearer {known}"} if known else {}
    headers |= {"X-Autri-Organization": organization} if organization else {}
    return {"base_url": base.copy_with(userinfo=b""), "headers": headers, "auth": login}


def _unreachable(request: httpx.Request, error: httpx.TransportError) -> Unreachable:
    said = str(error) or type(error).__name__
    return Unreachable(f"No answer from {request.url.host} ({said}). Check the address and that it runs.")


def _build(client: httpx.Client | httpx.AsyncClient, operation: Operation[Any], accept: str = "*/*") -> httpx.Request:
    return client.build_request(
        operation.method, f"/v1{operation.path}", params=to_jsonable_python(operation.params),
        json=to_jsonable_python(operation.body),
        headers=operation.all_headers() | {"Accept": accept},
    )  # fmt: skip


def _any(method: str, path: str, params: dict[str, Any] | None, body: Any) -> Operation[Any]:
    return Operation(method, path, lambda answer: answer.json() if answer.content else None, params or {}, body)


def _one(make: Callable[P, Operation[T]]) -> "Callable[Concatenate[Client, P], T]":
    @wraps(make)
    def method(self: "Client", *args: P.args, **kwargs: P.kwargs) -> T:
        return self._send(make(*args, **kwargs))

    return method


def _many(make: Callable[P, Listing[T]]) -> "Callable[Concatenate[Client, P], Iterator[T]]":
    @wraps(make)
    def method(self: "Client", *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        return self._items(make(*args, **kwargs))

    return method


def _steps(make: Callable[P, Flow[T]]) -> "Callable[Concatenate[Client, P], T]":
    @wraps(make)
    def method(self: "Client", *args: P.args, **kwargs: P.kwargs) -> T:
        return self._go(make(*args, **kwargs))

    return method


def _told(make: Callable[P, Operation[models.Answer]]) -> "Callable[Concatenate[Client, P], Iterator[Event]]":
    def method(self: "Client", *args: P.args, **kwargs: P.kwargs) -> Iterator[Event]:
        """As `ask`, with each step while the answer is made; the last event, `final`, has the whole `answer`. What is
        refused meanwhile is raised, and Unreachable where the answer breaks off."""
        return self._events(make(*args, **kwargs))

    return method


class Client:
    """Autri at an address, by default that of AUTRI_URL or this machine's, with the token of AUTRI_TOKEN.

    `token` is an API key or what `autri token create` prints. `organization` is the slug of the one that is meant, for
    people who are in several. Requests are tried again where that helps, and change things once all the same. Close
    it, or use it in a `with`.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        organization: str | None = None,
        timeout: httpx.Timeout | float = TIMEOUT,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._http = httpx.Client(**_settings(url, token, organization), timeout=timeout, transport=transport)
        self._storage = httpx.Client(timeout=timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()
        self._storage.close()

    def request(self, method: str, path: str, *, params: dict[str, Any] | None = None, body: Any = None) -> Any:
        """The JSON of any operation of `/v1`, with its path behind that; None where there is none."""
        return self._send(_any(method, path, params, body))

    me = _one(operations.me)
    knowledge_bases = _many(operations.knowledge_bases)
    create_knowledge_base = _one(operations.create_knowledge_base)
    delete_knowledge_base = _one(operations.delete_knowledge_base)
    documents = _many(operations.documents)
    document = _one(operations.document)
    versions = _many(operations.versions)
    diff = _one(operations.diff)
    sections = _many(operations.sections)
    chunks = _many(operations.chunks)
    page_image = _one(operations.page_image)
    source = _one(operations.source)
    verify = _one(operations.verify)
    update_document = _one(operations.update_document)
    link_version = _one(operations.link_version)
    reingest = _one(operations.reingest)
    fetch_page = _one(operations.fetch_page)
    delete_document = _one(operations.delete_document)
    search = _one(operations.search)
    lookup = _one(operations.lookup)
    ask = _one(operations.ask)
    ask_events = _told(operations.ask)
    trace = _one(operations.trace)
    ingestions = _many(operations.ingestions)
    ingestion = _one(operations.ingestion)
    notes = _many(operations.notes)
    add_note = _one(operations.add_note)
    put_record_kind = _one(operations.put_record_kind)
    add_records = _one(operations.add_records)
    upload = _steps(uploads.upload)
    wait = _steps(uploads.wait)
    threads = _many(conversations.threads)
    create_thread = _one(conversations.create_thread)
    thread = _one(conversations.thread)
    rename_thread = _one(conversations.rename_thread)
    delete_thread = _one(conversations.delete_thread)
    export_thread = _one(conversations.export_thread)
    ask_in_thread = _one(conversations.ask_in_thread)
    answer_again = _one(conversations.answer_again)
    rate_answer = _one(conversations.rate_answer)
    share_thread = _one(conversations.share_thread)
    revoke_share = _one(conversations.revoke_share)
    context = _one(lab.context)
    tables = _many(lab.tables)
    export_tables = _one(lab.export_tables)
    datasets = _many(lab.datasets)
    create_dataset = _one(lab.create_dataset)
    dataset = _one(lab.dataset)
    dataset_rows = _one(lab.dataset_rows)
    export_dataset = _one(lab.export_dataset)
    delete_dataset = _one(lab.delete_dataset)
    summarize = _one(lab.summarize)
    summary = _one(lab.summary)
    compare_summaries = _one(lab.compare_summaries)
    bundle = _one(lab.bundle)
    digest = _one(lab.digest)
    update_digest = _one(lab.update_digest)
    digest_files = _many(lab.digest_files)
    digest_file = _one(lab.digest_file)
    report_event = _one(lab.report_event)
    plots = _many(lab.plots)
    create_plot = _one(lab.create_plot)
    draw_plot = _one(lab.draw_plot)
    delete_plot = _one(lab.delete_plot)
    notebooks = _many(lab.notebooks)
    create_notebook = _one(lab.create_notebook)
    notebook = _one(lab.notebook)
    add_cell = _one(lab.add_cell)
    delete_notebook = _one(lab.delete_notebook)
    gold = _many(curation.gold)
    add_gold = _one(curation.add_gold)
    remove_gold = _one(curation.remove_gold)
    evaluate = _steps(curation.evaluate)
    evaluations = _many(curation.evaluations)
    evaluation_results = _many(curation.evaluation_results)
    attributes = _many(curation.attributes)
    attribute_schema = _one(curation.attribute_schema)
    propose_attributes = _one(curation.propose_attributes)
    declare_attributes = _one(curation.declare_attributes)
    webhooks = _many(curation.webhooks)
    create_webhook = _one(curation.create_webhook)
    webhook = _one(curation.webhook)
    rotate_webhook = _one(curation.rotate_webhook)
    enable_webhook = _one(curation.enable_webhook)
    try_webhook = _one(curation.try_webhook)
    deliver_again = _one(curation.deliver_again)
    delete_webhook = _one(curation.delete_webhook)
    webhook_deliveries = _many(curation.webhook_deliveries)
    backfill = _one(curation.backfill)
    finish_backfill = _steps(curation.finish_backfill)
    cancel_backfill = _one(curation.cancel_backfill)
    resume_backfill = _one(curation.resume_backfill)
    account = _one(administration.account)
    members = _many(administration.members)
    change_role = _one(administration.change_role)
    remove_member = _one(administration.remove_member)
    invitations = _many(administration.invitations)
    invite = _one(administration.invite)
    resend_invitation = _one(administration.resend_invitation)
    api_keys = _many(administration.api_keys)
    create_api_key = _one(administration.create_api_key)
    revoke_api_key = _one(administration.revoke_api_key)
    audit = _many(administration.audit)
    usage = _one(administration.usage)
    costs = _one(administration.costs)
    bind_invitation = _one(administration.bind_invitation)
    change_organization = _one(administration.change_organization)
    erase_organization = _one(administration.erase_organization)
    erasures = _many(administration.erasures)
    erasure = _one(administration.erasure)
    domains = _many(administration.domains)
    claim_domain = _one(administration.claim_domain)
    verify_domain = _one(administration.verify_domain)
    remove_domain = _one(administration.remove_domain)
    group_roles = _many(administration.group_roles)
    add_group_role = _one(administration.add_group_role)
    remove_group_role = _one(administration.remove_group_role)
    access = _one(administration.access)
    set_access = _one(administration.set_access)
    connections = _many(administration.connections)
    end_connection = _one(administration.end_connection)
    model = _one(administration.model)
    check_models = _one(administration.check_models)
    export_archive = _steps(administration.export_archive)

    def _send(self, operation: Operation[T]) -> T:
        request = _build(self._http, operation)
        return operation.read(self._tried(self._http, lambda: request, repeatable=operation.repeatable))

    def _events(self, operation: Operation[models.Answer]) -> Iterator[Event]:
        request = _build(self._http, operation, accept=TYPE)
        with closing(self._tried(self._http, lambda: request, repeatable=False, stream=True)) as answer:
            reader = EventReader(answer)
            try:
                for line in answer.iter_lines():
                    if (event := reader.read(line)) is not None:
                        yield event
            except httpx.TransportError as error:
                raise _unreachable(request, error) from error
            reader.end()

    def _items(self, listing: Listing[T]) -> Iterator[T]:
        cursor: str | None = None
        while True:
            items, cursor = self._send(listing.page(cursor))
            yield from items
            if cursor is None:
                return

    def _go(self, flow: Flow[T]) -> T:
        given: Any = None
        while True:
            try:
                step = flow.send(given)
            except StopIteration as end:
                return end.value
            given = self._step(step)

    def _step(self, step: Step) -> Any:
        match step:
            case Operation():
                return self._send(step)
            case Sending():
                client = self._http if step.to_autri else self._storage
                with step.open() as file:
                    return self._tried(client, lambda: step.request(client, file), taken=TAKEN)
            case Pause():
                return sleep(step.seconds)
            case Work():
                return step.act()

    def _tried(
        self,
        client: httpx.Client,
        make: Callable[[], httpx.Request],
        *,
        repeatable: bool = True,
        taken: frozenset[int] = frozenset(),
        stream: bool = False,
    ) -> httpx.Response:
        """The answer of the last try. After a try whose answer was lost, one of `taken` says that it has arrived."""
        planned, lost = waits(), False
        while True:
            request, wait = make(), next(planned, None)
            try:
                answer = client.send(request, stream=stream)
                if not answer.is_success:
                    answer.read()
            except httpx.TransportError as error:
                if wait is None or not worth_sending_again(error, repeatable):
                    raise _unreachable(request, error) from error
                lost = True
            else:
                if lost and answer.status_code in taken:
                    return answer
                wait = None if wait is None else worth_waiting(answer, wait, repeatable)
                if wait is None:
                    return checked(answer)
            sleep(wait)


def _one_awaited(make: Callable[P, Operation[T]]) -> "Callable[Concatenate[AsyncClient, P], Awaitable[T]]":
    @wraps(make)
    def method(self: "AsyncClient", *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]:
        return self._send(make(*args, **kwargs))

    return method


def _many_awaited(make: Callable[P, Listing[T]]) -> "Callable[Concatenate[AsyncClient, P], AsyncIterator[T]]":
    @wraps(make)
    def method(self: "AsyncClient", *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        return self._items(make(*args, **kwargs))

    return method


def _steps_awaited(make: Callable[P, Flow[T]]) -> "Callable[Concatenate[AsyncClient, P], Awaitable[T]]":
    @wraps(make)
    def method(self: "AsyncClient", *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]:
        return self._go(make(*args, **kwargs))

    return method


def _told_awaited(
    make: Callable[P, Operation[models.Answer]],
) -> "Callable[Concatenate[AsyncClient, P], AsyncIterator[Event]]":
    def method(self: "AsyncClient", *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[Event]:
        """As `Client.ask_events`, by `async for`."""
        return self._events(make(*args, **kwargs))

    return method


class AsyncClient:
    """As `Client`, for asyncio: results are awaited, lists are gone through by `async for`."""

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        organization: str | None = None,
        timeout: httpx.Timeout | float = TIMEOUT,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._http = httpx.AsyncClient(**_settings(url, token, organization), timeout=timeout, transport=transport)
        self._storage = httpx.AsyncClient(timeout=timeout)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()
        await self._storage.aclose()

    async def request(self, method: str, path: str, *, params: dict[str, Any] | None = None, body: Any = None) -> Any:
        """The JSON of any operation of `/v1`, with its path behind that; None where there is none."""
        return await self._send(_any(method, path, params, body))

    me = _one_awaited(operations.me)
    knowledge_bases = _many_awaited(operations.knowledge_bases)
    create_knowledge_base = _one_awaited(operations.create_knowledge_base)
    delete_knowledge_base = _one_awaited(operations.delete_knowledge_base)
    documents = _many_awaited(operations.documents)
    document = _one_awaited(operations.document)
    versions = _many_awaited(operations.versions)
    diff = _one_awaited(operations.diff)
    sections = _many_awaited(operations.sections)
    chunks = _many_awaited(operations.chunks)
    page_image = _one_awaited(operations.page_image)
    source = _one_awaited(operations.source)
    verify = _one_awaited(operations.verify)
    update_document = _one_awaited(operations.update_document)
    link_version = _one_awaited(operations.link_version)
    reingest = _one_awaited(operations.reingest)
    fetch_page = _one_awaited(operations.fetch_page)
    delete_document = _one_awaited(operations.delete_document)
    search = _one_awaited(operations.search)
    lookup = _one_awaited(operations.lookup)
    ask = _one_awaited(operations.ask)
    ask_events = _told_awaited(operations.ask)
    trace = _one_awaited(operations.trace)
    ingestions = _many_awaited(operations.ingestions)
    ingestion = _one_awaited(operations.ingestion)
    notes = _many_awaited(operations.notes)
    add_note = _one_awaited(operations.add_note)
    put_record_kind = _one_awaited(operations.put_record_kind)
    add_records = _one_awaited(operations.add_records)
    upload = _steps_awaited(uploads.upload)
    wait = _steps_awaited(uploads.wait)
    threads = _many_awaited(conversations.threads)
    create_thread = _one_awaited(conversations.create_thread)
    thread = _one_awaited(conversations.thread)
    rename_thread = _one_awaited(conversations.rename_thread)
    delete_thread = _one_awaited(conversations.delete_thread)
    export_thread = _one_awaited(conversations.export_thread)
    ask_in_thread = _one_awaited(conversations.ask_in_thread)
    answer_again = _one_awaited(conversations.answer_again)
    rate_answer = _one_awaited(conversations.rate_answer)
    share_thread = _one_awaited(conversations.share_thread)
    revoke_share = _one_awaited(conversations.revoke_share)
    context = _one_awaited(lab.context)
    tables = _many_awaited(lab.tables)
    export_tables = _one_awaited(lab.export_tables)
    datasets = _many_awaited(lab.datasets)
    create_dataset = _one_awaited(lab.create_dataset)
    dataset = _one_awaited(lab.dataset)
    dataset_rows = _one_awaited(lab.dataset_rows)
    export_dataset = _one_awaited(lab.export_dataset)
    delete_dataset = _one_awaited(lab.delete_dataset)
    summarize = _one_awaited(lab.summarize)
    summary = _one_awaited(lab.summary)
    compare_summaries = _one_awaited(lab.compare_summaries)
    bundle = _one_awaited(lab.bundle)
    digest = _one_awaited(lab.digest)
    update_digest = _one_awaited(lab.update_digest)
    digest_files = _many_awaited(lab.digest_files)
    digest_file = _one_awaited(lab.digest_file)
    report_event = _one_awaited(lab.report_event)
    plots = _many_awaited(lab.plots)
    create_plot = _one_awaited(lab.create_plot)
    draw_plot = _one_awaited(lab.draw_plot)
    delete_plot = _one_awaited(lab.delete_plot)
    notebooks = _many_awaited(lab.notebooks)
    create_notebook = _one_awaited(lab.create_notebook)
    notebook = _one_awaited(lab.notebook)
    add_cell = _one_awaited(lab.add_cell)
    delete_notebook = _one_awaited(lab.delete_notebook)
    gold = _many_awaited(curation.gold)
    add_gold = _one_awaited(curation.add_gold)
    remove_gold = _one_awaited(curation.remove_gold)
    evaluate = _steps_awaited(curation.evaluate)
    evaluations = _many_awaited(curation.evaluations)
    evaluation_results = _many_awaited(curation.evaluation_results)
    attributes = _many_awaited(curation.attributes)
    attribute_schema = _one_awaited(curation.attribute_schema)
    propose_attributes = _one_awaited(curation.propose_attributes)
    declare_attributes = _one_awaited(curation.declare_attributes)
    webhooks = _many_awaited(curation.webhooks)
    create_webhook = _one_awaited(curation.create_webhook)
    webhook = _one_awaited(curation.webhook)
    rotate_webhook = _one_awaited(curation.rotate_webhook)
    enable_webhook = _one_awaited(curation.enable_webhook)
    try_webhook = _one_awaited(curation.try_webhook)
    deliver_again = _one_awaited(curation.deliver_again)
    delete_webhook = _one_awaited(curation.delete_webhook)
    webhook_deliveries = _many_awaited(curation.webhook_deliveries)
    backfill = _one_awaited(curation.backfill)
    finish_backfill = _steps_awaited(curation.finish_backfill)
    cancel_backfill = _one_awaited(curation.cancel_backfill)
    resume_backfill = _one_awaited(curation.resume_backfill)
    account = _one_awaited(administration.account)
    members = _many_awaited(administration.members)
    change_role = _one_awaited(administration.change_role)
    remove_member = _one_awaited(administration.remove_member)
    invitations = _many_awaited(administration.invitations)
    invite = _one_awaited(administration.invite)
    resend_invitation = _one_awaited(administration.resend_invitation)
    api_keys = _many_awaited(administration.api_keys)
    create_api_key = _one_awaited(administration.create_api_key)
    revoke_api_key = _one_awaited(administration.revoke_api_key)
    audit = _many_awaited(administration.audit)
    usage = _one_awaited(administration.usage)
    costs = _one_awaited(administration.costs)
    bind_invitation = _one_awaited(administration.bind_invitation)
    change_organization = _one_awaited(administration.change_organization)
    erase_organization = _one_awaited(administration.erase_organization)
    erasures = _many_awaited(administration.erasures)
    erasure = _one_awaited(administration.erasure)
    domains = _many_awaited(administration.domains)
    claim_domain = _one_awaited(administration.claim_domain)
    verify_domain = _one_awaited(administration.verify_domain)
    remove_domain = _one_awaited(administration.remove_domain)
    group_roles = _many_awaited(administration.group_roles)
    add_group_role = _one_awaited(administration.add_group_role)
    remove_group_role = _one_awaited(administration.remove_group_role)
    access = _one_awaited(administration.access)
    set_access = _one_awaited(administration.set_access)
    connections = _many_awaited(administration.connections)
    end_connection = _one_awaited(administration.end_connection)
    model = _one_awaited(administration.model)
    check_models = _one_awaited(administration.check_models)
    export_archive = _steps_awaited(administration.export_archive)

    async def _send(self, operation: Operation[T]) -> T:
        request = _build(self._http, operation)
        return operation.read(await self._tried(self._http, lambda: request, repeatable=operation.repeatable))

    async def _events(self, operation: Operation[models.Answer]) -> AsyncIterator[Event]:
        request = _build(self._http, operation, accept=TYPE)
        answer = await self._tried(self._http, lambda: request, repeatable=False, stream=True)
        try:
            reader = EventReader(answer)
            async for line in answer.aiter_lines():
                if (event := reader.read(line)) is not None:
                    yield event
            reader.end()
        except httpx.TransportError as error:
            raise _unreachable(request, error) from error
        finally:
            await answer.aclose()

    async def _items(self, listing: Listing[T]) -> AsyncIterator[T]:
        cursor: str | None = None
        while True:
            items, cursor = await self._send(listing.page(cursor))
            for item in items:
                yield item
            if cursor is None:
                return

    async def _go(self, flow: Flow[T]) -> T:
        given: Any = None
        while True:
            try:
                step = flow.send(given)
            except StopIteration as end:
                return end.value
            given = await self._step(step)

    async def _step(self, step: Step) -> Any:
        match step:
            case Operation():
                return await self._send(step)
            case Sending():
                client = self._http if step.to_autri else self._storage
                with step.open() as file:
                    return await self._tried(client, lambda: step.request(client, file), taken=TAKEN)
            case Pause():
                return await sleep_awaited(step.seconds)
            case Work():
                return await to_thread(step.act)

    async def _tried(
        self,
        client: httpx.AsyncClient,
        make: Callable[[], httpx.Request],
        *,
        repeatable: bool = True,
        taken: frozenset[int] = frozenset(),
        stream: bool = False,
    ) -> httpx.Response:
        """The answer of the last try. After a try whose answer was lost, one of `taken` says that it has arrived."""
        planned, lost = waits(), False
        while True:
            request, wait = make(), next(planned, None)
            try:
                answer = await client.send(request, stream=stream)
                if not answer.is_success:
                    await answer.aread()
            except httpx.TransportError as error:
                if wait is None or not worth_sending_again(error, repeatable):
                    raise _unreachable(request, error) from error
                lost = True
            else:
                if lost and answer.status_code in taken:
                    return answer
                wait = None if wait is None else worth_waiting(answer, wait, repeatable)
                if wait is None:
                    return checked(answer)
            await sleep_awaited(wait)
