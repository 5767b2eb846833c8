-- Triggers that bind every role, including the schema's owner. Each refusal is an integrity error.

CREATE FUNCTION wallet_refuse_rewriting() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% on % is refused: %', TG_OP, TG_TABLE_NAME, TG_ARGV[0]
        USING ERRCODE = 'restrict_violation';
END
$$;

-- Transfers and entries are append-only.
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_transfer
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('the ledger is append-only');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_transfer
    EXECUTE FUNCTION wallet_refuse_rewriting('the ledger is append-only');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_entry
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('the ledger is append-only');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_entry
    EXECUTE FUNCTION wallet_refuse_rewriting('the ledger is append-only');

-- New accounts have a zero balance.
CREATE TRIGGER starts_empty BEFORE INSERT ON wallet_account
    FOR EACH ROW WHEN (NEW.balance_minor <> 0 OR NEW.version <> 0 OR NEW.status <> 'open')
    EXECUTE FUNCTION wallet_refuse_rewriting('an account opens empty');
CREATE TRIGGER kept BEFORE DELETE ON wallet_account
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('accounts are closed, not deleted');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_account
    EXECUTE FUNCTION wallet_refuse_rewriting('accounts are closed, not deleted');

-- A balance changes one entry at a time, by the entry's amount, to the entry's `balance_after`.
CREATE FUNCTION wallet_balances_follow_entries() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    drifting bigint;
BEGIN
    SELECT after.id INTO drifting
    FROM before JOIN after ON after.id = before.id
    LEFT JOIN wallet_entry AS e ON e.account_id = after.id AND e.account_version = after.version
    WHERE (after.balance_minor <> before.balance_minor OR after.version <> before.version)
        AND (after.version = before.version + 1
             AND e.amount_minor = after.balance_minor - before.balance_minor
             AND e.balance_after_minor = after.balance_minor) IS NOT TRUE
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'the balance of account % may only follow an entry', drifting
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER follows_entries AFTER UPDATE ON wallet_account
    REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION wallet_balances_follow_entries();

-- A closed day is never reopened or deleted.
CREATE TRIGGER closes_once BEFORE UPDATE ON wallet_bookedday
    FOR EACH ROW WHEN (OLD.closed_at IS NOT NULL OR NEW.day <> OLD.day)
    EXECUTE FUNCTION wallet_refuse_rewriting('a closed day stays closed');
CREATE TRIGGER kept BEFORE DELETE ON wallet_bookedday
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('days stay on record');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_bookedday
    EXECUTE FUNCTION wallet_refuse_rewriting('days stay on record');

-- Foreign keys are checked immediately, not at COMMIT.
DO $$
DECLARE
    link record;
BEGIN
    FOR link IN
        SELECT conrelid::regclass AS held_by, conname FROM pg_constraint
        WHERE contype = 'f' AND condeferrable AND conrelid IN (
            'wallet_account'::regclass, 'wallet_transfer'::regclass, 'wallet_entry'::regclass,
            'wallet_stake'::regclass, 'wallet_stakepart'::regclass, 'wallet_stakepartchange'::regclass)
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER CONSTRAINT %I NOT DEFERRABLE', link.held_by, link.conname);
    END LOOP;
END
$$;

-- Free space on each page for the next version of a balance, so that updates are HOT and touch no index.
ALTER TABLE wallet_account SET (fillfactor = 50);
