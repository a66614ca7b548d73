// The inspector: page strip, page with boxes, chunks beside it.

import { byId, h } from "../lib/dom.js";
import { plural } from "../lib/format.js";
import { showCrumb } from "../lib/knowledge_base.js";
import { failure } from "../lib/notice.js";
import { AttributeLink } from "./attributes.js";
import { Cards } from "./cards.js";
import { Connector } from "./connector.js";
import { showAttached } from "./attached.js";
import { Corrections, showChanges } from "./corrections.js";
import { documentDate } from "./date.js";
import { Editor } from "./edit.js";
import { EditBar } from "./edit_bar.js";
import { editLog } from "./edit_log.js";
import { Filters } from "./filters.js";
import { Find } from "./find.js";
import { goldDialog } from "./gold.js";
import { GridLink } from "./grid.js";
import { crumbs, proofLine, versions } from "./head.js";
import { Jump } from "./jump.js";
import "./overlay.js";
import { costPanel, operationsPanel, textPanel, verifyPanel } from "./panels.js";
import { Reviews } from "./reviews.js";
import { Stage } from "./stage.js";
import { State } from "./state.js";
import { Strip } from "./strip.js";
import { paneTabs, peek, sideTabs } from "./tabs.js";

const POLL = 1500;
// States of a page whose text is there.
const READ = new Set(["parsed", "extracted", "ready", "failed"]);
const TYPING = "input:not([type=checkbox]):not([type=radio]), textarea, select";
const TABS = ["chunks", "operations", "text", "verify", "cost", "edits"];

const state = new State(byId("main").dataset.documentId);
const stage = new Stage(state);
const reviews = new Reviews(state);
const corrections = new Corrections(state);
const cards = new Cards(state, reviews);
const jump = new Jump(state);
const proof = proofLine(state);
const editor = new Editor(state);
const editBar = new EditBar(state, editor, stage.overlay);
const help = byId("help-dialog");
let goToVersion = () => {};

new Strip(state);
new Filters(state);
const find = new Find(state);
new Connector(state, stage, cards);
new GridLink(state, stage.overlay);
new AttributeLink(state, stage.overlay);
crumbs(state);
peek(state);
goldDialog(state);
sideTabs(state);
const tabs = paneTabs(state, {
  operations: operationsPanel(state, stage.overlay),
  text: textPanel(state, stage.overlay),
  verify: verifyPanel(state, proof.ask),
  edits: editLog(state, editor, reviews),
  cost: costPanel(state),
});

byId("help-open").addEventListener("click", () => help.showModal());
keyboard([
  { keys: ["j", "ArrowDown"], shown: ["j", "↓"], does: "next chunk", run: () => state.step(1) },
  { keys: ["k", "ArrowUp"], shown: ["k", "↑"], does: "previous chunk", run: () => state.step(-1) },
  { keys: ["n", "ArrowRight"], shown: ["n", "→"], does: "next page", run: () => state.open(state.page + 1) },
  { keys: ["p", "ArrowLeft"], shown: ["p", "←"], does: "previous page", run: () => state.open(state.page - 1) },
  { keys: ["Escape"], shown: ["Esc"], does: "let go of the pinned chunk", run: () => state.release() },
  { keys: ["/"], shown: ["/"], does: "jump to a section, a page or text", run: () => jump.focus() },
  {
    keys: ["f"],
    shown: ["f"],
    does: "flagged chunks only",
    run: () => state.setFilter({ flagged: !state.filter.flagged }),
  },
  { keys: ["s"], shown: ["s"], does: "show what was skipped", run: () => state.setSkipped(!state.showSkipped) },
  { keys: ["+", "="], shown: ["+"], does: "zoom in", run: () => stage.zoomBy(1) },
  { keys: ["-"], shown: ["−"], does: "zoom out", run: () => stage.zoomBy(-1) },
  { keys: ["0"], shown: ["0"], does: "fit to width", run: () => stage.setZoom(1) },
  { keys: ["9"], shown: ["9"], does: "fit to page", run: () => stage.fitPage() },
  { keys: ["w"], shown: ["w"], does: "find exact words (also Ctrl F)", run: () => find.open() },
  { keys: ["["], shown: ["["], does: "older version", run: () => goToVersion(-1) },
  { keys: ["]"], shown: ["]"], does: "newer version", run: () => goToVersion(1) },
  { keys: ["m"], shown: ["m"], does: "merge with the chunk after", run: () => editBar.press("after") },
  { keys: ["M"], shown: ["M"], does: "merge with the chunk before", run: () => editBar.press("before") },
  { keys: ["x"], shown: ["x"], does: "split the chunk at a line", run: () => editBar.press("split") },
  { keys: ["t"], shown: ["t"], does: "change its type", run: () => editBar.press("type") },
  { keys: ["e"], shown: ["e"], does: "change its section", run: () => editBar.press("section") },
  { keys: ["d"], shown: ["d"], does: "it is no content: leave it out", run: () => editBar.press("out") },
  { keys: ["c"], shown: ["c"], does: "clear its flags", run: () => editBar.press("flag") },
  { keys: ["u"], shown: ["u"], does: "undo the last edit", run: () => editBar.undo() },
  ...TABS.map((name, at) => ({
    keys: [String(at + 1)],
    shown: at ? [] : ["1", "…", String(TABS.length)],
    does: "tabs on the right",
    run: () => tabs.show(name),
  })),
  { keys: ["?"], shown: ["?"], does: "this help", run: () => help.showModal() },
]);

state.on("edited", () => {
  proof.forget();
  proof.show();
});

/** One table that both acts and fills the help: its rows are {keys, shown, does, run}; a row that shows nothing is left out of the help. */
function keyboard(table) {
  const byKey = new Map(table.flatMap((row) => row.keys.map((key) => [key, row.run])));
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.(`${TYPING}, dialog, [role=tablist], .menu-panel`) || document.querySelector("dialog[open]"))
      return;
    const run = byKey.get(event.key);
    if (!run) return;
    event.preventDefault();
    run();
  });
  byId("help-keys").replaceChildren(
    h(
      "dl",
      { class: "keys" },
      table
        .filter((row) => row.shown.length)
        .map((row) =>
          h(
            "div",
            {},
            h(
              "dt",
              {},
              row.shown.map((key) => [h("kbd", {}, key), " "]),
            ),
            h("dd", {}, row.does),
          ),
        ),
    ),
  );
}

/** While the document is being read, pages appear as they finish. */
async function follow() {
  while (state.running) {
    const read = state.pages.filter((row) => READ.has(row.status)).length;
    byId("proof").replaceChildren(`Being read: ${read} of ${plural(state.pages.length, "page")}. The proof follows when the document is ready.`);
    await new Promise((done) => setTimeout(done, POLL));
    await state.load().catch(lost);
    if (state.pages.length) await (state.page ? state.refresh() : state.open(...wanted())).catch(lost);
  }
  await proof.show();
}

/** A server that does not answer for a while is asked again; anything else is an error. */
function lost(error) {
  if (error.status !== 0) throw error;
}

function wanted() {
  const asked = new URL(location.href).searchParams;
  return [Number(asked.get("page")) || 1, asked.get("chunk"), { row: Number(asked.get("row")) || null }];
}

async function start() {
  try {
    const [page, chunk, more] = wanted();
    const loaded = state.load(page);
    await Promise.all([loaded, editBar.start(loaded)]);
    documentDate(state);
    jump.suggestAddress();
    if (state.pages.length) await state.open(page, chunk, more);
    else stage.wait();
    showCrumb(state.document.knowledge_base_id);
    await reviews.load();
    await Promise.all([corrections.load(), showChanges(state), showAttached(state)]);
    goToVersion = await versions(state);
    await follow();
  } catch (error) {
    byId("main").replaceChildren(
      failure(error, { retry: () => location.reload(), next: { href: "/", label: "All knowledge bases" } }),
    );
    byId("document-name").textContent = "Not shown";
  }
}

addEventListener("popstate", () => state.open(...wanted()));
start();
