// The model that answers: which one it is and what it can do; on one machine its owner chooses another.

import { may, onOneMachine } from "../../lib/account.js";
import { call, post } from "../../lib/api.js";
import { announce, byId, h } from "../../lib/dom.js";
import { field, select } from "../../lib/form.js";
import { failure } from "../../lib/notice.js";

const SERVICES = [
  { value: "openai", label: "An endpoint that speaks OpenAI's protocol", url: "http://127.0.0.1:11434/v1", model: "qwen3" },
  { value: "anthropic", label: "Anthropic", url: "", model: "claude-haiku-4-5" },
  { value: "bedrock", label: "Amazon Bedrock", url: "", model: "global.anthropic.claude-haiku-4-5-20251001-v1:0" },
];
const DECIDED = { environment: "the environment", settings: "this page", deployment: "the deployment's file", none: "nobody" };
const KEYS = { environment: "from the environment", settings: "kept, sealed, on this machine", credentials: "the server's AWS credentials", none: "none" };
const place = byId("model");
const choice = byId("choice");

const fact = (name, ...said) => [h("dt", {}, name), h("dd", {}, ...said)];

function facts(state) {
  const named = state.model ? [h("code", {}, `${state.service}:${state.model}`), state.url && ` at ${state.url}`] : ["No model: quotations, word for word"];
  const price = state.usd_per_million
    ? `$${state.usd_per_million.split(",").join(" and $")} for a million tokens in and out`
    : state.price_known
      ? "known"
      : "not known: its calls count as free";
  return h(
    "section",
    { class: "model-facts", "aria-label": "In force" },
    h(
      "dl",
      { class: "facts-list" },
      fact("Answers", ...named.filter(Boolean)),
      state.source !== "none" && fact("Decided by", DECIDED[state.source], state.fixed.length > 0 && [": ", h("code", {}, state.fixed.join(", ")), h("span", { class: "tag" }, "fixed")]),
      state.model && [...fact("Key", KEYS[state.key]), ...fact("Price", price)],
      state.further.length > 0 && fact("Or, if asked again", ...state.further.flatMap((name, at) => [at > 0 && ", ", h("code", {}, name)]).filter(Boolean)),
      fact("Embedder", h("code", {}, state.embedder), state.embedder_fixed && h("span", { class: "tag" }, "fixed")),
      fact("Pages are grouped by", "layout rules", state.extraction_model && [", and with ", h("code", {}, "--engine bedrock"), " by ", h("code", {}, state.extraction_model)]),
    ),
    state.problem && h("p", { class: "row-error", role: "alert" }, state.problem),
  );
}

const WORDS = { yes: "yes", no: "no", unknown: "not known" };

function outcome(tried) {
  if (!tried.ok) {
    return h("section", { class: "notice-panel compact failed", role: "alert" }, h("h3", {}, `${tried.name} does not answer`), h("p", {}, tried.problem));
  }
  const able = [["Tools", tried.tools], ["JSON schema", tried.json_schema], ["Streaming", tried.streaming]];
  return h(
    "section",
    { class: "notice-panel compact", role: "status" },
    h("h3", {}, `${tried.name} answers in ${tried.took_ms} ms`),
    h("dl", { class: "facts-list" }, able.flatMap(([name, said]) => fact(name, WORDS[said]))),
    tried.tools === "no" && h("p", { class: "muted" }, "Without tools it cannot plan; it answers all the same."),
    tried.json_schema === "no" && h("p", { class: "muted" }, "Without schemas it is told in words what to write: more of its sentences are left out."),
  );
}

/** Runs `act` while the form's buttons are off; what the server refuses is said below. */
async function guarded(form, said, act) {
  const buttons = [...form.querySelectorAll("button")];
  for (const button of buttons) button.disabled = true;
  said.replaceChildren(h("p", { class: "muted", role: "status" }, "Asking it, at most 30 seconds …"));
  try {
    said.replaceChildren(...[await act()].filter(Boolean));
  } catch (error) {
    said.replaceChildren(h("p", { class: "form-error", role: "alert" }, error.detail || error.message));
  }
  for (const button of buttons) button.disabled = false;
}

function chooser(state) {
  const service = select({ name: "service" }, SERVICES, state.service ?? "openai");
  const model = h("input", { type: "text", name: "model", required: true, maxlength: 300, autocomplete: "off", value: state.model ?? "" });
  const url = h("input", { type: "text", name: "url", maxlength: 500, autocomplete: "off", inputmode: "url", value: state.url ?? "" });
  const key = h("input", { type: "password", name: "key", maxlength: 1000, autocomplete: "off" });
  const price = h("input", { type: "text", name: "price", autocomplete: "off", placeholder: "0.25,2", value: state.usd_per_million });
  const said = h("div", { class: "model-said" });
  const fields = { url: field("Address", url, "As far as /v1. Empty: the service's own."), key: field("Key", key, state.key === "settings" ? "Empty: the kept one stays, as long as the address does." : "Sent to that address alone; kept sealed on this machine.") };
  const wish = () => ({
    service: service.value,
    model: model.value.trim(),
    url: (service.value !== "bedrock" && url.value.trim()) || null,
    key: (service.value !== "bedrock" && key.value) || null,
    usd_per_million: price.value.replaceAll(" ", ""),
  });
  const use = async () => {
    const changed = await call("/v1/model", { method: "PUT", body: wish() });
    announce("The next question is answered by it");
    draw(changed);
  };
  const none = async () => {
    const changed = await call("/v1/model", { method: "DELETE" });
    announce("Questions are answered by quotations");
    draw(changed);
  };
  const form = h(
    "form",
    { class: "model-form", novalidate: true },
    h("h2", { class: "section-title" }, "Choose a model"),
    h("div", { class: "model-fields" }, field("Service", service), field("Model", model), fields.url, fields.key, field("Price of a million tokens, in and out", price, "US dollars, where it is not known.")),
    h(
      "div",
      { class: "notice-actions" },
      h("button", { type: "submit", class: "button primary" }, "Use this model"),
      h("button", { type: "button", class: "button", onclick: () => guarded(form, said, async () => outcome(await post("/v1/model/test", wish()))) }, "Try it first"),
      state.source === "settings" && h("button", { type: "button", class: "button quiet", onclick: () => guarded(form, said, none) }, "Use none"),
    ),
    said,
  );
  const fit = () => {
    const about = SERVICES.find(({ value }) => value === service.value);
    model.placeholder = about.model;
    url.placeholder = about.url;
    // One service's address, and the key that is sent there, are no other's.
    url.value = service.value === state.service ? (state.url ?? "") : "";
    fields.url.hidden = service.value !== "openai" && !url.value;
    fields.key.hidden = service.value === "bedrock";
  };
  service.addEventListener("change", fit);
  fit();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!model.value.trim()) {
      said.replaceChildren(h("p", { class: "form-error", role: "alert" }, "Say which model."));
      model.focus();
      return;
    }
    guarded(form, said, use);
  });
  return form;
}

function tester() {
  const said = h("div", { class: "model-said" });
  const line = h("div", { class: "model-test" });
  line.append(h("button", { type: "button", class: "button", onclick: () => guarded(line, said, async () => outcome(await post("/v1/model/test"))) }, "Ask it one thing"), said);
  return line;
}

function draw(state) {
  const mine = onOneMachine && may("owner");
  place.replaceChildren(facts(state), ...(mine && state.model && !state.may_change ? [tester()] : []));
  choice.replaceChildren(
    ...(mine && state.may_change
      ? [chooser(state)]
      : [h("p", { class: "muted section-note" }, onOneMachine ? (mine ? "Unset the variable where the server was started, and a model can be chosen here." : "The owner of this machine's organization chooses it.") : "It is changed in the deployment's file.")]),
  );
  place.setAttribute("aria-busy", "false");
}

async function load() {
  try {
    draw(await call("/v1/model"));
  } catch (error) {
    place.replaceChildren(failure(error, { retry: load }));
    place.setAttribute("aria-busy", "false");
  }
}

load();
