-- Accounts are frozen and thawed by staff actions; the last one determines the account's status.

-- Return what is wrong with an account's status, or NULL if a staff action explains it. The account's own player
-- cannot take that action.
CREATE OR REPLACE FUNCTION wallet_status_lacks(p_account bigint) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off AS $$
DECLARE
    account wallet_account;
    last record;
BEGIN
    SELECT * INTO account FROM wallet_account WHERE id = p_account;
    SELECT act, by_id INTO last FROM wallet_accountfreeze
    WHERE account_id = p_account ORDER BY id DESC LIMIT 1;
    IF account.status NOT IN ('open', 'frozen') THEN
        RETURN NULL;
    ELSIF account.status = 'frozen' AND last.act IS DISTINCT FROM 'freeze'
        OR account.status = 'open' AND last.act IS DISTINCT FROM 'thaw'
    THEN
        RETURN format('is %s, without a staff action', account.status);
    ELSIF NOT wallet_staff_act(
        'wallet.account', account.id, last.by_id, last.act, ARRAY[account.player_id])
    THEN
        RETURN format('is %s by a person without the right', account.status);
    END IF;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION wallet_frozen_by_staff() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    lacking CONSTANT text := wallet_status_lacks(NEW.id);
BEGIN
    IF lacking IS NOT NULL THEN
        RAISE EXCEPTION 'account % %', NEW.id, lacking USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER frozen_by_staff AFTER UPDATE OF status ON wallet_account
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.status <> NEW.status AND 'frozen' IN (OLD.status, NEW.status))
    EXECUTE FUNCTION wallet_frozen_by_staff();

SELECT core_append_only('wallet_accountfreeze', 'staff actions are kept');
