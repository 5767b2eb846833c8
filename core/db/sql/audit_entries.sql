-- Audit entries cannot be changed or deleted, not even by the owner of the schema.
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
-- The application has no right to try.
REVOKE UPDATE, DELETE, TRUNCATE ON core_auditentry FROM rummy_app;
