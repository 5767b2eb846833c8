-- The subject of a case never changes; its remarks are neither changed nor deleted.
REVOKE UPDATE, DELETE, TRUNCATE ON players_case, players_remark, players_cannedanswer FROM rummy_app;
GRANT UPDATE (owner_id, priority, due_at) ON players_case TO rummy_app;
GRANT UPDATE (title, english, hindi, is_offered) ON players_cannedanswer TO rummy_app;

CREATE OR REPLACE TRIGGER stays BEFORE UPDATE OR DELETE ON players_remark
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('remarks on a case are never changed or deleted');
CREATE OR REPLACE TRIGGER kept BEFORE DELETE ON players_case
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('cases are never deleted');
