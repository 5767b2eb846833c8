-- The objects of the schema at its last migration: written by `migrate`, compared by the audit
-- (wallet/audit/schema_record.py). Append-only, and sealed through its versions.
CREATE TABLE IF NOT EXISTS wallet_schemarecord (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The hash of each object by name.
    objects jsonb NOT NULL
);
REVOKE ALL ON wallet_schemarecord FROM PUBLIC, rummy_app;
GRANT SELECT ON wallet_schemarecord TO rummy_app;
REVOKE ALL ON SEQUENCE wallet_schemarecord_id_seq FROM PUBLIC, rummy_app;
CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_schemarecord
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('records of the schema are append-only');
CREATE OR REPLACE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_schemarecord
    EXECUTE FUNCTION wallet_refuse_rewriting('records of the schema are append-only');
SELECT wallet_watch('wallet_schemarecord');
SELECT wallet_watch('wallet_installation');
