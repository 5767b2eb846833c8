-- A second factor stays its account's, and the secret of an authenticator app stays as it was; recovery codes are
-- ticked off in their row.
REVOKE UPDATE, TRUNCATE ON mfa_authenticator FROM rummy_app;
GRANT UPDATE (data, last_used_at) ON mfa_authenticator TO rummy_app;
CREATE OR REPLACE TRIGGER stays_as_set_up BEFORE UPDATE ON mfa_authenticator
    FOR EACH ROW WHEN (
        (OLD.id, OLD.user_id, OLD.type, OLD.created_at) IS DISTINCT FROM (NEW.id, NEW.user_id, NEW.type, NEW.created_at)
        OR OLD.type = 'totp' AND OLD.data IS DISTINCT FROM NEW.data)
    EXECUTE FUNCTION core_refuse_rewriting('a second factor is set up and removed, not changed');

-- A link by which staff set up a factor is used once, and kept.
REVOKE UPDATE, DELETE, TRUNCATE ON players_factorlink FROM rummy_app;
GRANT UPDATE (used_at) ON players_factorlink TO rummy_app;
CREATE OR REPLACE TRIGGER used_once BEFORE UPDATE ON players_factorlink
    FOR EACH ROW WHEN (
        OLD.used_at IS NOT NULL
        OR (OLD.id, OLD.player_id, OLD.sent_to, OLD.made_by_id, OLD.made_at, OLD.expires_at)
        IS DISTINCT FROM (NEW.id, NEW.player_id, NEW.sent_to, NEW.made_by_id, NEW.made_at, NEW.expires_at))
    EXECUTE FUNCTION core_refuse_rewriting('a link is used once and never rewritten');
CREATE OR REPLACE TRIGGER kept BEFORE DELETE ON players_factorlink
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('acts of staff are kept');

-- A change of an account holds withdrawals back, so that it is not rewritten, and is not forgotten while it counts; an
-- account that is closed has nothing to withdraw, and leaves no address behind.
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
REVOKE ALL ON FUNCTION players_keep_recent_change() FROM PUBLIC, rummy_app;
CREATE OR REPLACE TRIGGER kept_while_recent BEFORE DELETE ON players_accountchange
    FOR EACH ROW EXECUTE FUNCTION players_keep_recent_change();
