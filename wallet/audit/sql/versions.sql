-- Versions of rows that concern money or results, written by a trigger in the transaction that writes the row.
-- Versions are append-only and sealed with the transfers, so the audit can compare a row with its last version and
-- name the altered column.

-- The trigger. Its arguments are the key's column, a rule and columns: `only` those are stored, or all `but` those.
-- Then, for rows with a final state: a column, its final values, and the columns stored as well once it has one of
-- them; last, columns stored only as hashes. Values are stored as text; long ones (a gateway's message, an
-- encrypted bank account) and those of the hashed columns (a secret, an e-mail address) as their SHA-256.
CREATE OR REPLACE FUNCTION wallet_record_version() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET timezone = 'UTC' SET bytea_output = 'hex' AS $$
DECLARE
    written jsonb;
    kept text[] := TG_ARGV[2];
    hashed text[] := '{}';
BEGIN
    IF TG_OP = 'DELETE' THEN
        written := to_jsonb(OLD);
    ELSE
        written := to_jsonb(NEW);
    END IF;
    IF TG_NARGS > 3 AND written ->> TG_ARGV[3] = ANY (TG_ARGV[4]::text[]) THEN
        kept := kept || TG_ARGV[5]::text[];
    END IF;
    IF TG_NARGS > 6 THEN
        hashed := TG_ARGV[6];
    END IF;
    INSERT INTO wallet_rowversion (xid, relation, row_key, act, facts)
    SELECT pg_current_xact_id()::text::bigint, TG_TABLE_NAME, written ->> TG_ARGV[0], lower(TG_OP),
        jsonb_object_agg(f.key, CASE WHEN length(f.value) > 64 OR f.key = ANY (hashed)
            THEN 'sha256:' || encode(sha256(convert_to(f.value, 'UTF8')), 'hex') ELSE f.value END)
    FROM jsonb_each_text(written) AS f
    WHERE (f.key = ANY (kept)) = (TG_ARGV[1] = 'only');
    RETURN NULL;
END
$$;

-- Return the statement that reads the facts to store of a table's current rows: (row_key, facts). `p_args` are the
-- trigger's arguments; with `p_all` the columns of rows in a final state are included.
CREATE OR REPLACE FUNCTION wallet_present_facts(p_table regclass, p_args text[], p_all boolean)
RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT format(
        'SELECT r.%I::text AS row_key, (
            SELECT jsonb_object_agg(f.key, CASE WHEN length(f.value) > 64 OR f.key = ANY (%L::text[])
                THEN ''sha256:'' || encode(sha256(convert_to(f.value, ''UTF8'')), ''hex'') ELSE f.value END)
            FROM jsonb_each_text(%s) AS f WHERE (f.key = ANY (%s)) = %L) AS facts
        FROM %s AS r',
        p_args[1], coalesce(nullif(p_args[7], ''), '{}'),
        -- Columns not stored are not read either: documents are megabytes.
        CASE p_args[2] WHEN 'only' THEN (
            SELECT format('jsonb_build_object(%s)',
                string_agg(format('%1$L, r.%1$I', a.attname), ', ' ORDER BY a.attnum))
            FROM pg_attribute AS a
            WHERE a.attrelid = p_table AND a.attnum > 0 AND NOT a.attisdropped
                AND a.attname = ANY (p_args[3]::text[] || coalesce(nullif(p_args[6], ''), '{}')::text[])
        ) ELSE 'to_jsonb(r)' END,
        CASE WHEN coalesce(p_args[4], '') = '' THEN format('%L::text[]', p_args[3])
            ELSE format('CASE WHEN %s THEN %L::text[] ELSE %L::text[] END',
                CASE WHEN p_all THEN 'true' ELSE format('r.%I = ANY (%L::text[])', p_args[4], p_args[5]) END,
                (p_args[3]::text[] || p_args[6]::text[])::text, p_args[3]) END,
        p_args[2] = 'only', p_table)
$$;

-- Store versions of a table from now on, beginning with one of each current row.
--
-- `but` excludes columns that change without meaning; `only` stores a few columns of a table that is written often,
-- whose other updates then cost nothing. `p_changing` names those of the few that can change. Once column `p_over`
-- has one of the values `p_ends`, that column and `p_then` are stored too. Of `p_hashed` only the SHA-256 is
-- stored, however short the value is.
CREATE OR REPLACE FUNCTION wallet_watch(
    p_table regclass, p_rule text DEFAULT 'but', p_columns text[] DEFAULT '{}',
    p_changing text[] DEFAULT NULL, p_key text DEFAULT 'id',
    p_over text DEFAULT NULL, p_ends text[] DEFAULT NULL, p_then text[] DEFAULT NULL, p_hashed text[] DEFAULT NULL
) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    changing text[] := coalesce(p_changing, CASE p_rule WHEN 'only' THEN p_columns END);
    ending CONSTANT text[] := p_over || p_then;
    arguments CONSTANT text := format('%L, %L, %L', p_key, p_rule, p_columns::text)
        || CASE WHEN p_over IS NULL AND p_hashed IS NULL THEN ''
            ELSE format(', %L, %L, %L', coalesce(p_over, ''), coalesce(p_ends, '{}'),
                CASE WHEN p_over IS NULL THEN '{}' ELSE ending::text END) END
        || CASE WHEN p_hashed IS NULL THEN '' ELSE format(', %L', p_hashed) END;
    named text;
    altered text;
BEGIN
    IF p_rule = 'only' THEN
        SELECT 'OF ' || string_agg(quote_ident(name), ', '),
            format('(%s) IS DISTINCT FROM (%s)',
                string_agg(format('OLD.%I', name), ', '), string_agg(format('NEW.%I', name), ', '))
        INTO named, altered FROM unnest(changing) AS name;
        IF p_over IS NOT NULL THEN
            SELECT named || ', ' || string_agg(quote_ident(name), ', '),
                format('%1$s OR (OLD.%2$I = ANY (%3$L) OR NEW.%2$I = ANY (%3$L)) AND (%4$s) IS DISTINCT FROM (%5$s)',
                    altered, p_over, p_ends, string_agg(format('OLD.%I', name), ', '),
                    string_agg(format('NEW.%I', name), ', '))
            INTO named, altered FROM unnest(ending) AS name WHERE name <> ALL (changing);
        END IF;
    ELSIF p_rule = 'but' THEN
        altered := format('to_jsonb(OLD) - %1$L::text[] IS DISTINCT FROM to_jsonb(NEW) - %1$L::text[]', p_columns);
    ELSE
        RAISE EXCEPTION 'the rule must be "but" or "only", not %', p_rule;
    END IF;
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER versions_kept AFTER INSERT OR DELETE ON %s
         FOR EACH ROW EXECUTE FUNCTION wallet_record_version(%s)', p_table, arguments);
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER versions_kept_of_changes AFTER UPDATE %s ON %s
         FOR EACH ROW WHEN (%s) EXECUTE FUNCTION wallet_record_version(%s)',
        named, p_table, altered, arguments);
    PERFORM wallet_adopt(p_table);
END
$$;

-- Record the rows of a watched table that differ from their last version: after a migration that altered them, and
-- never to make an audit pass. Of a deleted row only the deletion is recorded.
CREATE OR REPLACE FUNCTION wallet_adopt(p_table regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
SET timezone = 'UTC' SET bytea_output = 'hex' AS $$
DECLARE
    args CONSTANT text[] := (
        SELECT string_to_array(encode(tgargs, 'escape'), '\000') FROM pg_trigger
        WHERE tgrelid = p_table AND tgname = 'versions_kept');
BEGIN
    EXECUTE format(
        'INSERT INTO wallet_rowversion (xid, relation, row_key, act, facts)
         SELECT pg_current_xact_id()::text::bigint, %1$L, coalesce(now.row_key, last.row_key),
             CASE WHEN now.row_key IS NULL THEN ''delete'' ELSE ''adopt'' END, coalesce(now.facts, ''{}'')
         FROM (%2$s) AS now FULL JOIN (%3$s) AS last ON last.row_key = now.row_key
         WHERE CASE WHEN now.row_key IS NULL THEN last.act <> ''delete''
             ELSE (last.facts = now.facts AND last.act <> ''delete'') IS NOT TRUE END',
        p_table::text, wallet_present_facts(p_table, args, false),
        wallet_last_versions(p_table::text));
END
$$;

-- Return the statement that reads the last version of each row of a table, or of rows with a version since a
-- database transaction.
CREATE OR REPLACE FUNCTION wallet_last_versions(p_relation text, p_since bigint DEFAULT 0) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT format(
        'SELECT DISTINCT ON (row_key) row_key, act, facts FROM wallet_rowversion
         WHERE relation = %L %s ORDER BY row_key, id DESC',
        p_relation, CASE WHEN p_since > 0 THEN format('AND xid >= %s', p_since) ELSE '' END)
$$;

-- Compare the rows of every watched table with their last versions: (check, subject, detail). A column missing in
-- the version or in the table is not compared. With the run that a shorter audit builds on, only rows with a version
-- since `p_since` and those with later keys than that run found are compared; in small tables without numeric keys
-- all rows.
CREATE OR REPLACE FUNCTION wallet_audit_versions(p_since bigint DEFAULT 0, p_run bigint DEFAULT 0)
RETURNS TABLE ("check" text, subject text, detail text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp
SET timezone = 'UTC' SET bytea_output = 'hex' AS $$
DECLARE
    watched record;
    is_filled bool;
    since bigint;
    only_new text;
BEGIN
    FOR watched IN
        SELECT w.relation, w.args, k.newest
        FROM (
            SELECT t.tgrelid::regclass AS relation,
                string_to_array(encode(t.tgargs, 'escape'), '\000') AS args
            FROM pg_trigger AS t WHERE t.tgname = 'versions_kept'
        ) AS w
        LEFT JOIN wallet_auditedtable AS k ON k.run_id = p_run AND k.relation = w.relation::text
        ORDER BY w.relation::text
    LOOP
        since := CASE WHEN watched.newest IS NULL THEN 0 ELSE p_since END;
        only_new := CASE WHEN watched.newest IS NULL THEN '' ELSE format(
            'WHERE r.%1$I IN (
                 SELECT row_key::bigint FROM wallet_rowversion WHERE relation = %2$L AND xid >= %3$s
                 UNION SELECT %1$I FROM %2$s WHERE %1$I > %4$s)',
            watched.args[1], watched.relation::text, since, watched.newest) END;
        EXECUTE format(
            'SELECT EXISTS (SELECT FROM %1$s WHERE %3$s)
                 OR EXISTS (SELECT FROM wallet_rowversion WHERE relation = %2$L AND xid >= %4$s)',
            watched.relation, watched.relation::text,
            CASE WHEN watched.newest IS NULL THEN 'true' ELSE format('%I > %s', watched.args[1], watched.newest) END,
            since) INTO is_filled;
        CONTINUE WHEN NOT is_filled;
        RETURN QUERY EXECUTE format(
            'SELECT CASE
                 WHEN now.row_key IS NULL THEN ''row_deleted''
                 WHEN last.row_key IS NULL OR last.act = ''delete'' THEN ''row_unrecorded''
                 ELSE ''row_rewritten'' END,
                 %1$L || '' '' || coalesce(now.row_key, last.row_key),
                 CASE
                 WHEN now.row_key IS NULL THEN ''is missing, but no version records its deletion''
                 WHEN last.row_key IS NULL OR last.act = ''delete'' THEN ''has no version''
                 ELSE altered.differences END
             FROM (%2$s %4$s) AS now FULL JOIN (%3$s) AS last ON last.row_key = now.row_key
             CROSS JOIN LATERAL (
                 SELECT string_agg(format(''%%s is %%s, was %%s'', f.key, coalesce(now.facts ->> f.key, ''null''),
                     coalesce(f.value, ''null'')), ''; '' ORDER BY f.key) AS differences
                 FROM jsonb_each_text(last.facts) AS f
                 WHERE NOT now.facts @> last.facts AND now.facts ? f.key
                     AND now.facts ->> f.key IS DISTINCT FROM f.value
             ) AS altered
             WHERE now.row_key IS NULL AND last.act <> ''delete'' OR last.row_key IS NULL
                 OR now.row_key IS NOT NULL AND last.act = ''delete'' OR altered.differences IS NOT NULL',
            watched.relation::text,
            wallet_present_facts(watched.relation, watched.args, true),
            wallet_last_versions(watched.relation::text, since), only_new);
    END LOOP;
END
$$;

GRANT EXECUTE ON FUNCTION
    wallet_audit_versions(bigint, bigint), wallet_last_versions(text, bigint), wallet_present_facts(regclass, text[], boolean)
TO rummy_app;

-- Only their trigger writes versions, and they are kept.
REVOKE ALL ON wallet_rowversion FROM PUBLIC, rummy_app;
GRANT SELECT ON wallet_rowversion TO rummy_app;
REVOKE ALL ON SEQUENCE wallet_rowversion_id_seq FROM PUBLIC, rummy_app;
SELECT core_append_only('wallet_rowversion', 'versions of rows stay on record');
