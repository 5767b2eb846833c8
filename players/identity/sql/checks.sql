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
    FOR EACH ROW EXECUTE FUNCTION core_refuse_rewriting('staff actions are kept');
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

-- A tax number is given or removed; it never becomes another one or another player's. The owner alone puts it under
-- another key (`rotate_identity_keys`).
REVOKE UPDATE, TRUNCATE ON players_taxnumber FROM rummy_app;
GRANT UPDATE (released_at) ON players_taxnumber TO rummy_app;
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
