// Running ingestions: a thin bar per stage, pages done, time left; polled until each has ended.

import { all, call } from "../lib/api.js";
import { announce, h, keepChildren } from "../lib/dom.js";
import { count, duration, inBrowser, plural, roughly } from "../lib/format.js";

const POLL = 700;
// How long a finished card stays as one line, unless the pointer or the focus is on it.
const LINGER = 8000;
const ENDED = new Set(["ready", "ready_with_errors", "refused", "failed"]);
const STATE = {
  waiting: "waiting",
  queued: "queued",
  running: "running",
  ready: "ready",
  ready_with_errors: "ready, with errors",
  refused: "refused",
  failed: "failed",
};

function share(stage) {
  if (stage.status === "done" || stage.status === "skipped") return 1;
  return stage.pages_total ? stage.pages_done / stage.pages_total : 0;
}

function stageBar(stage) {
  const unknown = stage.status === "running" && !stage.pages_total;
  const text = stage.pages_total
    ? `${stage.name}: ${stage.pages_done} of ${stage.pages_total} pages`
    : `${stage.name}: ${stage.status}`;
  return h(
    "li",
    { class: stage.status, title: text },
    h("div", { class: `bar${unknown ? " unknown" : ""}`, vars: { done: share(stage) } }, h("i")),
    h("span", {}, stage.name, h("span", { class: "visually-hidden" }, ` ${stage.status}`)),
  );
}

function progressText(run) {
  const stage = run.stages.find((item) => item.status === "running");
  const pages = stage?.pages_total
    ? `${stage.name} ${stage.pages_done} of ${plural(stage.pages_total, "page")}`
    : stage?.name;
  const eta =
    run.eta_seconds === null || run.eta_seconds === undefined ? "" : `about ${roughly(run.eta_seconds)} left`;
  return [pages, eta].filter(Boolean).join(" · ");
}

function outcome(run) {
  const seconds = run.stages.reduce((sum, stage) => sum + (stage.seconds ?? 0), 0);
  return run.status === "ready" ? `${plural(run.pages ?? 0, "page")} in ${duration(seconds)}` : "";
}

/** The files of a parcel that came to nothing, once all of it has ended. */
async function refusedOf(run) {
  const over = run.parcel && ENDED.has(run.status) && !run.parcel.open;
  if (!over || !(run.parcel.refused + run.parcel.failed)) return [];
  const files = await all(`/v1/ingestions/${run.id}/files`);
  return files.filter((one) => one.status === "refused" || one.status === "failed");
}

class Entry {
  constructor(name, text) {
    this.state = h("span", { class: "state", role: "status" }, text);
    this.body = h("div");
    this.foot = h("div", { class: "ingestion-foot" });
    // One link as long as the card stands: a press, and the focus, outlast what is told beside it.
    this.link = h("a");
    this.node = h(
      "article",
      { class: "ingestion", "aria-label": name },
      h("div", { class: "ingestion-head" }, h("b", {}, name), this.state),
      this.body,
      this.foot,
    );
  }

  say(text) {
    this.state.textContent = text;
  }

  fail(text) {
    this.error = text;
    this.node.classList.add("failed");
    this.say("not added");
    const dismiss = h(
      "button",
      { type: "button", class: "button small quiet", onclick: () => this.node.remove() },
      "Dismiss",
    );
    this.foot.replaceChildren(
      h("span", { class: "why", role: "alert" }, text),
      h("span", {}, "Other documents are not affected."),
      dismiss,
    );
  }

  /** Bytes that are here already: there is nothing to wait for. */
  known(run) {
    this.say("already here");
    this.node.classList.add("folded");
    this.body.replaceChildren();
    this.foot.replaceChildren(
      h("span", {}, "This file is here already; nothing was read again."),
      run.document_id && h("a", { href: `/documents/${run.document_id}` }, "Open"),
    );
    this.leave();
  }

  /** Takes a card that has nothing more to say away, when nobody looks at it. */
  leave() {
    setTimeout(() => (this.node.matches(":hover, :focus-within") ? this.leave() : this.node.remove()), LINGER);
  }

  /** A ZIP file of files: how many of them have ended, and of those that were not taken each reason. */
  showParcel(run, refused, over = "unpacked") {
    const { files, open } = run.parcel;
    this.say(open || !ENDED.has(run.status) ? `${count(files - open)} of ${plural(files, "file")}` : over);
    this.body.replaceChildren(h("div", { class: "parcel-bar", vars: { done: (files - open) / files } }, h("i")));
    if (open || !ENDED.has(run.status)) return;
    this.node.classList.add(refused.length ? "failed" : "ready");
    this.body.replaceChildren(h("ul", { class: "plain parcel-list" }, refused.map((one) => h("li", {}, h("b", {}, one.filename), " ", inBrowser(one.error)))));
    const dismiss = h("button", { type: "button", class: "button small quiet", onclick: () => this.node.remove() }, "Dismiss");
    this.foot.replaceChildren(h("span", {}, `${plural(files - refused.length, "file")} in, ${count(refused.length)} not`), dismiss);
    if (!refused.length) this.leave();
  }

  show(run) {
    if (run.duplicate && run.status !== "refused" && run.status !== "failed") {
      this.known(run);
      return;
    }
    this.say(STATE[run.status] ?? run.status);
    this.node.classList.toggle("ready", run.status === "ready");
    this.node.classList.toggle("folded", run.status === "ready");
    // What has ended early waits for nothing.
    const begun = run.stages.filter((stage) => !ENDED.has(run.status) || stage.status !== "queued");
    const stages = h("ol", { class: "stages", "aria-label": "Stages" }, begun.map(stageBar));
    // Before there is a document nothing is known to follow: the bytes may be here already.
    this.body.replaceChildren(...(run.document_id && run.status !== "ready" && run.status !== "refused" ? [stages] : []));
    if (run.status === "ready") this.leave();
    const failed = run.stages.flatMap((stage) => stage.pages_failed ?? []);
    if (run.status === "refused" || run.status === "failed") {
      this.fail(inBrowser(run.error) ?? "It could not be read.");
      this.say(STATE[run.status]);
      return;
    }
    this.link.href = `/documents/${run.document_id}`;
    this.link.textContent = ENDED.has(run.status) ? "Open" : "Open while it runs";
    keepChildren(
      this.foot,
      [
        h("span", {}, ENDED.has(run.status) ? outcome(run) : progressText(run)),
        failed.length > 0 && h("span", { class: "why" }, `failed pages: ${failed.map(count).join(", ")}`),
        run.document_id && this.link,
      ].filter(Boolean),
    );
  }
}

export class IngestionList {
  /** `changed` is called whenever a document has appeared or ended. */
  constructor(place, changed) {
    this.place = place;
    // The card that stands above all others.
    this.top = null;
    this.changed = changed;
    // Run → its card; null until there is one.
    this.watched = new Map();
    this.latest = new Map();
  }

  /** A new run of a document takes the place of the one before, whichever is heard of first: ids begin with a time. */
  replace(run, entry) {
    const before = this.latest.get(run.document_id);
    // A card of bytes that are here already says so, beside the one of the run that reads them.
    if (!run.document_id || run.duplicate || before?.entry === entry) return;
    if (before && before.id > run.id) {
      entry.node.remove();
      return;
    }
    before?.entry.node.remove();
    this.latest.set(run.document_id, { id: run.id, entry });
  }

  begin(name, text) {
    const entry = new Entry(name, text);
    if (this.top?.isConnected) this.top.after(entry.node);
    else this.place.prepend(entry.node);
    return entry;
  }

  /** A card above those of many files that are given together. `ended` counts one, and takes over why it was not taken. */
  batch(files) {
    const card = this.begin(plural(files, "file"), `0 of ${plural(files, "file")}`);
    this.top = card.node;
    const refused = [];
    let open = files;
    return {
      ended: (filename, entry) => {
        open -= 1;
        if (entry.error) {
          refused.push({ filename, error: entry.error });
          entry.node.remove();
        }
        card.showParcel({ status: "ready", parcel: { files, open } }, refused, "done");
      },
    };
  }

  /** Follows one ingestion to its end, in one card: a run may have been picked up while its file was still being sent. */
  async watch(id, entry = null) {
    if (this.watched.has(id)) {
      const before = this.watched.get(id);
      if (before && entry) entry.node.remove();
      else this.watched.set(id, before ?? entry);
      return;
    }
    this.watched.set(id, entry);
    let known = null;
    for (;;) {
      let run;
      let refused;
      try {
        run = await call(`/v1/ingestions/${id}`);
        refused = await refusedOf(run);
      } catch (error) {
        if (error.status === 0) {
          this.watched.get(id)?.say("the server does not answer; trying again");
          await new Promise((done) => setTimeout(done, 2000));
          continue;
        }
        // What was deleted meanwhile needs no card.
        if (error.status === 404) this.watched.get(id)?.node.remove();
        else this.watched.get(id)?.fail(error.detail || error.message);
        break;
      }
      const shown = this.watched.get(id) ?? this.begin(run.filename, "");
      this.watched.set(id, shown);
      if (run.parcel) this.showParcel(run, shown, refused);
      else shown.show(run);
      this.replace(run, shown);
      if (run.document_id !== known) {
        known = run.document_id;
        this.changed();
      }
      if ((ENDED.has(run.status) && !run.parcel?.open) || run.duplicate) {
        announce(`${run.filename}: ${STATE[run.status]}`);
        this.changed();
        break;
      }
      await new Promise((done) => setTimeout(done, POLL));
    }
    this.watched.delete(id);
  }

  showParcel(run, shown, refused) {
    shown.showParcel(run, refused);
    const ended = run.parcel.files - run.parcel.open;
    if (ended !== shown.ended) this.changed();
    shown.ended = ended;
  }

  /** Picks up what was running when the page was opened. */
  async resume(knowledgeBaseId) {
    const runs = await all(`/v1/ingestions?knowledge_base_id=${knowledgeBaseId}`);
    // The files of a parcel are followed together.
    const open = runs.filter((run) => (run.parcel ? run.parcel.open > 0 : !ENDED.has(run.status)) && !run.parcel_id);
    await Promise.all(open.map((run) => this.watch(run.id)));
  }
}
