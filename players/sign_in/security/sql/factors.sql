-- A second factor stays its account's, and its secret stays as it was; recovery codes are used up one by one in their row,
-- and one that is used stays so.
REVOKE UPDATE, TRUNCATE ON mfa_authenticator FROM rummy_app;
GRANT UPDATE (data, last_used_at) ON mfa_authenticator TO rummy_app;
CREATE OR REPLACE TRIGGER stays_as_set_up BEFORE UPDATE ON mfa_authenticator
    FOR EACH ROW WHEN (
        (OLD.id, OLD.user_id, OLD.type, OLD.created_at) IS DISTINCT FROM (NEW.id, NEW.user_id, NEW.type, NEW.created_at)
        OR OLD.data - '{used_mask,viewed_at}'::text[] IS DISTINCT FROM NEW.data - '{used_mask,viewed_at}'::text[]
        OR (OLD.data ->> 'used_mask')::bigint & (NEW.data ->> 'used_mask')::bigint
        IS DISTINCT FROM (OLD.data ->> 'used_mask')::bigint)
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
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('staff actions are kept');
