-- core.db.audit_entries
-- What staff have done stays as it was written, for the owner of the schema too.
CREATE FUNCTION core_refuse_rewriting() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% on % is refused: %', TG_OP, TG_TABLE_NAME, TG_ARGV[0]
        USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON core_auditentry
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('acts of staff stay on record');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON core_auditentry
    EXECUTE FUNCTION core_refuse_rewriting('acts of staff stay on record');
-- The application does not even get to ask.
REVOKE UPDATE, DELETE, TRUNCATE ON core_auditentry FROM rummy_app;
