-- players.accounts.identity
-- A player keeps the id the world knows them by, and stays a person or a bot of whom it is. A trigger rather than rights
-- by column, because forms save the whole row.
CREATE TRIGGER keeps_identity BEFORE UPDATE OF public_id, is_bot, owner_id ON players_user
    FOR EACH ROW WHEN (
        (OLD.public_id, OLD.is_bot, OLD.owner_id) IS DISTINCT FROM (NEW.public_id, NEW.is_bot, NEW.owner_id))
    EXECUTE FUNCTION core_refuse_rewriting('a player keeps their identity');

-- players.accounts.names
-- The names that tables show, copied from players' rows (players/accounts/names.py): written by this trigger alone.
CREATE FUNCTION players_copy_name() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO players_playername (player_id, handle, is_bot) VALUES (NEW.id, NEW.handle, NEW.is_bot)
    ON CONFLICT (player_id) DO UPDATE SET handle = excluded.handle, is_bot = excluded.is_bot;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION players_copy_name() FROM PUBLIC, rummy_app;
CREATE TRIGGER name_copied AFTER INSERT OR UPDATE OF handle, is_bot ON players_user
    FOR EACH ROW EXECUTE FUNCTION players_copy_name();
REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON players_playername FROM rummy_app;

-- players.places.regions
-- What holds where is appended and never rewritten; a request for it is decided once.
REVOKE UPDATE, DELETE, TRUNCATE ON players_region, players_regionchange FROM rummy_app;
GRANT UPDATE (status, checked_by_id, checked_at) ON players_regionchange TO rummy_app;

CREATE OR REPLACE TRIGGER decided_once BEFORE UPDATE ON players_regionchange
    FOR EACH ROW WHEN (
        OLD.status <> 'requested'
        OR (OLD.id, OLD.country, OLD.region, OLD.offer, OLD.age_min, OLD.withdrawal_needs_identity,
            OLD.begins_at, OLD.reason, OLD.made_by_id, OLD.made_at)
        IS DISTINCT FROM
           (NEW.id, NEW.country, NEW.region, NEW.offer, NEW.age_min, NEW.withdrawal_needs_identity,
            NEW.begins_at, NEW.reason, NEW.made_by_id, NEW.made_at))
    EXECUTE FUNCTION core_refuse_rewriting('a request is decided once and never rewritten');
CREATE OR REPLACE TRIGGER kept BEFORE DELETE ON players_regionchange
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('acts of staff are kept');
CREATE OR REPLACE TRIGGER stays BEFORE UPDATE OR DELETE ON players_region
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('what held where is kept');

-- A region without a request came with a release, whose migrations the owner of the schema runs. Every other one takes
-- over what two members of staff agreed on, and begins no sooner.
CREATE OR REPLACE FUNCTION players_region_was_requested() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NEW.change_id IS NULL AND NOT pg_has_role(
        current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE')
    THEN
        RAISE EXCEPTION 'INSERT on players_region is refused: it names no request'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
REVOKE ALL ON FUNCTION players_region_was_requested() FROM PUBLIC, rummy_app;
CREATE OR REPLACE TRIGGER was_requested BEFORE INSERT ON players_region
    FOR EACH ROW EXECUTE FUNCTION players_region_was_requested();

-- players.places.law
-- The law as this release knows it; staff append what comes after (RB 11.6). A region's row beats its
-- country's: these states stay closed when play for money is allowed in the rest of India.
INSERT INTO players_region (country, region, offer, age_min, withdrawal_needs_identity, begins_at, reason, added_at) VALUES
    ('IN', '', 'prohibited', 18, false, '2025-08-22 00:00+05:30', 'Promotion and Regulation of Online Gaming Act, 2025 (assent 2025-08-22), and its Rules (from 2026-05-01); see docs/law.md for what is left to lawyers', now()),
    ('IN', 'AP', 'prohibited', 18, false, '2025-08-22 00:00+05:30', 'Kept out by other rummy sites before the Act', now()),
    ('IN', 'AR', 'prohibited', 18, false, '2025-08-22 00:00+05:30', 'Kept out by other rummy sites before the Act', now()),
    ('IN', 'AS', 'prohibited', 18, false, '2025-08-22 00:00+05:30', 'Kept out by other rummy sites before the Act', now()),
    ('IN', 'KL', 'prohibited', 18, false, '2025-08-22 00:00+05:30', 'Kept out by other rummy sites before the Act', now()),
    ('IN', 'ML', 'prohibited', 18, false, '2025-08-22 00:00+05:30', 'Kept out by other rummy sites before the Act', now()),
    ('IN', 'NL', 'prohibited', 18, false, '2025-08-22 00:00+05:30', 'Kept out by other rummy sites before the Act', now()),
    ('IN', 'OD', 'prohibited', 18, false, '2025-08-22 00:00+05:30', 'Kept out by other rummy sites before the Act', now()),
    ('IN', 'SK', 'prohibited', 18, false, '2025-08-22 00:00+05:30', 'Kept out by other rummy sites before the Act', now()),
    ('IN', 'TN', 'prohibited', 18, false, '2025-08-22 00:00+05:30', 'Kept out by other rummy sites before the Act', now()),
    ('IN', 'TS', 'prohibited', 18, false, '2025-08-22 00:00+05:30', 'Kept out by other rummy sites before the Act', now());

-- players.places.doubts
-- A doubt about where somebody is is settled once, and neither rewritten nor forgotten.
REVOKE UPDATE, DELETE, TRUNCATE ON players_placedoubt FROM rummy_app;
GRANT UPDATE (settled_at, settlement, settled_by_id, reason) ON players_placedoubt TO rummy_app;

CREATE OR REPLACE TRIGGER settled_once BEFORE UPDATE ON players_placedoubt
    FOR EACH ROW WHEN (
        OLD.settled_at IS NOT NULL
        OR (OLD.id, OLD.player_id, OLD.kind, OLD.declared_country, OLD.declared_region, OLD.seen_country,
            OLD.seen_region, OLD.noticed_at)
        IS DISTINCT FROM
           (NEW.id, NEW.player_id, NEW.kind, NEW.declared_country, NEW.declared_region, NEW.seen_country,
            NEW.seen_region, NEW.noticed_at))
    EXECUTE FUNCTION core_refuse_rewriting('a doubt is settled once and never rewritten');
CREATE OR REPLACE TRIGGER kept BEFORE DELETE ON players_placedoubt
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('what kept a player from an act is kept');

-- players.eligibility.breaks
-- Nobody shortens, lifts or forgets a break that a player has taken.
REVOKE UPDATE, DELETE, TRUNCATE ON players_break FROM rummy_app;

CREATE OR REPLACE TRIGGER stays BEFORE UPDATE OR DELETE ON players_break
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('a break is not lifted early');
CREATE OR REPLACE TRIGGER not_emptied BEFORE TRUNCATE ON players_break
    EXECUTE FUNCTION core_refuse_rewriting('a break is not lifted early');

-- players.eligibility.holds
-- A hold is lifted once, and neither rewritten nor forgotten.
REVOKE UPDATE, DELETE, TRUNCATE ON players_hold FROM rummy_app;
GRANT UPDATE (lifted_by_id, lifted_at, lift_reason) ON players_hold TO rummy_app;

CREATE OR REPLACE TRIGGER lifted_once BEFORE UPDATE ON players_hold
    FOR EACH ROW WHEN (
        OLD.lifted_at IS NOT NULL
        OR (OLD.id, OLD.player_id, OLD.kind, OLD.reason, OLD.set_by_id, OLD.set_at)
        IS DISTINCT FROM (NEW.id, NEW.player_id, NEW.kind, NEW.reason, NEW.set_by_id, NEW.set_at))
    EXECUTE FUNCTION core_refuse_rewriting('a hold is lifted once and never rewritten');
CREATE OR REPLACE TRIGGER kept BEFORE DELETE ON players_hold
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('acts of staff are kept');

-- players.identity.checks
-- A check is decided once, and expires; what was submitted is not rewritten, and nobody forgets it.
REVOKE UPDATE, DELETE, TRUNCATE ON players_identitycheck, players_identitydocument FROM rummy_app;
GRANT UPDATE (state, decided_by_id, decided_by_provider, decided_at, ground, expires_at) ON players_identitycheck TO rummy_app;
GRANT UPDATE (encrypted_content, delete_at, deleted_at) ON players_identitydocument TO rummy_app;

CREATE OR REPLACE TRIGGER decided_once BEFORE UPDATE ON players_identitycheck
    FOR EACH ROW WHEN (
        (OLD.id, OLD.player_id, OLD.name, OLD.document_kind, OLD.submitted_at)
        IS DISTINCT FROM (NEW.id, NEW.player_id, NEW.name, NEW.document_kind, NEW.submitted_at)
        OR NOT ((OLD.state = 'submitted' AND NEW.state IN ('verified', 'refused'))
            OR (OLD.state = 'verified' AND NEW.state = 'expired'
                AND (OLD.decided_by_id, OLD.decided_by_provider, OLD.decided_at)
                IS NOT DISTINCT FROM (NEW.decided_by_id, NEW.decided_by_provider, NEW.decided_at))))
    EXECUTE FUNCTION core_refuse_rewriting('a check is decided once and never rewritten');
CREATE OR REPLACE TRIGGER kept BEFORE DELETE ON players_identitycheck
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('acts of staff are kept');
CREATE OR REPLACE TRIGGER stays_deleted BEFORE UPDATE ON players_identitydocument
    FOR EACH ROW WHEN (
        OLD.deleted_at IS NOT NULL
        OR (OLD.id, OLD.public_id, OLD.identity_check_id, OLD.media_type, OLD.size_bytes)
        IS DISTINCT FROM (NEW.id, NEW.public_id, NEW.identity_check_id, NEW.media_type, NEW.size_bytes))
    EXECUTE FUNCTION core_refuse_rewriting('a document that is deleted stays so');

-- What a player agreed to before their documents were sent, and to whom they were, is not rewritten.
REVOKE UPDATE, DELETE, TRUNCATE ON players_providercheck FROM rummy_app;
GRANT UPDATE (state, reference, tries, next_try_at, sent_at, answered_at, findings) ON players_providercheck
TO rummy_app;
CREATE OR REPLACE TRIGGER answered_once BEFORE UPDATE ON players_providercheck
    FOR EACH ROW WHEN (
        OLD.state NOT IN ('waiting', 'sent')
        OR (OLD.id, OLD.public_id, OLD.identity_check_id, OLD.provider, OLD.consent_version)
        IS DISTINCT FROM (NEW.id, NEW.public_id, NEW.identity_check_id, NEW.provider, NEW.consent_version))
    EXECUTE FUNCTION core_refuse_rewriting('a provider answers once');
CREATE OR REPLACE TRIGGER kept BEFORE DELETE ON players_providercheck
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('what left the house stays on record');

-- A tax number is given or removed; it never becomes another one or another player's.
REVOKE UPDATE, TRUNCATE ON players_taxnumber FROM rummy_app;
GRANT UPDATE (encrypted_content, number_hash, released_at) ON players_taxnumber TO rummy_app;
CREATE OR REPLACE TRIGGER released_once BEFORE UPDATE ON players_taxnumber
    FOR EACH ROW WHEN (
        (OLD.id, OLD.player_id, OLD.public_id, OLD.given_at)
        IS DISTINCT FROM (NEW.id, NEW.player_id, NEW.public_id, NEW.given_at)
        OR OLD.released_at IS NOT NULL AND NEW.released_at IS DISTINCT FROM OLD.released_at)
    EXECUTE FUNCTION core_refuse_rewriting('a number stays its player''s and is released once');

-- The birth date that staff have seen on a document is not changed any more.
CREATE OR REPLACE FUNCTION players_keep_verified_birth_date() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM players_identitycheck
        WHERE player_id = OLD.id AND state IN ('verified', 'expired')
    ) THEN
        RAISE EXCEPTION 'the birth date of player % is verified', OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER verified_birth_date_stays BEFORE UPDATE OF birth_date ON players_user
    FOR EACH ROW WHEN (OLD.birth_date IS DISTINCT FROM NEW.birth_date)
    EXECUTE FUNCTION players_keep_verified_birth_date();

-- players.phones.numbers
-- A number stays its player's, is proved once and replaced once. It is deleted once it was replaced, unless a
-- self-exclusion needs it (players/eligibility/phone_exclusions.py).
REVOKE UPDATE, TRUNCATE ON players_phonenumber FROM rummy_app;
GRANT UPDATE (
    encrypted_content, number_hash, proved_at, code_hash, code_made_at, code_guesses, codes_made, replaced_at,
    told_apart_at, told_apart_by_id
) ON players_phonenumber TO rummy_app;

CREATE OR REPLACE TRIGGER stays_its_player_s BEFORE UPDATE ON players_phonenumber
    FOR EACH ROW WHEN (
        (OLD.id, OLD.player_id, OLD.public_id, OLD.given_at)
        IS DISTINCT FROM (NEW.id, NEW.player_id, NEW.public_id, NEW.given_at)
        OR OLD.proved_at IS NOT NULL AND NEW.proved_at IS DISTINCT FROM OLD.proved_at
        OR OLD.replaced_at IS NOT NULL AND NEW.replaced_at IS DISTINCT FROM OLD.replaced_at
        OR OLD.told_apart_at IS NOT NULL
            AND (OLD.told_apart_at, OLD.told_apart_by_id) IS DISTINCT FROM (NEW.told_apart_at, NEW.told_apart_by_id))
    EXECUTE FUNCTION core_refuse_rewriting('a number is proved once, replaced once and told apart once');

CREATE OR REPLACE FUNCTION players_keep_needed_number() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF OLD.replaced_at IS NULL OR OLD.proved_at IS NOT NULL AND EXISTS (
        SELECT FROM players_break AS b
        WHERE b.kind = 'exclusion' AND (b.ends_at IS NULL OR b.ends_at > ledger_now())
            AND (b.player_id = OLD.player_id OR b.player_id IN (
                SELECT n.player_id FROM players_phonenumber AS n
                WHERE n.number_hash = OLD.number_hash AND n.proved_at IS NOT NULL))
    ) THEN
        RAISE EXCEPTION 'DELETE on players_phonenumber is refused: number % is present, or a self-exclusion needs it',
            OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$;
REVOKE ALL ON FUNCTION players_keep_needed_number() FROM PUBLIC, rummy_app;
CREATE OR REPLACE TRIGGER kept_while_needed BEFORE DELETE ON players_phonenumber
    FOR EACH ROW EXECUTE FUNCTION players_keep_needed_number();

-- players.security.factors
-- A second factor stays its account's, and the secret of an authenticator app stays as it was; recovery codes are
-- ticked off in their row.
REVOKE UPDATE, TRUNCATE ON mfa_authenticator FROM rummy_app;
GRANT UPDATE (data, last_used_at) ON mfa_authenticator TO rummy_app;
CREATE OR REPLACE TRIGGER stays_as_set_up BEFORE UPDATE ON mfa_authenticator
    FOR EACH ROW WHEN (
        (OLD.id, OLD.user_id, OLD.type, OLD.created_at) IS DISTINCT FROM (NEW.id, NEW.user_id, NEW.type, NEW.created_at)
        OR OLD.type = 'totp' AND OLD.data IS DISTINCT FROM NEW.data)
    EXECUTE FUNCTION core_refuse_rewriting('a second factor is set up and removed, not changed');

-- A link by which staff set up a factor is used once, and kept.
REVOKE UPDATE, DELETE, TRUNCATE ON players_factorlink FROM rummy_app;
GRANT UPDATE (used_at) ON players_factorlink TO rummy_app;
CREATE OR REPLACE TRIGGER used_once BEFORE UPDATE ON players_factorlink
    FOR EACH ROW WHEN (
        OLD.used_at IS NOT NULL
        OR (OLD.id, OLD.player_id, OLD.sent_to, OLD.made_by_id, OLD.made_at, OLD.expires_at)
        IS DISTINCT FROM (NEW.id, NEW.player_id, NEW.sent_to, NEW.made_by_id, NEW.made_at, NEW.expires_at))
    EXECUTE FUNCTION core_refuse_rewriting('a link is used once and never rewritten');
CREATE OR REPLACE TRIGGER kept BEFORE DELETE ON players_factorlink
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('acts of staff are kept');

-- A change of an account holds withdrawals back, so that it is not rewritten, and is not forgotten while it counts; an
-- account that is closed has nothing to withdraw, and leaves no address behind.
REVOKE UPDATE, TRUNCATE ON players_accountchange FROM rummy_app;
GRANT UPDATE (unsent, mail_tries) ON players_accountchange TO rummy_app;
CREATE OR REPLACE FUNCTION players_keep_recent_change() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF OLD.at > ledger_now() - interval '30 days'
        AND EXISTS (SELECT FROM players_user AS u WHERE u.id = OLD.player_id AND u.is_active)
    THEN
        RAISE EXCEPTION 'DELETE on players_accountchange is refused: change % is younger than 30 days', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$;
REVOKE ALL ON FUNCTION players_keep_recent_change() FROM PUBLIC, rummy_app;
CREATE OR REPLACE TRIGGER kept_while_recent BEFORE DELETE ON players_accountchange
    FOR EACH ROW EXECUTE FUNCTION players_keep_recent_change();

-- players.cases.cases
-- What a case is about stays; what was written on it is neither changed nor forgotten.
REVOKE UPDATE, DELETE, TRUNCATE ON players_case, players_remark, players_cannedanswer FROM rummy_app;
GRANT UPDATE (owner_id, priority, due_at) ON players_case TO rummy_app;
GRANT UPDATE (title, english, hindi, is_offered) ON players_cannedanswer TO rummy_app;

CREATE OR REPLACE TRIGGER stays BEFORE UPDATE OR DELETE ON players_remark
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('what was written on a case is kept');
CREATE OR REPLACE TRIGGER kept BEFORE DELETE ON players_case
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('cases are kept');

-- players.cases.answers
-- Answers to begin with; staff change them and add their own.
INSERT INTO players_cannedanswer (title, english, hindi, is_offered) VALUES
    ('We are looking into it',
     'Thank you for writing. We are looking into it and will answer you here.',
     'लिखने के लिए धन्यवाद। हम इसे देख रहे हैं और आपको यहीं उत्तर देंगे।', true),
    ('Withdrawal is late',
     'Your withdrawal takes longer than we promised. Your money is safe, and we will write to you as soon as it is on its way.',
     'आपकी निकासी में हमारे वादे से अधिक समय लग रहा है। आपका पैसा सुरक्षित है, और उसके भेजे जाते ही हम आपको लिखेंगे।', true),
    ('The deal ran as it should',
     'We have replayed the deal step by step. It ran by the rules, so its result stands. You can replay it yourself from your history.',
     'हमने यह बाज़ी चरण दर चरण दोबारा देखी। वह नियमों के अनुसार चली, इसलिए उसका परिणाम बना रहता है। आप इसे अपने इतिहास से स्वयं दोबारा देख सकते हैं।', true),
    ('We need a document',
     'To go on we need a document from you. Please answer here, and we will tell you how to send it safely.',
     'आगे बढ़ने के लिए हमें आपसे एक दस्तावेज़ चाहिए। कृपया यहीं उत्तर दें, हम बताएँगे कि उसे सुरक्षित कैसे भेजें।', true);

-- players.cases.data_requests
-- What a player asked stays as it was, and is answered once.
REVOKE UPDATE, DELETE, TRUNCATE ON players_datarequest FROM rummy_app;
GRANT UPDATE (answered_at, answered_by_id) ON players_datarequest TO rummy_app;

CREATE OR REPLACE TRIGGER answered_once BEFORE UPDATE ON players_datarequest
    FOR EACH ROW WHEN (
        OLD.answered_at IS NOT NULL
        OR (OLD.id, OLD.player_id, OLD.about, OLD.text, OLD.asked_at)
        IS DISTINCT FROM (NEW.id, NEW.player_id, NEW.about, NEW.text, NEW.asked_at))
    EXECUTE FUNCTION core_refuse_rewriting('a request is answered once and never rewritten');
CREATE OR REPLACE TRIGGER kept BEFORE DELETE ON players_datarequest
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('what players asked is kept');

-- players.notifications.staff_acts
-- Whoever is named by a decision gets a message of it. The database writes it with the entry in the audit log, so that
-- a login which can insert entries cannot leave it out; the audit asks for it again (wallet/audit/sql/audit_decisions.sql).

-- Whether an act decides about money, a right, a person or the rules. Everything that is not named here does.
CREATE FUNCTION players_is_decision(p_kind text, p_act text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN p_kind NOT IN ('players.case', 'players.remark', 'finance.exportjob', 'finance.webhookdelivery')
    AND p_act NOT IN ('export', 'look', 'note', 'take', 'upload');

-- What the message calls the decision.
CREATE FUNCTION players_subject_of_act(p_act text, p_name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(replace(p_act, '_', ' ') || ': ' || p_name, 120);

-- Who gets a message of an entry: its actor, and who had asked for what was decided.
CREATE FUNCTION players_named_by(p_entry core_auditentry) RETURNS TABLE (player_id bigint, kind text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT (p_entry).by_id, 'staff_act'
    WHERE (p_entry).by_id IS NOT NULL AND players_is_decision((p_entry).kind, (p_entry).act)
    UNION ALL
    SELECT DISTINCT a.by_id, 'staff_decided'
    FROM core_auditentry AS a
    WHERE (p_entry).act IN ('approve', 'reject') AND a.kind = (p_entry).kind AND a.row = (p_entry).row
        AND a.act IN ('ask', 'create') AND a.id < (p_entry).id AND a.by_id <> (p_entry).by_id;
END;

CREATE FUNCTION players_notify_named() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off AS $$
BEGIN
    -- Messages are kept for a year: an entry of another time would need none.
    IF NEW.at NOT BETWEEN ledger_now() - interval '1 hour' AND ledger_now() THEN
        RAISE EXCEPTION 'an act is recorded when it is done, not at %', NEW.at
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

-- A message about a decision stays as it was written, for a year. It can be read, and its e-mail be tried and sent;
-- without a try only if there is no address to send it to.
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
        RAISE EXCEPTION 'a message about a decision stays as it was written' USING ERRCODE = 'restrict_violation';
    ELSIF NEW.mail <> OLD.mail AND NOT (CASE NEW.mail
        WHEN 'none' THEN NOT EXISTS (
            SELECT FROM players_user AS u JOIN account_emailaddress AS e ON e.user_id = u.id AND e.verified
            WHERE u.id = OLD.player_id AND u.is_active)
        WHEN 'due' THEN false
        ELSE OLD.mail_tries > 0 END)
    THEN
        RAISE EXCEPTION 'an e-mail about a decision was not sent, and is not %', NEW.mail
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER message_kept BEFORE UPDATE OR DELETE ON players_notification
    FOR EACH ROW WHEN (OLD.kind IN ('staff_act', 'staff_decided'))
    EXECUTE FUNCTION players_keep_message();

REVOKE ALL ON FUNCTION
    players_is_decision(text, text), players_subject_of_act(text, text), players_named_by(core_auditentry),
    players_notify_named(), players_keep_message()
FROM PUBLIC, rummy_app;
-- The audit asks them.
GRANT EXECUTE ON FUNCTION
    players_is_decision(text, text), players_subject_of_act(text, text), players_named_by(core_auditentry)
TO rummy_app;
