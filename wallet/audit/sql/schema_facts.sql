-- The objects of the schema that protect the ledger, each with a hash of its definition and rights. The audit runs
-- this text itself: a database function could be replaced together with the others.
WITH
-- A right as grantee, privilege and grant option. The owner's rights are left out, as are casts and parentheses of
-- conditions below: a restored backup has another owner, and PostgreSQL writes a parsed condition with fewer of
-- them.
granted AS MATERIALIZED (
    SELECT of.class, of.oid, string_agg(
        format('%s %s %s', coalesce(r.rolname, 'PUBLIC'), a.privilege_type, a.is_grantable), ', '
        ORDER BY r.rolname, a.privilege_type, a.is_grantable) AS rights
    FROM (
        SELECT 'relation' AS class, oid, relowner AS owner,
            coalesce(relacl, acldefault(CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", relowner)) AS acl
        FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
        UNION ALL
        SELECT 'function', oid, proowner, coalesce(proacl, acldefault('f', proowner))
        FROM pg_proc WHERE pronamespace = 'public'::regnamespace
        UNION ALL
        SELECT 'schema', oid, nspowner, nspacl FROM pg_namespace WHERE nspname = 'public'
    ) AS of
    CROSS JOIN LATERAL aclexplode(of.acl) AS a
    LEFT JOIN pg_roles AS r ON r.oid = a.grantee
    WHERE a.grantee <> of.owner
    GROUP BY 1, 2
),
stated (object, definition) AS (
    SELECT 'function ' || p.oid::regprocedure, concat_ws(' ',
        pg_get_functiondef(p.oid), g.rights, pg_has_role('rummy_app', p.proowner, 'USAGE'))
    FROM pg_proc AS p LEFT JOIN granted AS g ON g.class = 'function' AND g.oid = p.oid
    WHERE p.pronamespace = 'public'::regnamespace AND p.prokind <> 'a'
        AND NOT EXISTS (SELECT FROM pg_depend AS d
            WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
    UNION ALL
    SELECT format('trigger %s on %s', t.tgname, t.tgrelid::regclass), concat_ws(' ', pg_get_triggerdef(t.oid), t.tgenabled)
    FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
    WHERE c.relnamespace = 'public'::regnamespace AND NOT t.tgisinternal
    UNION ALL
    -- Those of tables and of domains. Includes a foreign key's own triggers, which can be disabled too.
    SELECT format('constraint %s on %s', c.conname,
        CASE c.conrelid WHEN 0 THEN c.contypid::regtype::text ELSE c.conrelid::regclass::text END), concat_ws(' ',
        pg_get_constraintdef(c.oid), c.convalidated,
        (SELECT bool_and(t.tgenabled = 'O') FROM pg_trigger AS t WHERE t.tgconstraint = c.oid))
    FROM pg_constraint AS c WHERE c.connamespace = 'public'::regnamespace AND c.contype NOT IN ('n', 't')
    UNION ALL
    SELECT format('unique index %s', i.indexrelid::regclass), concat_ws(' ',
        pg_get_indexdef(i.indexrelid), i.indisvalid)
    FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
    WHERE c.relnamespace = 'public'::regnamespace AND i.indisunique
    UNION ALL
    SELECT format('table %s', c.oid::regclass), concat_ws(' ',
        c.relkind, c.relpersistence, c.relrowsecurity, c.relforcerowsecurity,
        pg_has_role('rummy_app', c.relowner, 'USAGE'), g.rights,
        (SELECT string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
                a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid), CASE WHEN a.attacl IS NOT NULL THEN (
                    SELECT string_agg(format('%s %s %s', r.rolname, x.privilege_type, x.is_grantable), ', '
                        ORDER BY r.rolname, x.privilege_type)
                    FROM aclexplode(a.attacl) AS x LEFT JOIN pg_roles AS r ON r.oid = x.grantee
                    WHERE x.grantee <> c.relowner) END), ', ' ORDER BY a.attname)
            FROM pg_attribute AS a
            LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
            WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
        (SELECT string_agg(pg_get_ruledef(r.oid), ' ' ORDER BY r.rulename) FROM pg_rewrite AS r WHERE r.ev_class = c.oid),
        (SELECT string_agg(concat_ws(' ', p.polname, p.polcmd, p.polpermissive, pg_get_expr(p.polqual, p.polrelid),
            pg_get_expr(p.polwithcheck, p.polrelid)), ' ' ORDER BY p.polname) FROM pg_policy AS p WHERE p.polrelid = c.oid))
    FROM pg_class AS c LEFT JOIN granted AS g ON g.class = 'relation' AND g.oid = c.oid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
    UNION ALL
    -- All months of a partitioned table are equal, however many there are; one that differs is reported.
    SELECT format('months of %s', relation), string_agg(DISTINCT facts, ' ')
    FROM (
        SELECT h.inhparent::regclass AS relation, concat_ws(' ', c.relkind, c.relpersistence, c.relacl,
            pg_has_role('rummy_app', c.relowner, 'USAGE'),
            (SELECT string_agg(concat_ws(' ', t.tgname, t.tgtype, t.tgenabled, t.tgfoid::regproc), ', '
                    ORDER BY t.tgname)
                FROM pg_trigger AS t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal),
            (SELECT string_agg(concat_ws(' ', pg_get_constraintdef(k.oid), k.convalidated,
                    (SELECT bool_and(t.tgenabled = 'O') FROM pg_trigger AS t WHERE t.tgconstraint = k.oid)), ', '
                    ORDER BY pg_get_constraintdef(k.oid))
                FROM pg_constraint AS k WHERE k.conrelid = c.oid AND k.contype NOT IN ('n', 't')),
            (SELECT string_agg(concat_ws(' ', i.indkey, i.indisunique, i.indisvalid), ', ' ORDER BY i.indkey::text)
                FROM pg_index AS i WHERE i.indrelid = c.oid)) AS facts
        FROM pg_inherits AS h JOIN pg_class AS c ON c.oid = h.inhrelid
        JOIN pg_class AS p ON p.oid = h.inhparent AND p.relkind = 'p'
    ) AS month
    GROUP BY relation
    UNION ALL
    SELECT 'schema public', (SELECT rights FROM granted WHERE class = 'schema')
    UNION ALL
    SELECT format('event trigger %s', evtname), concat_ws(' ', evtevent, evtenabled, evtfoid::regproc, evttags)
    FROM pg_event_trigger
    UNION ALL
    -- The application's role, the groups of its logins, and the roles they are members of.
    SELECT format('role %s', r.rolname), concat_ws(' ', r.rolsuper, r.rolcreaterole, r.rolcreatedb, r.rolreplication,
        r.rolbypassrls, (SELECT string_agg(m.roleid::regrole::text, ' ' ORDER BY m.roleid::regrole::text)
            FROM pg_auth_members AS m WHERE m.member = r.oid))
    FROM pg_roles AS r WHERE r.rolname ~ '^rummy_app(_web|_settle|_intake)?$'
    UNION ALL
    -- The settings with which each login of the application starts: any login may set them for itself
    -- (ALTER ROLE … SET), which PostgreSQL does not refuse. With its oid, so that a login that replaces another
    -- one, or one on a server where a backup is restored, counts as never recorded.
    SELECT format('login settings of %s (%s)', r.rolname, r.oid), concat_ws(' ', (
            SELECT string_agg(set, ', ' ORDER BY set) FROM pg_db_role_setting AS s, unnest(s.setconfig) AS set
            WHERE s.setrole = r.oid
                AND s.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
        ), r.rolcreaterole, r.rolcreatedb, r.rolreplication, r.rolbypassrls, of.groups)
    FROM pg_roles AS r CROSS JOIN LATERAL (
        SELECT string_agg(g.rolname, ' ' ORDER BY g.rolname) AS groups FROM pg_roles AS g
        WHERE g.rolname ~ '^rummy_app_(web|settle|intake)$' AND pg_has_role(r.oid, g.oid, 'MEMBER')
    ) AS of
    WHERE r.rolcanlogin AND NOT r.rolsuper AND of.groups IS NOT NULL AND NOT pg_has_role(
        r.oid, (SELECT relowner FROM pg_class WHERE oid = 'public.wallet_schemarecord'::regclass), 'MEMBER')
    UNION ALL
    -- Tests and benchmarks post without documents, in databases marked as demos.
    SELECT format('policy %s of %s', p.document, p.kind), p::text
    FROM wallet_policy AS p
    WHERE p.document <> '' OR NOT EXISTS (SELECT FROM wallet_installation WHERE is_demo)
)

SELECT object, encode(sha256(convert_to(CASE
    WHEN object ~ '^(function|policy) ' THEN definition
    ELSE translate(CASE  -- Regular expressions are slow, and most have no cast.
        WHEN strpos(definition, '::') > 0
        THEN regexp_replace(definition, '::[a-z" ]+(\(\d+\))?(\[\])?', '', 'g')
        ELSE coalesce(definition, '')
        END, E'() \t\n\r\f\v', '')
    END, 'UTF8')), 'hex') AS hash
FROM stated
