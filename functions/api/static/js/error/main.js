// The error page: its request id can be copied.
const button = document.getElementById("copy-request");
button?.addEventListener("click", async () => {
  await navigator.clipboard.writeText(document.getElementById("request-id").textContent);
  button.textContent = "Copied";
});
