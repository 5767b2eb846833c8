-- Python has no infinite dates and no years outside 1 to 9999, so rows with such dates could not be read. The
-- bounds leave a margin for time zones and terms.
DO $$
DECLARE
    written record;
BEGIN
    FOR written IN
        SELECT c.oid::regclass AS name, string_agg(
            format('ADD CONSTRAINT %1$I CHECK (%2$I BETWEEN %3$L::%5$s AND %4$L::%5$s)', a.attname || '_is_finite',
                a.attname, '1000-01-01 00:00+00', '9000-01-01 00:00+00', format_type(a.atttypid, NULL)), ', ') AS checks
        FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
            AND a.attnum > 0 AND NOT a.attisdropped
            AND a.atttypid IN ('date'::regtype, 'timestamptz'::regtype)
            AND NOT EXISTS (
                SELECT FROM pg_constraint AS k WHERE k.conrelid = c.oid AND k.conname = a.attname || '_is_finite')
        GROUP BY c.oid
    LOOP
        EXECUTE format('ALTER TABLE %s %s', written.name, written.checks);
    END LOOP;
END
$$;
