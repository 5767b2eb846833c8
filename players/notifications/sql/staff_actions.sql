-- Notifications about staff decisions. The database writes them with the entry in the audit log, so that a login that
-- can insert entries cannot omit them; the ledger audit checks them (wallet/audit/sql/audit_decisions.sql).

-- Whether an action is a decision about money, permissions, people or rules. All actions not listed here are.
CREATE FUNCTION players_is_decision(p_kind text, p_act text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN p_kind NOT IN ('players.case', 'players.remark', 'finance.exportjob', 'finance.webhookdelivery')
    AND p_act NOT IN ('export', 'look', 'note', 'search', 'take', 'upload');

-- The subject of the notification.
CREATE FUNCTION players_subject_of_act(p_act text, p_name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(replace(p_act, '_', ' ') || ': ' || p_name, 120);

-- The recipients of the notification of an entry: its actor, and the person who had requested what was decided.
-- With the casts and the column names PostgreSQL prints the body the same before a backup and after its restoration,
-- so that the audit's record of the schema agrees.
CREATE FUNCTION players_named_by(p_entry core_auditentry) RETURNS TABLE (player_id bigint, kind text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT (p_entry).by_id AS player_id, 'staff_action' AS kind
    WHERE (p_entry).by_id IS NOT NULL AND players_is_decision((p_entry).kind, (p_entry).act)
    UNION ALL
    SELECT DISTINCT a.by_id AS player_id, 'staff_decided' AS kind
    FROM core_auditentry AS a
    WHERE (p_entry).act::text IN ('approve', 'reject') AND a.kind = (p_entry).kind AND a.row = (p_entry).row
        AND a.act::text IN ('ask', 'create') AND a.id < (p_entry).id AND a.by_id <> (p_entry).by_id;
END;

CREATE FUNCTION players_notify_named() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off AS $$
BEGIN
    -- Notifications are kept for a year, so a backdated entry would escape the audit.
    IF NEW.at NOT BETWEEN ledger_now() - interval '1 hour' AND ledger_now() THEN
        RAISE EXCEPTION 'an action must be recorded when it is done, not at %', NEW.at
            USING ERRCODE = 'restrict_violation';
    END IF;
    INSERT INTO players_notification (
        player_id, key, kind, subject, amount, remark, happens_at, created_at, on_site, mail, mail_tries, is_push_due)
    SELECT n.player_id, 'act:' || NEW.id, n.kind, players_subject_of_act(NEW.act, NEW.name), '', '', NEW.at,
        NEW.at, true, 'due', 0, false
    FROM players_named_by(NEW) AS n;
    RETURN NULL;
END
$$;
CREATE TRIGGER named_are_notified AFTER INSERT ON core_auditentry
    FOR EACH ROW EXECUTE FUNCTION players_notify_named();

-- A notification about a decision is immutable and kept for a year. Only its read state and e-mail state change; it may
-- stay without an e-mail only if the person has no verified address.
CREATE FUNCTION players_keep_message() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF OLD.created_at > ledger_now() - interval '364 days' THEN
            RAISE EXCEPTION 'a message about a decision is kept for a year' USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN OLD;
    END IF;
    IF to_jsonb(OLD) - '{read_at,mail,mail_tries}'::text[] <> to_jsonb(NEW) - '{read_at,mail,mail_tries}'::text[] THEN
        RAISE EXCEPTION 'a message about a decision is immutable' USING ERRCODE = 'restrict_violation';
    ELSIF NEW.mail <> OLD.mail AND NOT (CASE NEW.mail
        WHEN 'none' THEN NOT EXISTS (
            SELECT FROM players_user AS u JOIN account_emailaddress AS e ON e.user_id = u.id AND e.verified
            WHERE u.id = OLD.player_id AND u.is_active)
        WHEN 'due' THEN false
        ELSE OLD.mail_tries > 0 END)
    THEN
        RAISE EXCEPTION 'an e-mail about a decision was not tried, so its state cannot be %', NEW.mail
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER message_kept BEFORE UPDATE OR DELETE ON players_notification
    FOR EACH ROW WHEN (OLD.kind IN ('staff_action', 'staff_decided'))
    EXECUTE FUNCTION players_keep_message();

-- Called by the ledger audit.
GRANT EXECUTE ON FUNCTION
    players_is_decision(text, text), players_subject_of_act(text, text), players_named_by(core_auditentry)
TO rummy_app;
