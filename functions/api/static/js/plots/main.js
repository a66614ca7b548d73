// The plots of a knowledge base, and the datasets that can be plotted.

import { all } from "../lib/api.js";
import { byId, h } from "../lib/dom.js";
import { age } from "../lib/format.js";
import { openPageOf } from "../lib/knowledge_base.js";
import { emptiness } from "../lib/notice.js";

const slug = byId("main").dataset.slug;
const place = byId("plots");

function row(plot) {
  return h(
    "li",
    { class: "plot-row" },
    h("a", { href: `/plots/${plot.id}` }, plot.name),
    h("span", { class: "muted" }, plot.dataset),
    plot.dataset_changed && h("span", { class: "tag flag" }, "dataset has changed"),
    h("time", { class: "muted", datetime: plot.updated_at }, age(plot.updated_at)),
  );
}

function begin(datasets) {
  const choose = h("select", { "aria-label": "Dataset" }, datasets.map((one) => h("option", { value: one.id }, one.name)));
  const go = () => location.assign(`/datasets/${choose.value}/plot`);
  return [choose, h("button", { type: "button", class: "button primary", onclick: go }, "Plot it")];
}

openPageOf(slug, place, "Plots", async (kb) => {
  const [plots, datasets] = await Promise.all([
    all(`/v1/plots?knowledge_base_id=${kb.id}`),
    all(`/v1/datasets?knowledge_base_id=${kb.id}`),
  ]);
  if (datasets.length) byId("head-actions").replaceChildren(...begin(datasets));
  const empty = datasets.length
    ? emptiness("No plot yet", "Choose a dataset above and plot it: bars, lines, points, heat maps, box plots.")
    : emptiness(
        "No dataset yet",
        "A plot draws a dataset: a table of your documents. Make one first.",
        h("a", { class: "button primary", href: `/kb/${slug}/datasets` }, "Datasets"),
      );
  place.replaceChildren(plots.length ? h("ul", { class: "plain plot-rows" }, plots.reverse().map(row)) : empty);
  place.setAttribute("aria-busy", "false");
});
