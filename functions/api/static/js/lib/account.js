// Who looks at this page, and for which organization: what the server wrote into its frame.

const { role = null, user = null, organization = null, local } = document.documentElement.dataset;
const RANKS = ["viewer", "editor", "admin", "owner"];

/** Whether the person's role is `least` or above it. What is hidden by it is refused by the server as well. */
export const may = (least) => RANKS.indexOf(role) >= RANKS.indexOf(least);

/** One machine, where nobody signs in. */
export const onOneMachine = local === "yes";

export { organization, RANKS, role, user };
