// The settings of appearance and sound: changes in a form with `data-look` apply at once.

const KEPT_SECONDS = 365 * 24 * 3600;
const NAMES = ["theme", "suits", "sound", "vibration", "phrases"];

function keep(name, value) {
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `${name}=${value}; path=/; max-age=${KEPT_SECONDS}; samesite=lax${secure}`;
}

const page = document.documentElement;
for (const form of document.querySelectorAll("form[data-look]")) {
  form.addEventListener("change", ({ target }) => {
    if (!NAMES.includes(target.name)) return;
    page.dataset[target.name] = target.value;
    const schemes = { light: "light", dark: "dark" };
    document.querySelector("meta[name='color-scheme']").content = schemes[page.dataset.theme] ?? "light dark";
    keep(target.name, target.value);
  });
}
