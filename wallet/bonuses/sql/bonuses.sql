-- Guards of bonuses: the terms of a lot are immutable, and the lots of an account sum to its balance.

REVOKE UPDATE, DELETE, TRUNCATE
ON wallet_bonusgrant, wallet_bonusmovement, wallet_bonusrequest FROM rummy_app;
GRANT UPDATE (remaining_minor) ON wallet_bonusgrant TO rummy_app;
GRANT UPDATE (status, checked_by_id, checked_at, grant_id) ON wallet_bonusrequest TO rummy_app;

-- Foreign keys are checked immediately, not at COMMIT, as elsewhere in the ledger.
DO $$
DECLARE
    link record;
BEGIN
    FOR link IN
        SELECT conrelid::regclass AS held_by, conname FROM pg_constraint
        WHERE contype = 'f' AND condeferrable AND conrelid IN (
            'wallet_bonusgrant'::regclass, 'wallet_bonusmovement'::regclass,
            'wallet_bonusrequest'::regclass, 'wallet_stakepart'::regclass)
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER CONSTRAINT %I NOT DEFERRABLE', link.held_by, link.conname);
    END LOOP;
END
$$;

-- Only the remainder of a lot changes.
CREATE TRIGGER keeps_its_terms BEFORE UPDATE ON wallet_bonusgrant
    FOR EACH ROW WHEN (
        (OLD.id, OLD.public_id, OLD.account_id, OLD.transfer_id, OLD.mode, OLD.amount_minor,
         OLD.release_bps, OLD.reason, OLD.granted_by_id, OLD.granted_at, OLD.expires_at)
        IS DISTINCT FROM
        (NEW.id, NEW.public_id, NEW.account_id, NEW.transfer_id, NEW.mode, NEW.amount_minor,
         NEW.release_bps, NEW.reason, NEW.granted_by_id, NEW.granted_at, NEW.expires_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('a bonus keeps its terms');
CREATE TRIGGER kept BEFORE DELETE ON wallet_bonusgrant
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('bonuses stay on record');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_bonusgrant
    EXECUTE FUNCTION wallet_refuse_rewriting('bonuses stay on record');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_bonusmovement
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('movements of bonuses are append-only');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_bonusmovement
    EXECUTE FUNCTION wallet_refuse_rewriting('movements of bonuses are append-only');
CREATE TRIGGER decided_once BEFORE UPDATE ON wallet_bonusrequest
    FOR EACH ROW WHEN (
        OLD.status <> 'requested'
        OR (OLD.player_id, OLD.currency, OLD.amount_minor, OLD.mode, OLD.release_bps,
            OLD.term_days, OLD.reason, OLD.made_by_id, OLD.made_at)
        IS DISTINCT FROM
           (NEW.player_id, NEW.currency, NEW.amount_minor, NEW.mode, NEW.release_bps,
            NEW.term_days, NEW.reason, NEW.made_by_id, NEW.made_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('a request is decided once and never rewritten');
CREATE TRIGGER kept BEFORE DELETE ON wallet_bonusrequest
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('staff actions are kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_bonusrequest
    EXECUTE FUNCTION wallet_refuse_rewriting('staff actions are kept');

-- A lot is in the account of its mode, so it is never both spent and released.
CREATE FUNCTION wallet_bonus_fits_its_account() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM FROM wallet_account WHERE id = NEW.account_id
        AND kind = CASE NEW.mode WHEN 'spend' THEN 'bonus' WHEN 'release' THEN 'locked_bonus' END;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a bonus of mode % cannot be in account %', NEW.mode, NEW.account_id
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER fits_its_account BEFORE INSERT ON wallet_bonusgrant
    FOR EACH ROW EXECUTE FUNCTION wallet_bonus_fits_its_account();

-- At COMMIT the lots of an account sum to its balance, and the movements of a lot to its remainder. A posting to a
-- bonus account without movements of lots is refused. The lock on the account, which every posting holds until
-- COMMIT, keeps both sides consistent.
CREATE FUNCTION wallet_bonus_adds_up() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    account bigint;
    lot bigint;
    held bigint;
    lots bigint;
BEGIN
    IF TG_TABLE_NAME = 'wallet_account' THEN
        account := NEW.id;
    ELSE
        account := NEW.account_id;
        lot := NEW.id;
    END IF;
    SELECT a.balance_minor, coalesce(sum(g.remaining_minor), 0) INTO held, lots
    FROM wallet_account AS a
    LEFT JOIN wallet_bonusgrant AS g ON g.account_id = a.id AND g.remaining_minor > 0
    WHERE a.id = account GROUP BY a.id;
    IF held <> lots THEN
        RAISE EXCEPTION 'account % holds %, its bonuses add up to %', account, held, lots
            USING ERRCODE = 'check_violation';
    END IF;
    IF lot IS NOT NULL THEN
        SELECT g.remaining_minor, coalesce(sum(m.amount_minor), 0) INTO held, lots
        FROM wallet_bonusgrant AS g LEFT JOIN wallet_bonusmovement AS m ON m.grant_id = g.id
        WHERE g.id = lot GROUP BY g.id;
        IF held <> lots THEN
            RAISE EXCEPTION 'bonus % has %, its movements add up to %', lot, held, lots
                USING ERRCODE = 'check_violation';
        END IF;
    END IF;
    RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER bonuses_add_up AFTER UPDATE ON wallet_account
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.kind LIKE '%bonus')
    EXECUTE FUNCTION wallet_bonus_adds_up();
CREATE CONSTRAINT TRIGGER adds_up AFTER INSERT OR UPDATE ON wallet_bonusgrant
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION wallet_bonus_adds_up();

-- At COMMIT a transfer's movements of an account's lots equal its entry on that account.
CREATE FUNCTION wallet_bonus_follows_entry() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    moved bigint;
    posted bigint;
BEGIN
    SELECT sum(m.amount_minor) INTO moved
    FROM wallet_bonusmovement AS m JOIN wallet_bonusgrant AS g ON g.id = m.grant_id
    WHERE m.transfer_id = NEW.transfer_id
        AND g.account_id = (SELECT account_id FROM wallet_bonusgrant WHERE id = NEW.grant_id);
    SELECT e.amount_minor INTO posted
    FROM wallet_entry AS e JOIN wallet_bonusgrant AS g ON g.account_id = e.account_id
    WHERE e.transfer_id = NEW.transfer_id AND g.id = NEW.grant_id;
    IF moved IS DISTINCT FROM posted THEN
        RAISE EXCEPTION 'bonuses moved by %, transfer % by %', moved, NEW.transfer_id, posted
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER follows_entry AFTER INSERT ON wallet_bonusmovement
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION wallet_bonus_follows_entry();

REVOKE ALL ON FUNCTION
    wallet_bonus_fits_its_account(), wallet_bonus_adds_up(), wallet_bonus_follows_entry()
FROM PUBLIC, rummy_app;
