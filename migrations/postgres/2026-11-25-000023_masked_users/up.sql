-- Entries about users name the fields that changed and show no values any more: data of a person would stay there after
-- the user was deleted.
UPDATE changelog_entries SET changes = (
    SELECT '[' || string_agg(
        '{"field":' || CAST(change -> 'field' AS TEXT)
        || ',"from":' || CASE json_typeof(change -> 'from') WHEN 'null' THEN 'null' ELSE '"***"' END
        || ',"to":' || CASE json_typeof(change -> 'to') WHEN 'null' THEN 'null' ELSE '"***"' END || '}',
        ',' ORDER BY number
    ) || ']'
    FROM json_array_elements(CAST(changes AS JSON)) WITH ORDINALITY AS each_change (change, number)
) WHERE resource = 'user' AND changes <> '[]'
    -- What counts new users; an entry of one begins with its guestId.
    AND NOT (action = 'create' AND changes LIKE '[{"field":"count",%');
