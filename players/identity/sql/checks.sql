-- A check is decided once, and expires; submissions are neither rewritten nor deleted.
REVOKE UPDATE, DELETE, TRUNCATE ON players_identitycheck, players_identitydocument FROM rummy_app;
GRANT UPDATE (state, decided_by_id, decided_by_provider, decided_at, ground, expires_at)
ON players_identitycheck TO rummy_app;
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
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('staff actions are never deleted');
CREATE OR REPLACE TRIGGER stays_deleted BEFORE UPDATE ON players_identitydocument
    FOR EACH ROW WHEN (
        OLD.deleted_at IS NOT NULL
        OR (OLD.id, OLD.public_id, OLD.identity_check_id, OLD.media_type, OLD.size_bytes)
        IS DISTINCT FROM (NEW.id, NEW.public_id, NEW.identity_check_id, NEW.media_type, NEW.size_bytes))
    EXECUTE FUNCTION core_refuse_rewriting('a deleted document is never restored');

-- The player's consent and the provider that received the documents are never rewritten.
SELECT core_change_only('players_providercheck', '{state, reference, tries, next_try_at, sent_at, answered_at, findings}',
    'a provider answers once', 'OLD.state NOT IN (''waiting'', ''sent'')');

-- A tax number is added or released; it and its player never change. Only the owner of the schema re-encrypts it
-- (`rotate_identity_keys`).
REVOKE UPDATE, TRUNCATE ON players_taxnumber FROM rummy_app;
GRANT UPDATE (released_at) ON players_taxnumber TO rummy_app;
CREATE OR REPLACE TRIGGER released_once BEFORE UPDATE ON players_taxnumber
    FOR EACH ROW WHEN (
        (OLD.id, OLD.player_id, OLD.public_id, OLD.given_at)
        IS DISTINCT FROM (NEW.id, NEW.player_id, NEW.public_id, NEW.given_at)
        OR OLD.released_at IS NOT NULL AND NEW.released_at IS DISTINCT FROM OLD.released_at)
    EXECUTE FUNCTION core_refuse_rewriting('a number and its player never change, and it is released once');

-- A birth date verified by a document never changes.
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
