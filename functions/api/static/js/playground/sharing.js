// The links of a conversation.

import { openLinks } from "../lib/links.js";

/** Opens the dialog for `thread`. */
export const shareThread = (thread) =>
  openLinks({
    path: `/v1/threads/${thread.id}/shares`,
    title: "Share this conversation",
    text: "Whoever has the link reads the conversation as it is now, without signing in: questions, answers, and what they quote. Nothing can be asked or opened with it, and you can take it back.",
  });
