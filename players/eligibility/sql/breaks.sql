-- A break is never shortened, lifted or deleted.
REVOKE UPDATE, DELETE, TRUNCATE ON players_break FROM rummy_app;

CREATE OR REPLACE TRIGGER stays BEFORE UPDATE OR DELETE ON players_break
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('a break is not lifted early');
CREATE OR REPLACE TRIGGER not_emptied BEFORE TRUNCATE ON players_break
    EXECUTE FUNCTION core_refuse_rewriting('a break is not lifted early');
