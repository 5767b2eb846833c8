-- A player keeps the id the world knows them by, and stays a person or a bot of whom it is. A trigger rather than rights
-- by column, because forms save the whole row.
CREATE TRIGGER keeps_identity BEFORE UPDATE OF public_id, is_bot, owner_id ON players_user
    FOR EACH ROW WHEN (
        (OLD.public_id, OLD.is_bot, OLD.owner_id) IS DISTINCT FROM (NEW.public_id, NEW.is_bot, NEW.owner_id))
    EXECUTE FUNCTION core_refuse_rewriting('a player keeps their identity');

-- A guest becomes a player, and never the other way round.
CREATE TRIGGER stays_a_player BEFORE UPDATE OF is_guest ON players_user
    FOR EACH ROW WHEN (NEW.is_guest AND NOT OLD.is_guest)
    EXECUTE FUNCTION core_refuse_rewriting('a player does not become a guest');
