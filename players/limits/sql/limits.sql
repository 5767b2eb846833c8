-- Players' own limits are append-only: the next replaces the last.
REVOKE UPDATE, DELETE, TRUNCATE ON players_ownlimit FROM rummy_app;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON players_ownlimit
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('own limits are append-only');
