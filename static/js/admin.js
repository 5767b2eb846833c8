// What the admin theme leaves out: names of the links beside date fields and of pickers, and keys for the panels of lists.
"use strict";

const nameLinks = () => {
  for (const icon of document.querySelectorAll(".datetimeshortcuts [title]")) {
    icon.parentElement.setAttribute("aria-label", icon.title);
  }
  // The name of an icon is its text, which would be read before the link's.
  for (const icon of document.querySelectorAll("a > .material-symbols-outlined")) {
    if (icon.parentElement.textContent.trim() !== icon.textContent.trim()) icon.setAttribute("aria-hidden", "true");
  }
  for (const hint of document.querySelectorAll(".help-tooltip[aria-label]")) hint.setAttribute("role", "img");
  for (const box of document.querySelectorAll(".select2-selection[role=combobox]")) {
    const select = box.closest(".select2-container").previousElementSibling;
    const label = document.querySelector(`label[for="${select?.id}"]`);
    const value = box.querySelector(".select2-selection__rendered");
    if (!label || !value) continue;
    label.id ||= `${select.id}-label`;
    value.setAttribute("aria-labelledby", label.id);
    box.setAttribute("aria-labelledby", `${label.id} ${value.id}`);
  }
  for (const row of document.querySelectorAll("tr.data-row")) {
    const arrow = row.querySelector("td[x-on\\:click] > span");
    if (!arrow) continue;
    arrow.tabIndex = 0;
    arrow.setAttribute("role", "button");
    arrow.setAttribute("aria-label", arrow.parentElement.dataset.label);
    arrow.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      arrow.click();
    });
  }
};

// Django's own script adds the links when the page is loaded, before this listener.
window.addEventListener("load", () => setTimeout(nameLinks));
