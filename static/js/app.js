// Registers the service worker (worker.js) in browsers that support it.

if ("serviceWorker" in navigator) {
  navigator.serviceWorker.register("/service-worker.js", { updateViaCache: "none" }).catch(() => {
    // A private window or full storage: the site works without it.
  });
}
