// The only place that talks to /v1. Failures become `ApiError`s that say what happened and carry the request id.

import { organization } from "./account.js";
import { sendUntilRead } from "./still_reading.js";
import { sendAwake } from "./waking.js";

export class ApiError extends Error {
  constructor({ status, title, detail, request_id: requestId }) {
    super(detail || title);
    this.status = status;
    this.title = title;
    this.detail = detail;
    this.requestId = requestId;
  }
}

async function problemOf(response) {
  const fallback = { status: response.status, title: `The server answered ${response.status}`, detail: "" };
  const requestId = response.headers.get("x-request-id");
  const body = (response.headers.get("content-type") ?? "").includes("json") ? await response.json() : {};
  return new ApiError({ ...fallback, request_id: requestId, ...body });
}

async function reached(answering) {
  try {
    return await answering;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError({
      status: 0,
      title: "The server cannot be reached",
      detail: "Check that it is running, then try again.",
      request_id: null,
    });
  }
}

const send = (path, options) => reached(fetch(path, options));

/** What changes carry where a session's cookie signs people in; nothing on one machine. */
export function csrfHeaders() {
  const token = document.querySelector('meta[name="csrf-token"]')?.content;
  return token ? { "x-csrf-token": token } : {};
}

/** To the hosted login and back to this page: its session has ended. */
function signInAgain() {
  location.assign(`/auth/login?next=${encodeURIComponent(location.pathname + location.search)}`);
}

/** The answer of one call; throws ApiError. It acts for the organization that the page was made for, whatever the browser
 * has chosen since, or for another `organization`. */
async function answer(path, { method = "GET", body, signal, headers: more = {}, organization: other = organization } = {}) {
  const headers = { accept: "application/json", ...more };
  if (other) headers["x-autri-organization"] = other;
  if (body !== undefined) headers["content-type"] = "application/json";
  if (method !== "GET") Object.assign(headers, csrfHeaders(), { "idempotency-key": crypto.randomUUID() });
  const sent = { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) };
  const response = await sendUntilRead(() => sendAwake(() => send(path, sent)));
  if (response.status === 401 && method === "GET" && csrfHeaders()["x-csrf-token"]) signInAgain();
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** The JSON answer of one call, null for an empty one. */
export async function call(path, options = {}) {
  const response = await answer(path, options);
  return response.status === 204 ? null : response.json();
}

// How often a connection that breaks off is taken up again, where the server keeps what it tells.
const RESUMES = 3;

/** The events of an answer as they come: id (where the server keeps them), name, data. */
async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reached(reader.read());
    if (done) return;
    text += value;
    const blocks = text.split("\n\n");
    text = blocks.pop();
    for (const block of blocks) {
      const name = /^event: (.*)$/m.exec(block)?.[1];
      if (name) yield { id: /^id: (.*)$/m.exec(block)?.[1], name, data: JSON.parse(/^data: (.*)$/m.exec(block)[1]) };
    }
  }
}

/** A POST that answers by events: `told(name, data)` for each as it comes; the data of the `last`, or its ApiError. A
 * connection that breaks off is taken up where it ended; an answer that `signal` ends is ended on the server, too. */
export async function postForEvents(path, body, signal, told, last = "final") {
  const accept = { accept: "text/event-stream" };
  let response = await answer(path, { method: "POST", body, signal, headers: accept });
  if (!(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) return response.json();
  let at = null;
  const end = () => at && call(`/v1/ask/${at}`, { method: "DELETE" }).catch(() => {});
  signal.addEventListener("abort", end);
  try {
    for (let resumes = 0; ; resumes += 1) {
      try {
        for await (const { id, name, data } of eventsOf(response)) {
          if (id?.includes("-")) at = id;
          if (name === "error") throw new ApiError({ ...data, request_id: response.headers.get("x-request-id") });
          if (name === last) return data;
          told(name, data);
        }
        throw new ApiError({ status: 0, title: "The answer broke off", detail: "Nothing was changed by asking. Ask again.", request_id: null });
      } catch (error) {
        if (error.status !== 0 || !at || resumes >= RESUMES) throw error;
      }
      response = await answer(`/v1/ask/${at}`, { signal, headers: accept });
    }
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** What `path` answers, as text. */
export const readText = async (path) => (await answer(path, { headers: { accept: "*/*" } })).text();

/** The answer of a POST as text. */
export const postForText = async (path, body) => (await answer(path, { method: "POST", body })).text();

/** The answer of a POST as a file: its content, and the name that the server gives it. */
export async function postForFile(path, body) {
  const response = await answer(path, { method: "POST", body, headers: { accept: "*/*" } });
  const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "download";
  return { blob: await response.blob(), name };
}

export const post = (path, body, signal) => call(path, { method: "POST", body, signal });

/** Every item of a list, following its cursors. */
export async function all(path) {
  const items = [];
  let cursor = "";
  do {
    const joint = path.includes("?") ? "&" : "?";
    const page = await call(cursor ? `${path}${joint}cursor=${encodeURIComponent(cursor)}` : path);
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor);
  return items;
}
