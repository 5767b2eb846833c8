-- public_id, is_bot and owner_id never change. A trigger, not column privileges, because forms save the whole row.
CREATE TRIGGER keeps_identity BEFORE UPDATE OF public_id, is_bot, owner_id ON players_user
    FOR EACH ROW WHEN (
        (OLD.public_id, OLD.is_bot, OLD.owner_id) IS DISTINCT FROM (NEW.public_id, NEW.is_bot, NEW.owner_id))
    EXECUTE FUNCTION core_refuse_rewriting('public_id, is_bot and owner_id never change');

-- A guest may become a player, but a player never becomes a guest.
CREATE TRIGGER stays_a_player BEFORE UPDATE OF is_guest ON players_user
    FOR EACH ROW WHEN (NEW.is_guest AND NOT OLD.is_guest)
    EXECUTE FUNCTION core_refuse_rewriting('a player does not become a guest');
