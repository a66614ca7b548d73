// Signing out of this browser, where a session signs people in.
import { csrfHeaders } from "./lib/api.js";

const button = document.getElementById("sign-out");

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
