-- Entries about users name the fields that changed and show no values any more: data of a person would stay there after
-- the user was deleted.
UPDATE changelog_entries SET changes = (
    SELECT '[' || group_concat(
        '{"field":' || json_quote(value ->> 'field')
        || ',"from":' || iif(json_type(value, '$.from') = 'null', 'null', '"***"')
        || ',"to":' || iif(json_type(value, '$.to') = 'null', 'null', '"***"') || '}',
        ',' ORDER BY key
    ) || ']'
    FROM json_each(changes)
) WHERE resource = 'user' AND changes <> '[]'
    -- What counts new users; an entry of one begins with its guestId.
    AND NOT (action = 'create' AND changes LIKE '[{"field":"count",%');
