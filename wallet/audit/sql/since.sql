-- Rows since the audit that a shorter one builds on, for lines of the audit's statements that end with
-- `-- only new`; a full audit removes those lines. The settings are local to its transaction (wallet/audit/audit.py).

-- The first database transaction, transfer and seal after those already audited.
CREATE FUNCTION wallet_new_xid() RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE RETURN current_setting('wallet.audit_xid')::bigint;

CREATE FUNCTION wallet_new_transfer() RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE RETURN current_setting('wallet.audit_transfer')::bigint;

CREATE FUNCTION wallet_new_seal() RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE RETURN current_setting('wallet.audit_seal')::bigint;

-- The run that the audit builds on; 0 for a full audit.
CREATE FUNCTION wallet_audited_run() RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE RETURN current_setting('wallet.audit_run')::bigint;

-- Keys of the rows of a watched table that were inserted, changed or deleted since.
CREATE FUNCTION wallet_new_keys(p_relation text) RETURNS TABLE (key bigint)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT v.row_key::bigint FROM wallet_rowversion AS v WHERE v.xid >= wallet_new_xid() AND v.relation = p_relation;
END;

-- The values of one column in those rows.
CREATE FUNCTION wallet_new_names(p_relation text, p_column text) RETURNS TABLE (name text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT v.facts ->> p_column FROM wallet_rowversion AS v
    WHERE v.xid >= wallet_new_xid() AND v.relation = p_relation;
END;

-- Accounts with new entries, or that were opened, frozen, thawed or closed.
CREATE FUNCTION wallet_new_accounts() RETURNS TABLE (key bigint)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT e.account_id FROM wallet_entry AS e WHERE e.transfer_id >= wallet_new_transfer()
    UNION
    SELECT n.key FROM wallet_new_keys('wallet_account') AS n;
END;

-- Parts of stakes that were inserted or changed since.
CREATE FUNCTION wallet_changed_parts() RETURNS TABLE (key bigint)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT n.key FROM wallet_new_keys('wallet_stakepart') AS n
    UNION SELECT n.name::bigint FROM wallet_new_names('wallet_stakepartchange', 'part_id') AS n;
END;

-- Escrows of the games with changes since.
CREATE FUNCTION wallet_new_escrows() RETURNS TABLE (key bigint)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT a.id FROM wallet_account AS a JOIN wallet_new_accounts() AS n ON n.key = a.id WHERE a.kind = 'escrow'
    UNION
    SELECT n.name::bigint FROM wallet_new_names('wallet_stake', 'escrow_id') AS n
    UNION
    SELECT s.escrow_id FROM wallet_stake AS s WHERE s.id IN (
        SELECT n.name::bigint FROM wallet_new_names('wallet_stakepart', 'stake_id') AS n
        UNION ALL SELECT p.stake_id FROM wallet_stakepart AS p JOIN wallet_changed_parts() AS n ON n.key = p.id
        UNION ALL SELECT n.name::bigint FROM wallet_new_names('wallet_stackchange', 'stake_id') AS n);
END;

-- Balances of each kind of account before all new entries, and the number of their entries.
CREATE FUNCTION wallet_balances_before() RETURNS TABLE (kind text, currency text, balance_minor numeric, entries numeric)
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT a.kind, a.currency, sum(a.balance_minor) - coalesce(sum(e.amount), 0),
        sum(a.version) - coalesce(sum(e.entries), 0)
    FROM wallet_account AS a
    LEFT JOIN (
        SELECT e.account_id, sum(e.amount_minor) AS amount, count(*) AS entries
        FROM wallet_transfer AS t JOIN wallet_entry AS e ON e.transfer_id = t.id
        WHERE t.xid >= wallet_new_xid() AND t.id >= wallet_new_transfer()
        GROUP BY e.account_id
    ) AS e ON e.account_id = a.id
    GROUP BY a.kind, a.currency;
END;

-- The newest key of each watched table with ascending numeric keys.
CREATE FUNCTION wallet_newest_keys() RETURNS TABLE (relation text, newest bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    watched record;
BEGIN
    FOR watched IN
        SELECT t.tgrelid::regclass::text AS name, a.attname AS key
        FROM pg_trigger AS t JOIN pg_attribute AS a ON a.attrelid = t.tgrelid
            AND a.attname = split_part(encode(t.tgargs, 'escape'), '\000', 1) AND a.atttypid = 'bigint'::regtype
        WHERE t.tgname = 'versions_kept' ORDER BY 1
    LOOP
        relation := watched.name;
        EXECUTE format('SELECT coalesce(max(%I), 0) FROM %s', watched.key, watched.name) INTO newest;
        RETURN NEXT;
    END LOOP;
END
$$;

GRANT EXECUTE ON FUNCTION
    wallet_new_xid(), wallet_new_transfer(), wallet_new_seal(), wallet_audited_run(), wallet_new_keys(text),
    wallet_new_names(text, text), wallet_new_accounts(), wallet_changed_parts(), wallet_new_escrows(),
    wallet_balances_before(), wallet_newest_keys()
TO rummy_app;

-- What a clean full audit stores for the shorter ones.
SELECT core_append_only('wallet_auditedbalance', 'audits stay on record');
SELECT core_append_only('wallet_auditedtable', 'audits stay on record');
SELECT wallet_watch('wallet_auditedbalance');
SELECT wallet_watch('wallet_auditedtable');
