-- What tables and tournaments say of a transfer, asked at COMMIT by wallet/ledger/sql/documents.sql, which knows no
-- game. Each question is a look-up by an index.

-- Return what is wrong with the game behind a transfer; nothing where it stands.
CREATE OR REPLACE FUNCTION games_transfer_lacks(t wallet_transfer) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
DECLARE
    escrow bigint;
    the_table bigint;
    tournament record;
    added numeric;
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
        ) AND NOT ledger_is_trial() THEN 'no two members of staff have decided it' END;
    END IF;

    SELECT a.id INTO escrow
    FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id AND a.kind = 'escrow'
    WHERE e.transfer_id = t.id;
    SELECT id INTO the_table FROM tables_table WHERE escrow_account_id = escrow;
    SELECT id, overlay_minor, guarantee_minor INTO tournament
    FROM tournaments_tournament WHERE escrow_account_id = escrow;

    IF t.document = 'guarantee' THEN
        SELECT coalesce(sum(e.amount_minor), 0) INTO added
        FROM wallet_entry AS e JOIN wallet_transfer AS g ON g.id = e.transfer_id
        WHERE e.account_id = escrow AND g.document = 'guarantee';
        RETURN CASE
            WHEN tournament.id IS NULL THEN 'no tournament has this escrow'
            WHEN added > tournament.guarantee_minor OR added <> tournament.overlay_minor THEN
                format('the house has added %s, the tournament says %s of a guarantee of %s',
                    added, tournament.overlay_minor, tournament.guarantee_minor) END;
    ELSIF the_table IS NULL AND tournament.id IS NULL THEN
        RETURN CASE WHEN NOT ledger_is_trial() THEN 'no table and no tournament has this escrow' END;
    ELSIF t.kind = 'buy_in' THEN
        RETURN CASE WHEN NOT EXISTS (
            SELECT FROM wallet_stake AS k
            JOIN tables_buyin AS b ON b.stake_id = k.id
            JOIN tables_seat AS s ON s.id = b.seat_id AND s.player_id = k.player_id
            JOIN tables_table AS g ON g.id = s.table_id
            WHERE k.transfer_id = t.id
                AND (g.escrow_account_id = escrow OR g.rejoin_account_id = escrow)
            UNION ALL
            SELECT FROM wallet_stake AS k
            JOIN tournaments_entry AS n ON n.stake_id = k.id AND n.player_id = k.player_id
            WHERE k.transfer_id = t.id AND n.tournament_id = tournament.id
        ) THEN 'no seat and no entry was bought with it' END;
    ELSIF t.kind = 'prize' THEN
        SELECT paid.player_id INTO other
        FROM (
            SELECT a.player_id, sum(e.amount_minor) AS minor
            FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id
            WHERE e.transfer_id = t.id AND a.player_id IS NOT NULL GROUP BY a.player_id
        ) AS paid
        WHERE paid.minor <> coalesce(
            (SELECT sum(r.prize_minor)
             FROM tables_seat AS s JOIN tables_result AS r ON r.seat_id = s.id
             WHERE s.table_id = the_table AND s.player_id = paid.player_id),
            (SELECT sum(n.prize_minor) FROM tournaments_entry AS n
             WHERE n.tournament_id = tournament.id AND n.player_id = paid.player_id),
            0)
        LIMIT 1;
        RETURN CASE WHEN other IS NOT NULL THEN
            format('the results give player %s something else', other) END;
    END IF;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION games_transfer_lacks(wallet_transfer) FROM PUBLIC, rummy_app;
