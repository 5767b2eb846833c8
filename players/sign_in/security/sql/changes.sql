-- Account changes hold withdrawals, so they are immutable, and cannot be deleted while they count. A closed account has
-- nothing to withdraw, so its changes, which contain addresses, may be deleted.
REVOKE UPDATE, TRUNCATE ON players_accountchange FROM rummy_app;
GRANT UPDATE (unsent, mail_tries) ON players_accountchange TO rummy_app;
CREATE OR REPLACE FUNCTION players_keep_recent_change() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF OLD.at > ledger_now() - interval '30 days'
        AND EXISTS (SELECT FROM players_user AS u WHERE u.id = OLD.player_id AND u.is_active)
    THEN
        RAISE EXCEPTION 'DELETE on players_accountchange is refused: change % is younger than 30 days', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$;
CREATE OR REPLACE TRIGGER kept_while_recent BEFORE DELETE ON players_accountchange
    FOR EACH ROW EXECUTE FUNCTION players_keep_recent_change();

-- A change must notify each verified address of the account, including one removed by the same transaction, except an
-- address that this change added.
CREATE OR REPLACE FUNCTION players_notify_of_change() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    missing text;
BEGIN
    SELECT known.hashed INTO missing
    FROM (
        SELECT 'sha256:' || encode(sha256(convert_to(lower(e.email), 'UTF8')), 'hex') AS hashed
        FROM account_emailaddress AS e
        WHERE e.user_id = NEW.player_id AND e.verified
            AND NOT (NEW.kind IN ('email_added', 'email_verified', 'email_primary') AND lower(e.email) = lower(NEW.subject))
        UNION
        SELECT v.facts ->> 'email' FROM wallet_rowversion AS v
        WHERE v.xid = pg_current_xact_id()::text::bigint AND v.relation = 'account_emailaddress' AND v.act = 'delete'
            AND v.facts ->> 'user_id' = NEW.player_id::text AND v.facts ->> 'verified' = 'true'
    ) AS known
    WHERE known.hashed NOT IN (
        SELECT 'sha256:' || encode(sha256(convert_to(lower(u), 'UTF8')), 'hex') FROM unnest(NEW.unsent) AS u)
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'INSERT on players_accountchange is refused: a verified address of player % is not notified',
            NEW.player_id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER is_written_about BEFORE INSERT ON players_accountchange
    FOR EACH ROW EXECUTE FUNCTION players_notify_of_change();

-- A verified address and its account never change; it is removed, and another is added.
REVOKE TRUNCATE ON account_emailaddress FROM rummy_app;
CREATE OR REPLACE TRIGGER stays_verified BEFORE UPDATE ON account_emailaddress
    FOR EACH ROW WHEN (
        OLD.user_id <> NEW.user_id OR OLD.email <> NEW.email OR OLD.verified AND NOT NEW.verified)
    EXECUTE FUNCTION core_refuse_rewriting('an address is added, verified and removed, not changed');

-- A token is immutable.
REVOKE UPDATE, TRUNCATE ON players_playertoken FROM rummy_app;
GRANT UPDATE (last_used_at) ON players_playertoken TO rummy_app;
