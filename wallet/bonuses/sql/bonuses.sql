-- Guards of bonuses: the terms of a lot are immutable, and the lots of an account sum to its balance.

-- Only the remainder of a lot changes.
SELECT core_change_only('wallet_bonusgrant', '{remaining_minor}',
    'a bonus keeps its terms');
SELECT core_append_only('wallet_bonusmovement', 'movements of bonuses are append-only');
SELECT core_change_only('wallet_bonusrequest', '{status, checked_by_id, checked_at, grant_id}',
    'a request is decided once and never rewritten', 'OLD.status <> ''requested''');

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
