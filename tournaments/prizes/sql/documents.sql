-- The check of a transfer against tables, tournaments and seasons, called at COMMIT by wallet/ledger/sql/documents.sql. Each
-- query uses an index.

-- Return the error of a transfer of a game, or NULL if it is valid.
CREATE OR REPLACE FUNCTION games_transfer_lacks(t wallet_transfer) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
DECLARE
    escrow bigint;
    game text;
    the_table bigint;
    tournament record;
    season record;
    stake record;
    bought boolean;
    added numeric;
    given jsonb;
    other bigint;
BEGIN
    IF t.document = 'ticket' THEN
        RETURN CASE WHEN NOT EXISTS (
            SELECT FROM tournaments_ticketrefund AS r
            JOIN tournaments_ticket AS k ON k.id = r.ticket_id
            JOIN wallet_entry AS e ON e.transfer_id = t.id AND e.account_id = k.account_id
            WHERE r.transfer_id = t.id AND r.status = 'approved' AND r.amount_minor = -e.amount_minor
                AND wallet_was_decided('tournaments.ticketrefund', r.id, r.made_by_id,
                    r.checked_by_id, ARRAY[k.player_id])
        ) AND NOT ledger_is_trial() THEN 'two members of staff have not decided it' END;
    END IF;

    SELECT a.id, a.ref INTO escrow, game
    FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id AND a.kind = 'escrow'
    WHERE e.transfer_id = t.id;
    IF game ~ '^table:[0-9a-f-]{36}$' THEN
        the_table := tables_of_escrow(substr(game, 7), escrow);
    END IF;
    SELECT id, overlay_minor, guarantee_minor INTO tournament
    FROM tournaments_tournament WHERE escrow_account_id = escrow;
    SELECT s.id, s.overlay_minor, (SELECT sum(pool) FROM unnest(s.pools_minor) AS pool) AS guarantee_minor
    INTO season FROM tournaments_season AS s WHERE s.escrow_account_id = escrow;

    IF t.document = 'guarantee' THEN
        SELECT coalesce(sum(e.amount_minor), 0) INTO added
        FROM wallet_entry AS e JOIN wallet_transfer AS g ON g.id = e.transfer_id
        WHERE e.account_id = escrow AND g.document = 'guarantee';
        RETURN CASE
            WHEN tournament.id IS NULL AND season.id IS NULL THEN 'no tournament has this escrow'
            WHEN added > coalesce(tournament.guarantee_minor, season.guarantee_minor)
                OR added <> coalesce(tournament.overlay_minor, season.overlay_minor) THEN
                format('the ledger has an overlay of %s, the tournament %s of a guarantee of %s',
                    added, coalesce(tournament.overlay_minor, season.overlay_minor),
                    coalesce(tournament.guarantee_minor, season.guarantee_minor)) END;
    ELSIF the_table IS NULL AND tournament.id IS NULL AND season.id IS NULL THEN
        RETURN CASE WHEN NOT ledger_is_trial() THEN 'no table and no tournament has this escrow' END;
    ELSIF t.kind = 'buy_in' THEN
        SELECT id, player_id INTO stake FROM wallet_stake WHERE transfer_id = t.id;
        IF tournament.id IS NULL THEN
            bought := tables_seat_was_bought(the_table, stake.id, stake.player_id);
        ELSE
            bought := EXISTS (
                SELECT FROM tournaments_entry
                WHERE stake.id IN (stake_id, addon_stake_id) AND player_id = stake.player_id AND tournament_id = tournament.id);
            bought := bought OR tables_rejoin_was_bought(escrow, stake.id, stake.player_id);
        END IF;
        RETURN CASE WHEN bought IS NOT TRUE THEN 'no seat or entry was bought with it' END;
    ELSIF t.kind = 'prize' THEN
        given := tables_prizes(the_table);
        SELECT paid.player_id INTO other
        FROM (
            SELECT a.player_id, sum(e.amount_minor) AS minor
            FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id
            WHERE e.transfer_id = t.id AND a.player_id IS NOT NULL GROUP BY a.player_id
        ) AS paid
        WHERE paid.minor <> coalesce(
            (given ->> paid.player_id::text)::numeric,
            (SELECT sum(n.prize_minor) FROM tournaments_entry AS n
             WHERE n.tournament_id = tournament.id AND n.player_id = paid.player_id),
            (SELECT o.prize_minor FROM tournaments_outcome AS o
             WHERE o.season_id = season.id AND o.player_id = paid.player_id),
            0)
        LIMIT 1;
        RETURN CASE WHEN other IS NOT NULL THEN
            format('the results give player %s another amount', other) END;
    END IF;
    RETURN NULL;
END
$$;
