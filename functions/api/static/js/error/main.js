// The error page: its request id can be copied; whoever is invited by several organizations chooses one.
import { call } from "../lib/api.js";
import { byId } from "../lib/dom.js";

const button = byId("copy-request");
button?.addEventListener("click", async () => {
  await navigator.clipboard.writeText(byId("request-id").textContent);
  button.textContent = "Copied";
});

for (const choice of document.querySelectorAll(".notice-actions [data-organization]")) {
  choice.addEventListener("click", async () => {
    try {
      await call("/v1/organization/choose", { method: "POST", organization: choice.dataset.organization });
      location.reload();
    } catch (error) {
      byId("choice-said").textContent = error.detail || error.message;
    }
  });
}
