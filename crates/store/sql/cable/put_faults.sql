-- Faults by their codes. Unchanged rows are not written.
INSERT INTO cable_fault AS f (
    client_id,
    code, section_id, day, cause
)
SELECT $1::bigint,
    code, section_id, day, cause
FROM jsonb_to_recordset($2::jsonb) AS t (
    code text, section_id bigint, day date, cause text
)
ON CONFLICT (client_id, code) DO UPDATE SET
    section_id = excluded.section_id, day = excluded.day, cause = excluded.cause
WHERE (
    f.section_id, f.day, f.cause
) IS DISTINCT FROM (
    excluded.section_id, excluded.day, excluded.cause
)
RETURNING xmax = 0 AS added
