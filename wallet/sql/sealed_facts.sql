-- The facts behind a transfer are sealed with it; those from before they were columns keep the hash they had.
CREATE OR REPLACE FUNCTION ledger_transfer_hash(t wallet_transfer, p_entries text) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE
RETURN sha256(convert_to(
    ROW(t.id, t.public_id, t.key, t.fingerprint, t.kind, t.entry_count, t.reverses_id,
        t.memo, t.actor, t.xid, t.booked_on, t.effective_at, t.created_at)::text
    || CASE WHEN (t.emptied, t.document_id, t.deal) IS NULL AND t.document = '' AND t.game = '' THEN ''
        ELSE ROW(t.document, t.document_id, t.game, t.deal, t.emptied)::text END
    || coalesce(p_entries, ''), 'UTF8'));
-- The audit asks it of what is not sealed yet.
GRANT EXECUTE ON FUNCTION
    ledger_fits_its_fingerprint(wallet_transfer, bigint[], bigint[]),
    ledger_fingerprint(
        text, bigint[], bigint[], bigint[], timestamptz, bigint, text, bigint, text, integer)
TO rummy_app;

-- What a transfer may move is no less worth a version than the transfers.
ALTER TABLE wallet_policy ADD COLUMN IF NOT EXISTS name text GENERATED ALWAYS AS (kind || ':' || document) STORED;
SELECT wallet_watch('wallet_policy', p_key => 'name');
