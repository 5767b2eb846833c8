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
SELECT core_append_only('wallet_schemarecord', 'records of the schema are append-only');
SELECT wallet_watch('wallet_schemarecord');
SELECT wallet_watch('wallet_installation');
