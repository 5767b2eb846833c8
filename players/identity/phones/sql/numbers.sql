-- A number stays its player's and what it is, is proved once and replaced once; the owner alone puts it under another key
-- (`rotate_identity_keys`). It is deleted once it was replaced, unless a
-- self-exclusion needs it (players/eligibility/phone_exclusions.py).
REVOKE UPDATE, TRUNCATE ON players_phonenumber FROM rummy_app;
GRANT UPDATE (
    proved_at, code_hash, code_made_at, code_guesses, codes_made, replaced_at,
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
