-- The hash of the first migrations and SQL that made this database (core/db/made_by.py), in one row.
-- `migrate` creates the table before the first migration; core/db/sql/roles.sql lets the application read it.
CREATE TABLE IF NOT EXISTS public.core_schemahash (
    id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
    hash text NOT NULL
);
