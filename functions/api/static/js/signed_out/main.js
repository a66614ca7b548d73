// The page that says why nobody is signed in.
const REASONS = {
  expired: "The sign-in took too long or was begun in another browser. Sign in again.",
  refused: "The sign-in was not finished. Sign in again, or ask an owner of your organization whether you are invited.",
  unavailable: "The sign-in service did not answer. Sign in again in a minute.",
};

const reason = REASONS[new URLSearchParams(location.search).get("reason")];
if (reason) document.getElementById("reason").textContent = reason;
