// The consent of a person: what an assistant may do and see; then back to the assistant, with a code or a refusal.

import { all, post } from "../lib/api.js";
import { basesField } from "../lib/bases_field.js";
import { byId } from "../lib/dom.js";

const form = byId("consent");
const asked = byId("main").dataset;
const problem = byId("consent-error");
const place = byId("bases");

/** Leaves the page for good: whoever comes back asks anew. */
const leave = (address) => location.replace(address);

async function start() {
  const button = form.querySelector("button[type=submit]");
  let seen;
  try {
    const bases = await all("/v1/knowledge-bases");
    seen = basesField(bases, "you see, those to come too");
    place.replaceChildren(seen.node);
    button.disabled = false;
  } catch (error) {
    problem.textContent = error.message;
  }
  place.setAttribute("aria-busy", "false");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.textContent = "";
    button.disabled = true;
    try {
      const { redirect_to: target } = await post("/v1/connections", {
        client_id: asked.clientId,
        redirect_uri: asked.redirectUri,
        code_challenge: asked.codeChallenge,
        state: asked.state ?? null,
        scope: form.elements.scope.value,
        knowledge_base_ids: seen.chosen(),
      });
      leave(target);
    } catch (error) {
      problem.textContent = error.message;
      button.disabled = false;
    }
  });
}

if (form) start();
