// The organization: its name, the domains whose people join by themselves, and what groups may do.

import { may } from "../../lib/account.js";
import { call } from "../../lib/api.js";
import { byId, h } from "../../lib/dom.js";
import { field, openForm } from "../../lib/form.js";
import { showDomains } from "./domains.js";
import { showGroups } from "./groups.js";

async function rename() {
  const name = h("input", {
    name: "name",
    required: true,
    maxlength: 120,
    autocomplete: "off",
    value: document.documentElement.dataset.organizationName,
    "data-wrong": "Give it a name.",
  });
  const saved = await openForm({
    title: "Rename the organization",
    fields: [field("Name", name, "Members see it in the header and in invitations. The short name stays.")],
    done: "Rename",
    save: () => call("/v1/organization", { method: "PATCH", body: { name: name.value } }),
  });
  if (saved) location.reload();
}

byId("rename")?.addEventListener("click", rename);
if (may("owner") && byId("domains")) {
  showDomains();
  showGroups();
}
