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

// The button that installs the site as an app: with the browser's own dialog where it offers one,
// with instructions on iPhones and iPads, which have none for scripts.
const install = document.getElementById("install");
const isApple = /iPhone|iPad|iPod/.test(navigator.userAgent) || (navigator.platform === "MacIntel" && navigator.maxTouchPoints > 1);
let offer = null;
if (install) {
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    offer = event;
    install.hidden = false;
  });
  addEventListener("appinstalled", () => {
    install.hidden = true;
  });
  install.hidden = !isApple || navigator.standalone === true;
  install.addEventListener("click", async () => {
    if (!offer) {
      document.getElementById("install-steps").showModal();
      return;
    }
    const asked = offer;
    offer = null; // It can be shown once.
    install.hidden = true;
    await asked.prompt();
  });
}
