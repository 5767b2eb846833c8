-- Tables partitioned by month, so that old months can be archived as a whole
-- (docs/adr/0013-old-months-leave-the-database.md). Partitions are in a separate schema: rights, guards and the
-- schema record belong to the partitioned table, and a new month changes none of them. Only the owner may access
-- a partition directly; all other access goes through the table and its rights.
CREATE SCHEMA IF NOT EXISTS months;

-- Turn a new, empty table into one partitioned by month, which Django cannot create. The column of the day is added
-- to the primary key; unique constraints of the model must contain it.
CREATE OR REPLACE FUNCTION core_partition_by_month(p_table regclass, p_day text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    -- By name, because the table of this key is replaced.
    monthly CONSTANT text := p_table::text;
    plain CONSTANT text := monthly || '_plain';
    counter CONSTANT text := pg_get_serial_sequence(monthly, 'id');
    keys CONSTANT text[] := (
        SELECT array_agg(CASE
            WHEN i.indisprimary THEN format('ALTER TABLE %I ADD CONSTRAINT %I PRIMARY KEY (id, %I)', monthly, c.conname, p_day)
            WHEN c.oid IS NOT NULL THEN format('ALTER TABLE %I ADD CONSTRAINT %I %s', monthly, c.conname,
                pg_get_constraintdef(c.oid))
            ELSE pg_get_indexdef(i.indexrelid) END)
        FROM pg_index AS i LEFT JOIN pg_constraint AS c ON c.conindid = i.indexrelid AND c.conrelid = i.indrelid
        WHERE i.indrelid = p_table);
    key text;
BEGIN
    EXECUTE format('ALTER TABLE %I RENAME TO %I', monthly, plain);
    EXECUTE format('ALTER SEQUENCE %s RENAME TO %I', counter, plain || '_id_seq');
    -- No identity column: partitioned tables support them only since PostgreSQL 17.
    EXECUTE format('CREATE SEQUENCE %s', counter);
    EXECUTE format('CREATE TABLE public.%I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE (%I)',
        monthly, plain, p_day);
    EXECUTE format('ALTER TABLE %I ALTER COLUMN id SET DEFAULT nextval(%L)', monthly, counter);
    EXECUTE format('ALTER SEQUENCE %s OWNED BY %I.id', counter, monthly);
    EXECUTE format('DROP TABLE %I', plain);
    FOREACH key IN ARRAY keys LOOP
        EXECUTE key;
    END LOOP;
END
$$;

-- Return the partitioned tables, each with its partitioning column.
CREATE OR REPLACE FUNCTION core_monthly_tables() RETURNS TABLE (relation regclass, day name)
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT p.partrelid::regclass, a.attname
    FROM pg_partitioned_table AS p JOIN pg_class AS c ON c.oid = p.partrelid
    JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
    WHERE c.relnamespace = 'public'::regnamespace
$$;

-- Return the name of a month's partition.
CREATE OR REPLACE FUNCTION core_month_name(p_table regclass, p_month date) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT format('months.%I', p_table::text || to_char(p_month, '_YYYY_MM'))
$$;

-- Guard a partition against TRUNCATE of the partition itself, which does not fire its table's triggers.
CREATE OR REPLACE FUNCTION core_guard_month(p_table regclass, p_partition text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    guard text;
BEGIN
    SELECT pg_get_triggerdef(oid) INTO guard FROM pg_trigger WHERE tgrelid = p_table AND tgname = 'not_emptied';
    IF FOUND THEN
        EXECUTE regexp_replace(guard, ' ON \S+ ', format(' ON %s ', p_partition));
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION core_make_month(p_table regclass, p_month date) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    made CONSTANT text := core_month_name(p_table, p_month);
BEGIN
    EXECUTE format('CREATE TABLE %s PARTITION OF %s FOR VALUES FROM (%L) TO (%L)',
        made, p_table, p_month, (p_month + interval '1 month')::date);
    PERFORM core_guard_month(p_table, made);
END
$$;

-- Create the default partition for rows of days without a month's partition, so that inserts never fail.
CREATE OR REPLACE FUNCTION core_make_rest(p_table regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    made CONSTANT text := format('months.%I', p_table::text || '_rest');
BEGIN
    EXECUTE format('CREATE TABLE %s PARTITION OF %s DEFAULT', made, p_table);
    PERFORM core_guard_month(p_table, made);
END
$$;

-- Move rows from the default partition to new partitions of their months.
CREATE OR REPLACE FUNCTION core_share_out_rest(p_table regclass, p_day text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    rest CONSTANT text := format('months.%I', p_table::text || '_rest');
    found date;
BEGIN
    EXECUTE format('ALTER TABLE %s DETACH PARTITION %s', p_table, rest);
    EXECUTE format('ALTER TABLE %s RENAME TO shared_out', rest);
    PERFORM core_make_rest(p_table);
    FOR found IN EXECUTE format('SELECT DISTINCT date_trunc(''month'', %I)::date FROM months.shared_out', p_day) LOOP
        IF to_regclass(core_month_name(p_table, found)) IS NULL THEN
            PERFORM core_make_month(p_table, found);
        END IF;
    END LOOP;
    EXECUTE format('INSERT INTO %s SELECT * FROM months.shared_out', p_table);
    SET CONSTRAINTS ALL IMMEDIATE;
    DROP TABLE months.shared_out;
END
$$;

-- Create partitions of this month and the next ones for every partitioned table; return their names. It waits at
-- most half a second for a lock; the caller tries again.
CREATE OR REPLACE FUNCTION core_make_months(p_ahead integer) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '500ms' AS $$
DECLARE
    monthly record;
    has_rest bool;
    due date;
BEGIN
    IF p_ahead NOT BETWEEN 0 AND 36 THEN
        RAISE EXCEPTION '% months ahead', p_ahead USING ERRCODE = 'numeric_value_out_of_range';
    END IF;
    FOR monthly IN SELECT * FROM core_monthly_tables() LOOP
        IF to_regclass(format('months.%I', monthly.relation::text || '_rest')) IS NULL THEN
            PERFORM core_make_rest(monthly.relation);
        END IF;
        EXECUTE format('SELECT EXISTS (SELECT 1 FROM months.%I)', monthly.relation::text || '_rest') INTO has_rest;
        IF has_rest THEN
            PERFORM core_share_out_rest(monthly.relation, monthly.day);
        END IF;
        FOR due IN
            SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') + n * interval '1 month')::date
            FROM generate_series(0, p_ahead) AS n
        LOOP
            CONTINUE WHEN to_regclass(core_month_name(monthly.relation, due)) IS NOT NULL;
            PERFORM core_make_month(monthly.relation, due);
            RETURN NEXT core_month_name(monthly.relation, due);
        END LOOP;
    END LOOP;
END
$$;

-- An archived month is restored in four steps, each a transaction, so that the table and the tables it refers to are
-- locked only briefly: a draft beside the table is filled, gets its foreign keys, is checked, and is attached.
CREATE OR REPLACE FUNCTION core_draft_month(p_table regclass, p_day text, p_month date) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    made CONSTANT text := core_month_name(p_table, p_month);
BEGIN
    IF EXISTS (SELECT FROM pg_inherits WHERE inhrelid = to_regclass(made)) THEN
        RAISE EXCEPTION '% has the month % already', p_table, p_month USING ERRCODE = 'duplicate_table';
    END IF;
    EXECUTE format('DROP TABLE IF EXISTS %s', made);
    EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)', made, p_table);
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT of_its_month CHECK (%I >= %L AND %I < %L)',
        made, p_day, p_month, p_day, (p_month + interval '1 month')::date);
END
$$;

CREATE OR REPLACE FUNCTION core_tie_month(p_table regclass, p_month date) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '5s' AS $$
DECLARE
    link record;
BEGIN
    FOR link IN SELECT conname, pg_get_constraintdef(oid) AS words FROM pg_constraint
        WHERE conrelid = p_table AND contype = 'f'
    LOOP
        EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s NOT VALID',
            core_month_name(p_table, p_month), link.conname, link.words);
    END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION core_check_month(p_table regclass, p_month date) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    made CONSTANT text := core_month_name(p_table, p_month);
    link name;
BEGIN
    FOR link IN SELECT conname FROM pg_constraint WHERE conrelid = made::regclass AND contype = 'f' LOOP
        EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT %I', made, link);
    END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION core_attach_month(p_table regclass, p_month date) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '5s' AS $$
DECLARE
    made CONSTANT text := core_month_name(p_table, p_month);
BEGIN
    EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)',
        p_table, made, p_month, (p_month + interval '1 month')::date);
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT of_its_month', made);
    PERFORM core_guard_month(p_table, made);
END
$$;

GRANT EXECUTE ON FUNCTION core_make_months(integer), core_monthly_tables() TO rummy_app;

-- Only the owner writes records of archived months; a record changes once, when its month is restored.
CREATE TRIGGER restored_once BEFORE UPDATE ON core_archivedmonth
FOR EACH ROW WHEN (OLD.restored_at IS NOT NULL
    OR (OLD.id, OLD.relation, OLD.month, OLD.row_count, OLD.file, OLD.sha256, OLD.archived_at)
    IS DISTINCT FROM (NEW.id, NEW.relation, NEW.month, NEW.row_count, NEW.file, NEW.sha256, NEW.archived_at))
EXECUTE FUNCTION core_refuse_rewriting('what was archived stays on record');
SELECT core_never_delete('core_archivedmonth', 'what was archived stays on record');
REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON core_archivedmonth FROM rummy_app;
