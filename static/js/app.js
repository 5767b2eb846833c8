// Small scripts of all pages except the card table.

// Register the service worker (worker.js) in browsers that support it.
if ("serviceWorker" in navigator) {
  navigator.serviceWorker.register("/service-worker.js", { updateViaCache: "none" }).catch(() => {
    // A private window or full storage: the site works without it.
  });
}

// Skip an htmx swap while a control in the swapped part is pressed: a click needs press and release
// on the same element. The next swap follows a few seconds later.
for (const kind of ["htmx:beforeSwap", "htmx:oobBeforeSwap"]) {
  document.addEventListener(kind, (event) => {
    if (event.detail.target.matches(":active")) event.detail.shouldSwap = false;
  });
}

// Safari on phones sets :active only if the page listens to touches.
document.addEventListener("touchstart", () => {}, { passive: true });

// Buttons that fill in the amount of a form; without JavaScript it is typed.
document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-amount]");
  if (!button) return;
  const amount = button.form.elements.amount;
  amount.value = button.dataset.amount;
  amount.focus();
});
