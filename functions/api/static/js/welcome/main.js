// The first page of somebody who belongs to no organization: they make one and go on.
import { call } from "../lib/api.js";

const form = document.getElementById("found");
const problem = document.getElementById("found-error");
const { name, slug } = form.elements;
let suggested = "";

/** What a name makes of itself: `Kestrel Cup!` → `kestrel-cup`. */
function slugOf(text) {
  const plain = text.normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return plain.replace(/^-+/, "").slice(0, 60).replace(/-+$/, "");
}

name.addEventListener("input", () => {
  if (slug.value !== suggested) return;
  suggested = slugOf(name.value);
  slug.value = suggested;
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  problem.textContent = "";
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    await call("/v1/organizations", { method: "POST", body: { name: name.value, slug: slug.value } });
    location.replace("/");
  } catch (error) {
    problem.textContent = error.message;
    button.disabled = false;
  }
});
