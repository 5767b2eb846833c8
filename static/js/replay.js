// Arrow keys, Home and End step through a replay by the page's links. Each step is a separate page;
// focus and scroll position are kept.

const KEPT = "replay-step";

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest("input, textarea, select")) return;
  const link = document.querySelector(`.steps [data-key="${CSS.escape(event.key)}"]`);
  if (!link) return;
  event.preventDefault();
  link.click();
});

document.querySelector(".steps").addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (link) sessionStorage.setItem(KEPT, JSON.stringify({ id: link.id, top: scrollY }));
});

const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
sessionStorage.removeItem(KEPT);
if (kept) {
  scrollTo({ top: kept.top, behavior: "instant" });
  document.getElementById(kept.id)?.focus({ preventScroll: true });
}
