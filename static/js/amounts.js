// Buttons that fill in the amount of a form; without JavaScript it is typed.

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-amount]");
  if (!button) return;
  const amount = button.form.elements.amount;
  amount.value = button.dataset.amount;
  amount.focus();
});
