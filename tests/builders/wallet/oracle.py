"""A model of the ledger in plain Python, to compare with the database."""

from __future__ import annotations

from dataclasses import dataclass, field

Lines = tuple[tuple[str, int], ...]


@dataclass
class OracleAccount:
    currency: str
    floor: int | None
    is_escrow: bool = False
    status: str = "open"
    amounts: list[int] = field(default_factory=list)

    @property
    def balance(self) -> int:
        return sum(self.amounts)


@dataclass
class Oracle:
    accounts: dict[str, OracleAccount]
    bodies: dict[str, tuple[object, ...]] = field(default_factory=dict)
    lines: dict[str, Lines] = field(default_factory=dict)

    def post(self, key: str, kind: str, lines: Lines, must_be_empty: tuple[str, ...]) -> str:
        """Return "posted", "replayed" or the code of the refusal, and move the money."""
        names = [name for name, _ in lines]
        if len(lines) < 2:
            return "too_few_entries"
        if any(amount == 0 for _, amount in lines):
            return "zero_amount"
        body = (kind, frozenset(lines), frozenset(must_be_empty))
        if key in self.bodies:
            return "replayed" if self.bodies[key] == body else "key_conflict"
        if len(set(names)) < len(names):
            return "repeated_account"
        refusal = self._refusal(lines, must_be_empty)
        if refusal:
            return refusal
        self._write(key, body, lines, must_be_empty)
        return "posted"

    def reverse(self, key: str) -> str:
        if key not in self.bodies or key.startswith("reverse:"):
            return "not_reversible"
        if any(self.accounts[name].is_escrow for name, _ in self.lines[key]):
            return "not_reversible"
        opposite = tuple((name, -amount) for name, amount in self.lines[key])
        if f"reverse:{key}" in self.bodies:
            return "replayed"
        refusal = self._refusal(opposite, ())
        if refusal:
            return refusal
        self._write(f"reverse:{key}", ("reversal",), opposite, ())
        return "posted"

    def _refusal(self, lines: Lines, must_be_empty: tuple[str, ...]) -> str:
        pairs = [(self.accounts[name], amount) for name, amount in lines]
        moved = dict(lines)
        sums: dict[str, int] = {}
        for account, amount in pairs:
            sums[account.currency] = sums.get(account.currency, 0) + amount
        checks = {
            "account_closed": any(account.status == "closed" for account, _ in pairs),
            "unbalanced": any(sums.values()),
            "account_frozen": any(a.status == "frozen" and amount < 0 for a, amount in pairs),
            "insufficient_funds": any(
                a.floor is not None and amount < 0 and a.balance + amount < a.floor
                for a, amount in pairs
            ),
            "not_empty": any(
                self.accounts[name].balance + moved.get(name, 0) for name in must_be_empty
            ),
        }
        return next((code for code, is_refused in checks.items() if is_refused), "")

    def _write(
        self, key: str, body: tuple[object, ...], lines: Lines, must_be_empty: tuple[str, ...]
    ) -> None:
        self.bodies[key], self.lines[key] = body, lines
        for name, amount in lines:
            account = self.accounts[name]
            account.amounts.append(amount)
            if account.is_escrow and name in must_be_empty:
                account.status = "closed"
