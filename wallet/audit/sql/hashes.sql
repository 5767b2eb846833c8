-- The text of a transfer and its entries for hashing, shared by seals and the audit. Short enough to be inlined into
-- statements.
CREATE FUNCTION ledger_entry_text(e wallet_entry) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN ROW(e.id, e.account_id, e.currency, e.booked_on, e.amount_minor, e.balance_after_minor,
    e.account_version)::text;

CREATE FUNCTION ledger_transfer_hash(t wallet_transfer, p_entries text) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE
RETURN sha256(convert_to(
    ROW(t.id, t.public_id, t.key, t.fingerprint, t.kind, t.entry_count, t.reverses_id, t.memo, t.actor, t.xid,
        t.booked_on, t.effective_at, t.created_at, t.document, t.document_id, t.game, t.deal, t.emptied)::text
    || coalesce(p_entries, ''), 'UTF8'));

GRANT EXECUTE ON FUNCTION
    ledger_entry_text(wallet_entry), ledger_transfer_hash(wallet_transfer, text)
TO rummy_app;
