-- A number and its player never change; it is proved once and replaced once. Only the owner of the schema re-encrypts
-- it (`rotate_identity_keys`). It may be deleted after it was replaced, unless a self-exclusion needs it
-- (players/eligibility/phone_exclusions.py).
REVOKE UPDATE, TRUNCATE ON players_phonenumber FROM rummy_app;
GRANT UPDATE (
    proved_at, code_hash, code_made_at, code_guesses, codes_made, replaced_at,
    distinguished_at, distinguished_by_id
) ON players_phonenumber TO rummy_app;

CREATE OR REPLACE TRIGGER stays_its_player_s BEFORE UPDATE ON players_phonenumber
    FOR EACH ROW WHEN (
        (OLD.id, OLD.player_id, OLD.public_id, OLD.given_at)
        IS DISTINCT FROM (NEW.id, NEW.player_id, NEW.public_id, NEW.given_at)
        OR OLD.proved_at IS NOT NULL AND NEW.proved_at IS DISTINCT FROM OLD.proved_at
        OR OLD.replaced_at IS NOT NULL AND NEW.replaced_at IS DISTINCT FROM OLD.replaced_at
        OR OLD.distinguished_at IS NOT NULL
            AND (OLD.distinguished_at, OLD.distinguished_by_id) IS DISTINCT FROM (NEW.distinguished_at, NEW.distinguished_by_id))
    EXECUTE FUNCTION core_refuse_rewriting('a number is proved once, replaced once and distinguished once');

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
CREATE OR REPLACE TRIGGER kept_while_needed BEFORE DELETE ON players_phonenumber
    FOR EACH ROW EXECUTE FUNCTION players_keep_needed_number();
