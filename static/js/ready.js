// The banner of a tournament ("Your table is ready", "I am here") on a page that does without htmx.

const PAUSE_MS = 5000;

const banner = () => document.getElementById("ready");

async function renew() {
  try {
    const answer = await fetch(banner().getAttribute("hx-get"), { headers: { "HX-Current-URL": location.href } });
    // A button that is being pressed stays; the next answer comes soon.
    if (answer.ok && !banner().matches(":active")) {
      const part = document.createElement("template");
      part.innerHTML = await answer.text();
      banner().replaceWith(part.content);
    }
  } catch {
    // Offline: the next round asks again.
  }
}

if (banner()) {
  renew();
  setInterval(renew, PAUSE_MS);
}
