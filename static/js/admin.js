// What the admin theme leaves out: names of the links beside date fields, and keys for the panels of lists.
"use strict";

const nameLinks = () => {
  for (const icon of document.querySelectorAll(".datetimeshortcuts [title]")) {
    icon.parentElement.setAttribute("aria-label", icon.title);
  }
  for (const row of document.querySelectorAll("tr.data-row")) {
    const mark = row.querySelector("td[x-on\\:click] > span");
    if (!mark) continue;
    mark.tabIndex = 0;
    mark.setAttribute("role", "button");
    mark.setAttribute("aria-label", mark.parentElement.dataset.label);
    mark.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      mark.click();
    });
  }
};

// Django's own script adds the links when the page is loaded, before this listener.
window.addEventListener("load", () => setTimeout(nameLinks));
