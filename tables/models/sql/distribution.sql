-- Distribute the tables of games over the nodes of a Citus cluster, by the key of the game's table
-- (docs/adr/0009-keys-for-distribution-and-partitions.md). Run once, by `manage.py distribute_tables`.
SET LOCAL citus.enable_unsafe_triggers = on;
SET LOCAL citus.multi_shard_modify_mode = 'sequential';
-- Later migrations alter many tables in one transaction, and `migrate` grants privileges on all of them.
DO $$
BEGIN
    EXECUTE format('ALTER DATABASE %I SET citus.multi_shard_modify_mode = ''sequential''', current_database());
    EXECUTE format('ALTER DATABASE %I SET citus.enable_unsafe_triggers = on', current_database());
END
$$;

CREATE TEMPORARY TABLE placed (name text PRIMARY KEY, key text) ON COMMIT DROP;
-- Tables with a key are distributed by it; tables without one are replicated to every node.
INSERT INTO placed VALUES
    ('tables_table', 'id'), ('tables_seat', 'table_id'), ('tables_deal', 'table_id'),
    ('tables_window', 'table_id'), ('tables_dealseat', 'table_id'), ('tables_dealsecret', 'table_id'),
    ('tables_move', 'table_id'), ('tables_score', 'table_id'), ('tables_elimination', 'table_id'),
    ('tables_answer', 'table_id'), ('tables_result', 'table_id'), ('tables_buyin', 'table_id'),
    ('tables_clientseed', 'table_id'), ('tables_reveal', 'table_id'), ('tables_seatorigin', 'table_id'),
    ('tables_ruleprofile', NULL), ('tables_tabletemplate', NULL), ('tables_heartbeat', NULL),
    ('tables_outage', NULL), ('players_playername', NULL);

-- Foreign keys between distributed and other tables are dropped: the audit checks them (`reference_lost`).
-- Those from tables to rules and templates are restored below, when both are placed.
DO $$
DECLARE
    link record;
BEGIN
    FOR link IN
        SELECT c.conrelid::regclass AS held, c.conname
        FROM pg_constraint AS c
        LEFT JOIN placed AS holding ON holding.name = c.conrelid::regclass::text
        LEFT JOIN placed AS named ON named.name = c.confrelid::regclass::text
        WHERE c.contype = 'f' AND c.conparentid = 0
            AND ((holding.name IS NULL) <> (named.name IS NULL)
                OR holding.key IS NOT NULL AND named.name IS NOT NULL AND named.key IS NULL
                -- A rematch is placed by its own key, not beside the game before it.
                OR c.conrelid = 'tables_table'::regclass AND c.confrelid = c.conrelid)
    LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', link.held, link.conname);
    END LOOP;
END
$$;

-- A trigger runs on its row's node and cannot read rows elsewhere. Triggers that read only their own row are kept.
DO $$
DECLARE
    reaching record;
BEGIN
    FOR reaching IN
        SELECT t.tgrelid::regclass AS held, t.tgname FROM pg_trigger AS t JOIN placed ON name = t.tgrelid::regclass::text
        WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND t.tgfoid IN (
            'wallet_record_version'::regproc, 'tables_refuse_a_late_score'::regproc,
            'tables_refuse_a_late_elimination'::regproc,
            'tables_refuse_a_late_answer'::regproc, 'tables_refuse_after_the_end'::regproc, 'tables_keep_moves_of_the_deal'::regproc,
            'tables_refuse_late_client_seed'::regproc, 'tables_refuse_early_or_other_seed'::regproc)
    LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', reaching.tgname, reaching.held);
    END LOOP;
END
$$;

-- A primary or unique key must contain the distribution key; for tables themselves that is the primary key. Other
-- unique columns of tables only get an index: they are random, or unique through another table's key.
DO $$
DECLARE
    old record;
    columns text;
BEGIN
    FOR old IN
        SELECT i.indexrelid::regclass AS name, i.indrelid::regclass AS held, p.key, i.indisprimary, c.conname,
            -- The index of each partition is created with that of its partitioned table.
            replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') AS definition
        FROM pg_index AS i JOIN placed AS p ON p.name = i.indrelid::regclass::text AND p.key IS NOT NULL
        LEFT JOIN pg_constraint AS c ON c.conindid = i.indexrelid AND c.contype IN ('p', 'u')
        WHERE i.indisunique AND NOT EXISTS (
            SELECT FROM pg_attribute AS a
            WHERE a.attrelid = i.indrelid AND a.attname = p.key AND a.attnum = ANY (i.indkey))
    LOOP
        IF old.conname IS NULL THEN
            EXECUTE format('DROP INDEX %s', old.name);
        ELSE
            EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', old.held, old.conname);
        END IF;
        IF old.key = 'id' THEN
            EXECUTE replace(old.definition, 'CREATE UNIQUE INDEX', 'CREATE INDEX');
        ELSIF old.indisprimary THEN
            columns := substring(old.definition FROM 'USING btree \((.*)\)');
            EXECUTE format('ALTER TABLE %s ADD PRIMARY KEY (%I, %s)', old.held, old.key, columns);
        ELSE
            EXECUTE replace(old.definition, 'USING btree (', format('USING btree (%I, ', old.key));
        END IF;
    END LOOP;
END
$$;

SELECT create_reference_table(name::regclass) FROM placed WHERE key IS NULL;
SELECT create_distributed_table('tables_table', 'id');
-- Tables that are referenced by others come first.
SELECT create_distributed_table(name::regclass, key, colocate_with => 'tables_table')
FROM placed WHERE name IN ('tables_seat', 'tables_deal');
SELECT create_distributed_table('tables_window', 'table_id', colocate_with => 'tables_table');
SELECT create_distributed_table(name::regclass, key, colocate_with => 'tables_table')
FROM placed WHERE key = 'table_id' AND name NOT IN ('tables_seat', 'tables_deal', 'tables_window');

ALTER TABLE tables_table ADD CONSTRAINT tables_table_profile_is_there
    FOREIGN KEY (profile_id) REFERENCES tables_ruleprofile (id);
ALTER TABLE tables_table ADD CONSTRAINT tables_table_template_is_there
    FOREIGN KEY (template_id) REFERENCES tables_tabletemplate (id);

-- At COMMIT the ledger's owner queries tables about a transfer; a node lets only the role that wrote rows in a
-- transaction read them there. So these functions run as the application's role, which owns them from now on.
DO $$
DECLARE
    question regprocedure;
BEGIN
    GRANT CREATE ON SCHEMA public TO rummy_app;
    FOR question IN
        SELECT oid FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname IN (
            'tables_of_escrow', 'tables_seat_was_bought', 'tables_rejoin_was_bought', 'tables_prizes')
    LOOP
        EXECUTE format('ALTER FUNCTION %s OWNER TO rummy_app', question);
    END LOOP;
    REVOKE CREATE ON SCHEMA public FROM rummy_app;
END
$$;
