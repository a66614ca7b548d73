// What the audit log's acts are called in words.

export const ACTS = [
  ["sign_in", "Signing in", { succeed: "signed in", end: "signed out" }],
  [
    "member",
    "Members",
    { invite: "invited", resend: "sent an invitation again", bind: "let a waiting sign-in join", role: "changed a role", remove: "removed a member", leave: "left", join: "joined" },
  ],
  ["connection", "Assistants", { allow: "allowed an assistant", end: "ended an assistant's connection" }],
  [
    "webhook",
    "Webhooks",
    {
      add: "added a webhook",
      test: "tried a webhook",
      rotate: "rotated a webhook's secret",
      send_again: "had a webhook told again",
      enable: "enabled a webhook",
      disable: "disabled a webhook that nothing arrived at for days",
      remove: "removed a webhook",
    },
  ],
  ["key", "Keys", { create: "made a key", revoke: "revoked a key" }],
  [
    "knowledge_base",
    "Knowledge bases",
    {
      create: "made a knowledge base",
      change: "changed a knowledge base",
      access: "changed who sees a knowledge base",
      embedder: "changed the embedder",
      export: "exported",
      import: "imported",
      delete: "had a knowledge base deleted",
      erase: "nothing is left of a knowledge base",
    },
  ],
  [
    "document",
    "Documents",
    { upload: "uploaded", change: "changed a document", review: "approved or rejected a document", reingest: "read a document again", delete: "deleted a document" },
  ],
  ["schema", "Attributes", { change: "changed the attributes that count", backfill: "stopped or went on reading attributes" }],
  ["source", "Sources", { add: "named a source", look: "sent a source's files", look_now: "had a site looked at", remove: "removed a source" }],
  ["page", "Web pages", { fetch: "had a web page fetched" }],
  ["note", "Notes", { post: "wrote a note" }],
  ["record", "Records", { post: "posted records" }],
  ["record_kind", "Kinds of records", { put: "declared a kind of records", delete: "gave up a kind of records" }],
  ["summary", "Experiment summaries", { make: "summarized a document", edit: "edited a summary", restore: "restored a version of a summary", group: "had a model summarize several documents", unedit: "took an edit of a summary back" }],
  ["review", "Reviews", { decide: "reviewed passages", take_back: "took a review back" }],
  ["edit", "Edits", { make: "edited", undo: "undid an edit" }],
  [
    "version",
    "Versions",
    { accept: "accepted a version", dismiss: "dismissed a version", link: "linked a version", make_current: "made a version current", unlink: "unlinked a version" },
  ],
  ["dataset", "Datasets", { create: "made a dataset", change: "changed a dataset", delete: "deleted a dataset" }],
  ["plot", "Plots", { add: "kept a plot", change: "changed a plot", delete: "deleted a plot" }],
  ["digest", "Digest", { update: "updated the digest", edit: "edited the digest", restore: "restored a file of the digest" }],
  ["event", "Events", { report: "reported an event", delete: "deleted an event" }],
  ["thread", "Conversations", { delete: "deleted a conversation" }],
  ["share", "Links", { create: "shared a conversation or a notebook by a link", open: "a link was opened", revoke: "revoked a link" }],
  ["notebook", "Notebooks", { create: "began a notebook", change: "changed a notebook", delete: "deleted a notebook" }],
  ["bundle", "Bundles", { make: "made a bundle" }],
  ["trace", "Traces", { list: "looked at others' questions", read: "read somebody's question" }],
  ["gold", "Gold questions", { put: "kept a gold question", delete: "deleted a gold question" }],
  ["candidate", "Candidates for gold", { reject: "rejected what was said of an answer" }],
  ["evaluation", "Evaluations", { run: "ran an evaluation" }],
  ["model", "Models", { call: "had a model called", choose: "chose the model that answers" }],
  ["export", "Exports", { request: "asked for an export" }],
  ["import", "Imports", { request: "announced an archive", finish: "imported an archive" }],
  ["operation", "Operation", { redrive: "had failed documents read again" }],
  ["domain", "Domains", { claim: "claimed a domain", verify: "proved a domain", remove: "gave up a domain" }],
  ["group", "Groups", { role: "gave a group a role", remove: "took a group's role" }],
  ["organization", "Organization", { create: "made the organization", change: "changed settings", export: "exported everything", delete: "had the organization deleted", plan: "gave an organization a plan", pages: "gave an organization pages" }],
].map(([kind, label, words]) => ({ kind, label, words, acts: Object.keys(words).map((act) => `${kind}.${act}`) }));

const WORDS = new Map(ACTS.flatMap(({ kind, words }) => Object.entries(words).map(([act, text]) => [`${kind}.${act}`, text])));

/** An act in words; one that has none here as it is recorded. */
export const said = (act) => WORDS.get(act) ?? act.replaceAll("_", " ").replace(".", ": ");
