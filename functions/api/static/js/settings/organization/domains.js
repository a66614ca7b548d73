// Domains whose people join by themselves: claimed, proved by a TXT record, removed.

import { all, call, post } from "../../lib/api.js";
import { announce, byId, h } from "../../lib/dom.js";
import { field, openForm, select } from "../../lib/form.js";
import { age } from "../../lib/format.js";
import { copyButton, emptiness, failure } from "../../lib/notice.js";
import { GRANTED } from "./roles.js";

const place = byId("domains");

function add() {
  const domain = h("input", { type: "text", name: "domain", required: true, maxlength: 253, autocomplete: "off", spellcheck: "false", placeholder: "example.com", "data-wrong": "Write the domain, as in example.com." });
  const role = select({ name: "role" }, GRANTED, "viewer");
  return openForm({
    title: "Add a domain",
    fields: [
      field("Domain", domain, "What stands behind the @ of your addresses."),
      field("Its people join as", role),
    ],
    done: "Add it",
    save: async () => {
      const made = await post("/v1/domains", { domain: domain.value.trim(), role: role.value });
      announce(`${made.domain} added. Now set its record.`);
      await load();
    },
  });
}

async function remove(one) {
  const saved = await openForm({
    title: `Remove ${one.domain}?`,
    fields: [h("p", {}, "Nobody joins by it any more. Whoever has joined stays, with the role they have.")],
    done: "Remove",
    cancel: "Keep it",
    danger: true,
    save: () => call(`/v1/domains/${one.id}`, { method: "DELETE" }),
  });
  if (!saved) return;
  announce(`${one.domain} removed`);
  await load();
  byId("add-domain").focus();
}

/** What has to stand in the DNS, each part with a button that copies it. */
function record(one) {
  const line = (name, text) => [h("dt", {}, name), h("dd", {}, h("code", {}, text), copyButton(text, `Copy the ${name.toLowerCase()} of ${one.domain}`))];
  return h(
    "div",
    { class: "dns-record" },
    h("p", {}, h("b", {}, "Set this TXT record"), " where the domain's DNS is kept, then check. It may take an hour to be seen."),
    h("dl", { class: "facts-list" }, line("Name", one.txt_name), line("Value", one.txt_value)),
  );
}

function row(one) {
  const said = h("span", { class: "row-error", role: "alert" });
  const button = h("button", { type: "button", class: "button small", "aria-label": `Check ${one.domain} now` }, "Check now");
  button.addEventListener("click", async () => {
    said.textContent = "";
    button.disabled = true;
    try {
      await post(`/v1/domains/${one.id}/verify`);
      announce(`${one.domain} is proved`);
      await load();
    } catch (error) {
      said.textContent = error.detail || error.message;
      button.disabled = false;
      button.focus();
    }
  });
  const state = one.verified_at ? `proved ${age(one.verified_at)}: its people join as ${one.role}` : `not proved yet: nobody joins by it (as ${one.role}, then)`;
  return h(
    "li",
    { class: "settings-row data-row" },
    h(
      "div",
      { class: "row-title" },
      h("b", {}, one.domain, h("span", { class: `tag${one.verified_at ? "" : " flag"}` }, one.verified_at ? "proved" : "waits for its record")),
      h("span", { class: "sub" }, state),
      said,
    ),
    h(
      "span",
      { class: "row-actions" },
      !one.verified_at && button,
      h("button", { type: "button", class: "button small", "aria-label": `Remove ${one.domain}`, onclick: () => remove(one) }, "Remove"),
    ),
    !one.verified_at && record(one),
  );
}

async function load() {
  try {
    const domains = await all("/v1/domains");
    place.replaceChildren(
      domains.length
        ? h("ul", { class: "rows plain", "aria-label": "Domains" }, domains.map(row))
        : emptiness("No domain yet", "Until there is one, people join by invitation alone."),
    );
  } catch (error) {
    place.replaceChildren(failure(error, { retry: load }));
  }
  place.setAttribute("aria-busy", "false");
}

export function showDomains() {
  byId("add-domain").addEventListener("click", add);
  return load();
}
