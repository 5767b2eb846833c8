// The switch for notifications on this device: asks the browser for permission and stores its
// subscription in the account; switching off deletes both.

const status = document.getElementById("device-status");
const button = document.getElementById("device-switch");
const test = document.getElementById("device-test");
const token = () => document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] ?? "";

function ask(method, body, url = status.dataset.url) {
  return fetch(url, { method, body, headers: { "X-CSRFToken": token() } });
}

function bytes(key) {
  return Uint8Array.from(atob(key.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}

function show(isOn, text) {
  status.textContent = text ?? (isOn ? gettext("Notifications are on for this device.") : gettext("Notifications are off for this device."));
  button.textContent = isOn ? gettext("Turn off") : gettext("Turn on");
  button.classList.toggle("primary", !isOn);
  button.dataset.isOn = isOn ? "yes" : "";
  test.hidden = !isOn;
}

async function turnOn(worker) {
  if ((await Notification.requestPermission()) !== "granted") {
    show(false, gettext("Your browser blocks notifications. Allow them in its settings for this site."));
    return;
  }
  const applicationServerKey = bytes(status.dataset.key);
  // A subscription made with an earlier key of the site is useless.
  await (await worker.pushManager.getSubscription())?.unsubscribe();
  const made = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  const { endpoint, keys } = made.toJSON();
  const answer = await ask("POST", new URLSearchParams({ endpoint, ...keys }));
  if (answer.status === 204) show(true);
  else {
    await made.unsubscribe();
    show(false, gettext("This device could not be registered. Try again later."));
  }
}

async function turnOff(worker) {
  const answer = await ask("DELETE");
  await (await worker.pushManager.getSubscription())?.unsubscribe();
  show(answer.status !== 204);
}

async function begin() {
  if (!("serviceWorker" in navigator && "PushManager" in window && "Notification" in window)) {
    const text = gettext("This browser does not support notifications. On an iPhone or iPad, add the site to the home screen first.");
    status.textContent = text;
    return;
  }
  const worker = await navigator.serviceWorker.ready;
  const subscribed = await worker.pushManager.getSubscription();
  show(Boolean(subscribed) && subscribed.endpoint === status.dataset.endpoint);
  button.hidden = false;
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await (button.dataset.isOn ? turnOff : turnOn)(worker);
    } catch {
      // The browser's push service or the site is unreachable.
      show(Boolean(button.dataset.isOn), gettext("The change failed. Try again later."));
    } finally {
      button.disabled = false;
    }
  });
}

async function sendTest() {
  const answer = await ask("POST", null, status.dataset.test);
  show(true, answer.status === 204 ? gettext("Sent. The notification should appear within a few seconds.") : gettext("The notification could not be sent. Try again later."));
}

test.addEventListener("click", sendTest);
await begin();
