// Buttons that fill the amount of a form in; without scripts the amount is typed.

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-amount]");
  if (!button) return;
  const amount = button.form.elements.amount;
  amount.value = button.dataset.amount;
  amount.focus();
});
