-- A second factor, its account and its secret never change. Recovery codes are used one by one in their row, and a used
-- one stays used.
REVOKE UPDATE, TRUNCATE ON mfa_authenticator FROM rummy_app;
GRANT UPDATE (data, last_used_at) ON mfa_authenticator TO rummy_app;
CREATE OR REPLACE TRIGGER stays_as_set_up BEFORE UPDATE ON mfa_authenticator
    FOR EACH ROW WHEN (
        (OLD.id, OLD.user_id, OLD.type, OLD.created_at) IS DISTINCT FROM (NEW.id, NEW.user_id, NEW.type, NEW.created_at)
        OR OLD.data - '{used_mask,viewed_at}'::text[] IS DISTINCT FROM NEW.data - '{used_mask,viewed_at}'::text[]
        OR (OLD.data ->> 'used_mask')::bigint & (NEW.data ->> 'used_mask')::bigint
        IS DISTINCT FROM (OLD.data ->> 'used_mask')::bigint)
    EXECUTE FUNCTION core_refuse_rewriting('a second factor is set up and removed, not changed');

-- An enrolment link is used once, and never deleted.
SELECT core_change_only('players_factorlink', '{used_at}',
    'a link is used once and never rewritten', 'OLD.used_at IS NOT NULL');
