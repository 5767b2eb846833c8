-- What the checks of a transfer's documents read from tables at COMMIT (tournaments/prizes/sql/documents.sql). The
-- functions run as their owner: the ledger's on one server. Where tables are distributed it is the application's role,
-- because a node lets only the role that wrote rows in a transaction read them (tables/models/sql/distribution.sql).
-- That role could then drop these functions, so that posting fails, or change their search path; it may not create
-- objects for them to find, not even temporary ones. Each function is a look-up by an index.

-- Return the table with this address and this escrow; no row if there is none.
CREATE FUNCTION tables_of_escrow(p_address text, p_escrow bigint) RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    found_id bigint;
BEGIN
    -- Addresses are on other nodes than tables, so a statement names one or the other.
    SELECT table_id INTO found_id FROM public.tables_address WHERE public_id = p_address::pg_catalog.uuid;
    SELECT id INTO found_id FROM public.tables_table WHERE id = found_id AND escrow_account_id = p_escrow;
    RETURN found_id;
END
$$;

-- Return whether a player bought a seat at a table with this stake.
CREATE FUNCTION tables_seat_was_bought(p_table bigint, p_stake bigint, p_player bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM public.tables_buyin AS b JOIN public.tables_seat AS s ON s.table_id = b.table_id AND s.id = b.seat_id
        WHERE b.table_id = p_table AND b.stake_id = p_stake AND s.player_id = p_player);
END
$$;

-- Return whether a player rejoined with this stake at one of a tournament's tables; the tournament's escrow does
-- not record which one.
CREATE FUNCTION tables_rejoin_was_bought(p_escrow bigint, p_stake bigint, p_player bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM public.tables_buyin AS b
        JOIN public.tables_seat AS s ON s.table_id = b.table_id AND s.id = b.seat_id
        JOIN public.tables_table AS g ON g.id = b.table_id
        WHERE b.stake_id = p_stake AND s.player_id = p_player AND g.rejoin_account_id = p_escrow);
END
$$;

-- Return the prizes in a table's results, in minor units by the player's key; no rows if it has no results.
CREATE FUNCTION tables_prizes(p_table bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN (
        SELECT jsonb_object_agg(won.player_id, won.minor)
        FROM (
            SELECT s.player_id, sum(r.prize_minor) AS minor
            FROM public.tables_seat AS s JOIN public.tables_result AS r ON r.table_id = s.table_id AND r.seat_id = s.id
            WHERE s.table_id = p_table GROUP BY s.player_id
        ) AS won);
END
$$;
