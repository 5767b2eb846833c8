-- Refuse to change or delete a row, also for the owner of the schema. The trigger's argument is the reason.
CREATE FUNCTION core_refuse_rewriting() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% on % is refused: %', TG_OP, TG_TABLE_NAME, TG_ARGV[0]
        USING ERRCODE = 'restrict_violation';
END
$$;

-- Keep every row of a table: a trigger refuses deletions, and the application has no right to delete.
CREATE FUNCTION core_never_delete(p_table regclass, p_reason text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    EXECUTE format(
        'REVOKE DELETE, TRUNCATE ON %1$s FROM rummy_app;
         CREATE TRIGGER kept BEFORE DELETE ON %1$s FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting(%2$L);
         CREATE TRIGGER not_emptied BEFORE TRUNCATE ON %1$s EXECUTE FUNCTION core_refuse_rewriting(%2$L)',
        p_table, p_reason);
END
$$;

-- Keep every row of a table as it was inserted.
CREATE FUNCTION core_append_only(p_table regclass, p_reason text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    EXECUTE format(
        'REVOKE UPDATE, DELETE, TRUNCATE ON %1$s FROM rummy_app;
         CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON %1$s
             FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting(%2$L);
         CREATE TRIGGER not_emptied BEFORE TRUNCATE ON %1$s EXECUTE FUNCTION core_refuse_rewriting(%2$L)',
        p_table, p_reason);
END
$$;

-- Keep every row of a table, and all its columns but those named, which the application may update; none of them
-- once `p_final` is true of the row.
CREATE FUNCTION core_change_only(
    p_table regclass, p_columns text[], p_reason text, p_final text DEFAULT 'false'
) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM core_never_delete(p_table, p_reason);
    EXECUTE (
        SELECT format(
            'REVOKE UPDATE ON %1$s FROM rummy_app;
             GRANT UPDATE (%2$s) ON %1$s TO rummy_app;
             CREATE TRIGGER keeps_its_terms BEFORE UPDATE ON %1$s
                 FOR EACH ROW WHEN (%3$s OR (%4$s) IS DISTINCT FROM (%5$s))
                 EXECUTE FUNCTION core_refuse_rewriting(%6$L)',
            p_table, array_to_string(p_columns, ', '), p_final,
            string_agg(format('OLD.%I', attname), ', ' ORDER BY attname),
            string_agg(format('NEW.%I', attname), ', ' ORDER BY attname), p_reason)
        FROM pg_attribute
        WHERE attrelid = p_table AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
            AND attname <> ALL (p_columns));
END
$$;

SELECT core_append_only('core_auditentry', 'acts of staff stay on record');
