// What people decided about the document's passages: read once, shown on the cards, decided and taken back there.

import { call, post } from "../lib/api.js";
import { announce, h } from "../lib/dom.js";
import { age } from "../lib/format.js";

const SAID = { accepted: "accepted as it is", corrected: "corrected", rejected: "rejected: left out of answers" };
const SIGN = { accepted: "✓", corrected: "✎", rejected: "✗" };

export class Reviews {
  constructor(state) {
    this.state = state;
    this.all = [];
    state.on("edited", () => this.load().catch(() => state.emit("reviewed")));
  }

  /** Reads what was decided; cards are drawn anew where there is any. */
  async load() {
    const before = this.all.length;
    this.all = await call(`/v1/documents/${this.state.id}/review`);
    this.state.reviews = new Map(this.all.filter((one) => one.chunk_id && !one.stale).map((one) => [one.chunk_id, one]));
    if (before + this.all.length && this.state.view) this.state.emit("filter");
    this.state.emit("reviewed");
  }

  get #base() {
    return `/v1/knowledge-bases/${this.state.document.knowledge_base_id}/review`;
  }

  async decide(chunk, verdict) {
    await post(this.#base, { verdict, chunk_ids: [chunk.id] });
    announce(SAID[verdict]);
    await this.load();
  }

  async takeBack(review) {
    await call(`${this.#base}/decisions/${review.decision_id}`, { method: "DELETE" });
    announce("Taken back");
    await this.load();
  }
}

/** A tag that says what was decided about the chunk. */
export const reviewTag = (review) =>
  review && h("span", { class: `tag review-${review.verdict}`, title: [`${review.author}, ${age(review.created_at)}`, review.note].filter(Boolean).join(": ") }, `${SIGN[review.verdict]} ${SAID[review.verdict]}`);

/** The buttons of a pinned card. */
export function reviewButtons(chunk, review, reviews, button) {
  const trouble = (work) => () => work().catch((error) => announce(error.detail || error.message));
  if (review?.verdict === "corrected") return [];
  if (review) return [button("Take the review back", trouble(() => reviews.takeBack(review)))];
  return [
    chunk.flags.length > 0 && button("Accept", trouble(() => reviews.decide(chunk, "accepted"))),
    button("Reject", trouble(() => reviews.decide(chunk, "rejected"))),
  ];
}

/** Decisions that fit nothing any more, for the Edits tab. */
export function staleReviews(reviews) {
  const stale = reviews.all.filter((one) => one.stale);
  if (!stale.length) return null;
  return h(
    "section",
    { class: "stale-reviews" },
    h("h2", {}, "Reviews that count no more"),
    h(
      "ul",
      { class: "plain" },
      stale.map((one) =>
        h("li", { class: "edit-entry stale" }, h("p", {}, h("s", {}, one.excerpt)), h("p", { class: "edit-standing" }, `${SIGN[one.verdict]} ${one.verdict} by ${one.author}, ${age(one.created_at)}: ${one.stale}${one.page ? ` (it was on page ${one.page})` : ""}`)),
      ),
    ),
  );
}
