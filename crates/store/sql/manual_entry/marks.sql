-- How many entries of a utility are current, and the last number that any entry has got. The two counts are of the two indexes of current entries.
SELECT
    (SELECT count(*) FROM manual_entry WHERE client_id = $1 AND withdrawn IS NULL AND equipment IS NOT NULL)
        + (SELECT count(*) FROM manual_entry WHERE client_id = $1 AND withdrawn IS NULL AND point_id IS NOT NULL) AS count,
    (SELECT last_value FROM manual_entry_id_seq) AS last
