// The service worker. It shows notifications, and the offline page when a page cannot be loaded; it
// caches no other page and no API answer. `players.sign_in.devices.app_pages` writes `KEPT`, whose
// name changes with the cached files.

const { name, page, files, icon } = self.KEPT;

async function keep() {
  const cache = await caches.open(name);
  // Bypass the HTTP cache, and send no cookies, so that the cached page has no user data.
  await cache.addAll([page, ...files].map((url) => new Request(url, { cache: "reload", credentials: "omit" })));
  await self.skipWaiting();
}

async function takeOver() {
  for (const old of await caches.keys()) if (old !== name) await caches.delete(old);
  await self.registration.navigationPreload?.enable();
  await self.clients.claim();
}

async function pageOrOffline(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    return (await caches.match(page)) ?? Response.error();
  }
}

/** Answer with a file of the offline page: from the network, else from the cache. */
async function fileOrKept(request) {
  try {
    return await fetch(request);
  } catch {
    return (await caches.match(request)) ?? Response.error();
  }
}

/** Show a notification sent by `players.notifications.pushing`. */
async function show(event) {
  const { title, body, path, tag, lang } = event.data.json();
  await self.registration.showNotification(title, { body, tag, lang, icon, renotify: true, data: { path } });
}

/** Open the page of a notification, in its window if there is one. */
async function lead({ notification }) {
  notification.close();
  const wanted = new URL(notification.data.path, self.location.origin);
  const windows = await self.clients.matchAll({ type: "window" });
  const open = windows.find(({ url }) => new URL(url).pathname === wanted.pathname);
  await (open ? open.focus() : self.clients.openWindow(wanted));
}

self.addEventListener("push", (event) => event.waitUntil(show(event)));
self.addEventListener("notificationclick", (event) => event.waitUntil(lead(event)));
self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(takeOver()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  if (request.mode === "navigate") event.respondWith(pageOrOffline(event));
  else if (files.includes(new URL(request.url).pathname)) event.respondWith(fileOrKept(request));
});
