// A part of a page that renews itself is left alone while one of its controls is pressed: a click
// needs press and release on the same element. The next renewal comes a few seconds later.

document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.matches(":active")) event.detail.shouldSwap = false;
});

// Safari on phones sets :active only where somebody listens to touches.
document.addEventListener("touchstart", () => {}, { passive: true });
