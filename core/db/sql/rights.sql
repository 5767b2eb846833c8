-- The columns that the application may update and the tables from which it may delete, granted again after every
-- migration. The owner of a row, its creation time and key, and agreed prices never change. Columns that are not
-- listed here can be updated if their table can; tables whose app grants columns itself (in the sql/ folders of
-- its packages) are not listed.
DO $$
DECLARE
    kept record;
    others text;
BEGIN
    FOR kept IN SELECT * FROM (VALUES
        -- Staff permissions are granted and revoked; renaming one would change its holders' rights.
        ('auth_permission', '{id,name,content_type_id,codename}'::name[]),
        ('django_content_type', '{id,app_label,model}'),
        ('auth_group_permissions', '{id,group_id,permission_id}'),
        ('players_user_groups', '{id,user_id,group_id}'),
        ('players_user_user_permissions', '{id,user_id,permission_id}'),
        ('django_admin_log', '{id,action_time,object_id,object_repr,action_flag,change_message,
            content_type_id,user_id}'),
        ('players_notification', '{id,player_id,key,kind,subject,about,amount,happens_at,created_at}'),
        ('players_notificationchoice', '{id,player_id,topic}'),
        ('core_event', '{id,public_id,kind,key,body,happened_at}'),
        ('finance_webhookendpoint', '{id,url,kinds,made_by_id,made_at}'),
        ('finance_webhookdelivery', '{id,endpoint_id,event_id}'),
        ('finance_financetoken', '{id,name,prefix,digest,scopes,created_by_id,created_at,expires_at}'),
        ('tables_table', '{id,public_id,template_id,profile_id,name,stake_mode,currency,entry_minor,
            point_value_minor,rake_bps,seats_min,seats_max,bots_fill,rematch_of_id,stop_at_survivors,
            escrow_account_id,owner_ref,created_at}'),
        ('tables_seat', '{id,table_id,player_id,joined_at,extra_chips}'),
        ('tables_buyin', '{id,table_id,seat_id,no,stake_id}'),
        ('tables_dealseat', '{id,table_id,deal_id,seat_id,position}'),
        ('tables_elimination', '{id,table_id,seat_id,deal_id,total,at}'),
        ('tables_window', '{id,public_id,table_id,deal_id,kind,proposed_by_id,opened_at}'),
        ('tables_answer', '{id,table_id,window_id,seat_id,total,amount_minor}'),
        ('tables_ruling', '{id,table_id,deal_id,kind,reason,by_id,at}'),
        ('tables_drain', '{id,reason,by_id,at}'),
        ('tables_seatorigin', '{id,table_id,seat_id,network_hash,device_hash,consent_version,at}'),
        ('tables_reviewflag', '{id,table_id,kind,seat_id,other_id,at}'),
        ('tables_outage', '{id,started_at}'),
        ('tables_block', '{id,player_id,blocked_id,at}'),
        ('tables_rating', '{id,player_id,game,pace,with_bots}'),
        ('tables_heartbeat', '{name}'),
        ('tournaments_tournament', '{id,public_id,template_id,awards_id,profile_id,name,start_rule,seats,
            qualify,final_seats,entrants_max,entrants_min,entry_minor,rake_bps,currency,guarantee_minor,
            prize_bps,rejoins,rejoin_minutes,reentries_max,addon_minor,addon_chips,addon_minutes,
            password_hash,no_show,check_in_minutes,late_minutes,extend_minutes,round_minutes,bots_fill,
            announces_at,registers_at,slot_at,escrow_account_id,commitment}'),
        ('tournaments_tournamentsecret', '{tournament_id,encrypted_seed}'),
        ('tournaments_staffaction', '{id,tournament_id,kind,reason,subject,asked_by_id,asked_at}'),
        ('tournaments_ticket', '{id,public_id,player_id,admits_to_id,won_in_id,account_id,value_minor,
            issued_at}'),
        ('tournaments_entry', '{id,public_id,tournament_id,player_id,reenters_id,registered_at}'),
        ('tournaments_entryorigin', '{id,entry_id,network_hash,device_hash,consent_version,at}'),
        ('tournaments_round', '{id,tournament_id,no,is_final,started_at}'),
        ('tournaments_roundtable', '{id,round_id,no,qualify}'),
        ('tournaments_seating', '{id,round_id,round_table_id,entry_id}'),
        ('tournaments_prize', '{id,tournament_id,place,bps,amount_minor,is_ticket}'),
        ('tournaments_season', '{id,public_id}'),
        ('tournaments_board', '{id,season_id,span,division,begins_on}'),
        ('tournaments_standing', '{id,board_id,player_id,games_negated}'),
        ('tournaments_pointscount', '{id,board_id,shift,points}'),
        ('tournaments_leagueresult', '{id,season_id,player_id,table_id,deal_no,tournament_id,place,finishers,
            points,ended_at,day}')
    ) AS t (name, columns)
    LOOP
        CONTINUE WHEN to_regclass(kept.name) IS NULL;  -- After a migration backwards.
        EXECUTE format('REVOKE UPDATE ON %I FROM rummy_app', kept.name);
        SELECT string_agg(quote_ident(attname), ', ') INTO others FROM pg_attribute
        WHERE attrelid = to_regclass(kept.name) AND attnum > 0 AND NOT attisdropped
            AND attname <> ALL (kept.columns);
        IF others IS NOT NULL THEN
            EXECUTE format('GRANT UPDATE (%s) ON %I TO rummy_app', others, kept.name);
        END IF;
    END LOOP;
END
$$;

-- In other tables the application may update every column except the primary key. A right to update or delete in a
-- whole table also allows LOCK TABLE against all others; rights to columns do not.
DO $$
DECLARE
    open record;
BEGIN
    FOR open IN
        SELECT c.oid::regclass AS name, (
            SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
            FROM pg_attribute AS a
            WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND NOT EXISTS (
                SELECT FROM pg_constraint AS k
                WHERE k.conrelid = c.oid AND k.contype = 'p' AND a.attnum = ANY (k.conkey))
        ) AS columns
        FROM pg_class AS c
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
            AND has_table_privilege('rummy_app', c.oid, 'UPDATE')
    LOOP
        EXECUTE format('REVOKE UPDATE ON %s FROM rummy_app', open.name);
        IF open.columns IS NOT NULL THEN
            EXECUTE format('GRANT UPDATE (%s) ON %s TO rummy_app', open.columns, open.name);
        END IF;
    END LOOP;
END
$$;

-- The application deletes read notifications, old answers to money requests, old events, old account changes,
-- sessions and sign-in data, players' numbers and blocks, roles of staff, and ratings and leaderboards that are computed
-- again. Its sessions can lock these tables (`wallet_end_stuck_sessions` ends such a session). Only migrations change the
-- permissions themselves.
DO $$
DECLARE
    stays record;
BEGIN
    FOR stays IN
        SELECT tablename FROM pg_tables
        WHERE schemaname = 'public' AND (
            tablename IN (
                'players_user', 'players_notificationchoice', 'core_lease', 'django_admin_log',
                'auth_permission', 'django_content_type', 'axes_accesslog', 'axes_accessfailurelog')
            OR tablename ~ '^(tables|tournaments|finance|wallet)_'
                AND tablename NOT IN ('wallet_idempotentrequest', 'finance_webhookdelivery', 'tables_block',
                    'tables_rating', 'tables_ratingchange', 'tournaments_leagueresult', 'tournaments_standing',
                    'tournaments_pointscount', 'tournaments_unlisted'))
    LOOP
        EXECUTE format('REVOKE DELETE ON %I FROM rummy_app', stays.tablename);
        IF stays.tablename IN ('auth_permission', 'django_content_type') THEN
            EXECUTE format('REVOKE INSERT ON %I FROM rummy_app', stays.tablename);
        END IF;
    END LOOP;
END
$$;
