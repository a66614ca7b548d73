// Runs before the first paint (a classic script in <head>), so that a page never flashes in the other theme.
(() => {
  const KEY = "autri-theme";
  const ORDER = ["auto", "light", "dark"];
  const LABEL = { auto: "automatic", light: "light", dark: "dark" };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => {
    try {
      return localStorage.getItem(KEY) ?? "auto";
    } catch {
      return "auto";
    }
  };
  const apply = () => {
    const choice = stored();
    const theme = choice === "auto" ? (dark.matches ? "dark" : "light") : choice;
    document.documentElement.dataset.theme = theme;
    const button = document.getElementById("theme-toggle");
    if (!button) return;
    button.setAttribute("aria-label", `Theme: ${LABEL[choice]}`);
    button.title = `Theme: ${LABEL[choice]}`;
  };
  const next = () => {
    localStorage.setItem(KEY, ORDER[(ORDER.indexOf(stored()) + 1) % ORDER.length]);
    apply();
  };
  apply();
  dark.addEventListener("change", apply);
  addEventListener("storage", apply);
  addEventListener("DOMContentLoaded", () => {
    apply();
    document.getElementById("theme-toggle")?.addEventListener("click", next);
  });
})();
