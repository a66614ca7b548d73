// Links that show something to whoever has them: made with an end, listed, taken back.

import { all, post } from "./api.js";
import { h } from "./dom.js";
import { field, openForm, select } from "./form.js";
import { age, plural } from "./format.js";
import { copyButton, failure } from "./notice.js";

const DAYS = [1, 7, 30];
const DATE = new Intl.DateTimeFormat("en", { dateStyle: "medium" });

/** Opens the dialog for the links at `path`; `text` says what a link shows. */
export async function openLinks({ path, title, text }) {
  const days = select({ name: "days" }, DAYS.map((value) => ({ value: String(value), label: value === 1 ? "a day" : `${value} days` })), "7");
  const made = h("div", { class: "share-made" });
  const list = h("ul", { class: "plain share-list", "aria-label": "Links" });
  const read = async () => {
    try {
      const shares = await all(path);
      list.replaceChildren(...shares.map((share) => shareRow(share, path, read)));
    } catch (error) {
      list.replaceChildren(failure(error, { compact: true, retry: read }));
    }
  };
  const make = h("button", {
    type: "button",
    class: "button primary",
    onclick: async () => {
      make.disabled = true;
      try {
        const share = await post(path, { days: Number(days.value) });
        made.replaceChildren(linkLine(share));
        made.querySelector("button").focus();
        await read();
      } catch (error) {
        made.replaceChildren(failure(error, { safe: "No link was made.", compact: true }));
      } finally {
        make.disabled = false;
      }
    },
  }, "Make a link");
  read();
  await openForm({ title, done: "Close", fields: [h("p", {}, text), h("div", { class: "share-make" }, field("It ends after", days), make), made, list] });
}

function linkLine({ path }) {
  const address = new URL(path, location.origin).href;
  const text = h("input", { type: "text", readonly: true, "aria-label": "The link", onfocus: (event) => event.target.select() });
  text.value = address;
  return h("div", {}, h("p", {}, "Copy it now: it is not shown again."), h("div", { class: "share-link" }, text, copyButton(address, "Copy the link")));
}

/** In words whether a link shows nothing any more. */
export const over = (share) => (share.revoked_at ? "taken back" : Date.parse(share.expires_at) <= Date.now() ? "ended" : "");

function shareRow(share, path, read) {
  const ended = over(share);
  const said = h("span", { class: "form-error", role: "alert" });
  const revoke = async (event) => {
    event.target.disabled = true;
    try {
      await post(`${path}/${share.id}/revoke`);
      await read();
    } catch (error) {
      event.target.disabled = false;
      said.textContent = error.detail || error.title;
    }
  };
  const what = [share.revision && `Version ${share.revision}, made`, !share.revision && "Made", age(share.created_at)].filter(Boolean).join(" ");
  const by = share.author && !share.own ? ` by ${share.author}` : "";
  const opened = share.opened ? `, opened ${plural(share.opened, "time")}` : "";
  return h(
    "li",
    { class: ended ? "muted" : "" },
    h("span", {}, `${what}${by}${opened}, ${ended || `ends ${DATE.format(new Date(share.expires_at))}`}`),
    !ended && h("button", { type: "button", class: "button small", onclick: revoke }, "Take back"),
    said,
  );
}
