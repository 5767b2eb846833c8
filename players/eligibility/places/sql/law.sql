-- The law at the time of this release; staff append later changes (RB 11.6). A region's row takes precedence over its
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
