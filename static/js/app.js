// Registers the worker that shows the offline page (worker.js), where the browser has workers.

if ("serviceWorker" in navigator) {
  navigator.serviceWorker.register("/service-worker.js", { updateViaCache: "none" }).catch(() => {
    // A private window, or storage that is full: the site does without.
  });
}
