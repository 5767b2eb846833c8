-- How a transfer and its entries are spelled before they are hashed: one spelling for the seal and for
-- the audit that makes it anew. Small enough to be taken into the statement that asks.
CREATE FUNCTION ledger_entry_told(e wallet_entry) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN ROW(e.id, e.account_id, e.currency, e.amount_minor, e.balance_after_minor,
    e.account_version)::text;

CREATE FUNCTION ledger_transfer_hash(t wallet_transfer, p_entries text) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE
RETURN sha256(convert_to(
    ROW(t.id, t.public_id, t.key, t.fingerprint, t.kind, t.entry_count, t.reverses_id,
        t.memo, t.actor, t.xid, t.booked_on, t.effective_at, t.created_at)::text
    || coalesce(p_entries, ''), 'UTF8'));

-- The settings decide how values are spelled, so that every session finds the same hash.
CREATE OR REPLACE FUNCTION ledger_block_digest(
    p_from bigint, p_to bigint,
    OUT transfers bigint, OUT entries bigint, OUT digest bytea
)
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp
SET timezone = 'UTC' SET datestyle = 'ISO, YMD' SET bytea_output = 'hex' AS $$
    SELECT count(*), coalesce(sum(one.entries), 0)::bigint,
        sha256(coalesce(string_agg(one.hash, ''::bytea ORDER BY one.xid, one.id), ''::bytea))
    FROM (
        SELECT t.id, t.xid, count(e.id) AS entries,
            ledger_transfer_hash(t, string_agg(ledger_entry_told(e), '' ORDER BY e.id)) AS hash
        FROM wallet_transfer AS t LEFT JOIN wallet_entry AS e ON e.transfer_id = t.id
        WHERE t.xid >= p_from AND t.xid < p_to
        GROUP BY t.id
    ) AS one
$$;

-- The audit's statement is shared out among workers.
ALTER FUNCTION ledger_seal_hash(bigint, bigint, bigint, text, bytea) PARALLEL SAFE;

REVOKE ALL ON FUNCTION ledger_entry_told(wallet_entry), ledger_transfer_hash(wallet_transfer, text)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    ledger_entry_told(wallet_entry), ledger_transfer_hash(wallet_transfer, text)
TO rummy_app;
