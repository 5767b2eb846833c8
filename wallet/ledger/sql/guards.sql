-- Triggers that bind every role, including the schema's owner. Each refusal is an integrity error.

-- Conditions on single columns (kinds.sql).
ALTER TABLE wallet_account ALTER created_at TYPE wallet_moment;
ALTER TABLE wallet_transfer ALTER key TYPE wallet_key, ALTER entry_count TYPE wallet_entry_count,
    ALTER booked_on TYPE wallet_date, ALTER effective_at TYPE wallet_moment, ALTER created_at TYPE wallet_moment;
ALTER TABLE wallet_entry ALTER booked_on TYPE wallet_date, ALTER amount_minor TYPE wallet_amount;

-- Transfers and entries are append-only.
SELECT core_append_only('wallet_transfer', 'the ledger is append-only');
SELECT core_append_only('wallet_entry', 'the ledger is append-only');

-- New accounts have a zero balance.
CREATE TRIGGER starts_empty BEFORE INSERT ON wallet_account
    FOR EACH ROW WHEN (NEW.balance_minor <> 0 OR NEW.version <> 0 OR NEW.status <> 'open')
    EXECUTE FUNCTION core_refuse_rewriting('an account opens empty');
SELECT core_never_delete('wallet_account', 'accounts are closed, not deleted');

-- The owner, ref and floor of an account fit its kind, and its balance is in bounds. Like a constraint, also in
-- sessions that run no other triggers. A posting changes the balance alone, so a condition without a call suffices.
CREATE FUNCTION wallet_account_is_of_its_kind() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NOT wallet_account_fits_its_kind(
        NEW.kind, NEW.player_id, NEW.ref, NEW.floor_minor, NEW.balance_minor, NEW.status)
    THEN
        RAISE EXCEPTION 'account % violates wallet_account_owner_fits_kind', NEW.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER of_its_kind BEFORE INSERT OR UPDATE OF kind, player_id, ref, floor_minor, status ON wallet_account
    FOR EACH ROW EXECUTE FUNCTION wallet_account_is_of_its_kind();
CREATE TRIGGER in_bounds BEFORE UPDATE OF balance_minor ON wallet_account
    FOR EACH ROW WHEN (NEW.balance_minor < NEW.floor_minor OR NEW.balance_minor > 0 AND NEW.kind = 'receivable')
    EXECUTE FUNCTION wallet_account_is_of_its_kind();
ALTER TABLE wallet_account ENABLE ALWAYS TRIGGER of_its_kind;
ALTER TABLE wallet_account ENABLE ALWAYS TRIGGER in_bounds;

-- A balance changes one entry at a time, by the entry's amount, to the entry's `balance_after`. A closed account never
-- changes.
CREATE FUNCTION wallet_balances_follow_entries() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    drifting record;
BEGIN
    SELECT after.id, before.status INTO drifting
    FROM before JOIN after ON after.id = before.id
    LEFT JOIN wallet_entry AS e ON e.account_id = after.id AND e.account_version = after.version
    WHERE before.status = 'closed'
        OR (after.balance_minor <> before.balance_minor OR after.version <> before.version)
        AND (after.version = before.version + 1
             AND e.amount_minor = after.balance_minor - before.balance_minor
             AND e.balance_after_minor = after.balance_minor) IS NOT TRUE
    LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    ELSIF drifting.status = 'closed' THEN
        RAISE EXCEPTION 'a closed account keeps its identity' USING ERRCODE = 'restrict_violation';
    END IF;
    RAISE EXCEPTION 'the balance of account % may only follow an entry', drifting.id
        USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER follows_entries AFTER UPDATE ON wallet_account
    REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION wallet_balances_follow_entries();

-- A closed day is never reopened or deleted.
CREATE TRIGGER closes_once BEFORE UPDATE ON wallet_bookedday
    FOR EACH ROW WHEN (OLD.closed_at IS NOT NULL OR NEW.day <> OLD.day)
    EXECUTE FUNCTION core_refuse_rewriting('a closed day stays closed');
SELECT core_never_delete('wallet_bookedday', 'days stay on record');

-- Check the foreign keys of these tables immediately, not at COMMIT.
CREATE FUNCTION wallet_check_keys_at_once(p_tables regclass[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    link record;
BEGIN
    FOR link IN
        SELECT conrelid::regclass AS held_by, conname FROM pg_constraint
        WHERE contype = 'f' AND condeferrable AND conrelid = ANY (p_tables)
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER CONSTRAINT %I NOT DEFERRABLE', link.held_by, link.conname);
    END LOOP;
END
$$;
SELECT wallet_check_keys_at_once('{wallet_account, wallet_transfer, wallet_entry, wallet_stake, wallet_stakepart,
    wallet_stakepartchange, wallet_bonusgrant, wallet_bonusmovement, wallet_bonusrequest}');

-- Free space on each page for the next version of a balance, so that updates are HOT and touch no index.
ALTER TABLE wallet_account SET (fillfactor = 50);
