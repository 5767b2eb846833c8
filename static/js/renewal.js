// Skips an htmx swap while a control in the swapped part is pressed: a click needs press and release
// on the same element. The next swap follows a few seconds later.

document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.matches(":active")) event.detail.shouldSwap = false;
});

// Safari on phones sets :active only if the page listens to touches.
document.addEventListener("touchstart", () => {}, { passive: true });
