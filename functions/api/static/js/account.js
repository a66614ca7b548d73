// The person's own part of the header: signing out of this browser, and choosing another organization.
import { organization } from "./lib/account.js";
import { call, csrfHeaders } from "./lib/api.js";
import { announce, byId, h } from "./lib/dom.js";
import { wireMenu } from "./lib/menu.js";

const button = byId("sign-out");
// What the tabs of one browser tell each other: the organization that was opened last.
const OPENED = "autri-organization";

button?.addEventListener("click", async () => {
  button.disabled = true;
  try {
    const answer = await fetch("/auth/logout", { method: "POST", headers: csrfHeaders() });
    if (!answer.ok) throw new Error(`${answer.status}`);
    location.replace((await answer.json()).location);
  } catch {
    button.disabled = false;
    button.textContent = "Not signed out. Try again";
  }
});

/** Nothing of the organization before stays: the next page is made for the other one. */
async function choose(id) {
  await call("/v1/organization/choose", { method: "POST", organization: id });
  location.assign("/");
}

function attachSwitch(root) {
  wireMenu(root, root.querySelector("button"), root.querySelector(".menu-panel"));
  for (const entry of root.querySelectorAll("[data-organization]")) {
    entry.addEventListener("click", async () => {
      try {
        await choose(entry.dataset.organization);
      } catch (error) {
        byId("organization-said").textContent = error.detail || error.message;
      }
    });
  }
}

/** This page was made for an organization that is not the browser's any more: it says so before anything is done in it. */
function warn() {
  if (document.querySelector("#other-organization") || localStorage.getItem(OPENED) === organization) return;
  const stay = async () => {
    await call("/v1/organization/choose", { method: "POST" });
    localStorage.setItem(OPENED, organization);
    dialog.remove();
  };
  const dialog = h(
    "dialog",
    { class: "dialog", id: "other-organization", "aria-labelledby": "other-title" },
    h("h2", { id: "other-title" }, "Another organization was chosen"),
    h("p", {}, "This page shows ", h("b", {}, document.documentElement.dataset.organizationName), ". In another tab of this browser you have gone on to another organization."),
    h(
      "div",
      { class: "dialog-actions" },
      h("button", { type: "button", class: "button", onclick: stay }, "Back to this one"),
      h("button", { type: "button", class: "button primary", onclick: () => location.assign("/") }, "Go on to the other"),
    ),
  );
  document.body.append(dialog);
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  dialog.showModal();
  announce("Another organization was chosen in another tab");
}

const root = byId("organizations");
if (root) {
  attachSwitch(root);
  localStorage.setItem(OPENED, organization);
  addEventListener("storage", (event) => event.key === OPENED && warn());
  addEventListener("pageshow", (event) => event.persisted && warn());
}
