// What the admin theme leaves out: names of the links beside date fields, and keys for the panels of lists.
"use strict";

const nameLinks = () => {
  for (const icon of document.querySelectorAll(".datetimeshortcuts [title]")) {
    icon.parentElement.setAttribute("aria-label", icon.title);
  }
  for (const row of document.querySelectorAll("tr.data-row")) {
    const cell = row.querySelector("td[x-on\\:click]");
    if (!cell) continue;
    cell.tabIndex = 0;
    cell.setAttribute("role", "button");
    cell.setAttribute("aria-label", cell.dataset.label);
    cell.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      cell.click();
    });
  }
};

// Django's own script adds the links when the page is loaded, before this listener.
window.addEventListener("load", () => setTimeout(nameLinks));
