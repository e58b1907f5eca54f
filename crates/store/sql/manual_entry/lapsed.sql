-- The entries, of those that are not withdrawn by the activation at $2, for equipment that was missing in a version which was active between the entry and the activation at $2. The version of the entry is the
-- one that was active for the user; its activation is the last one before the entry.
SELECT e.id FROM manual_entry e
WHERE e.client_id = $1 AND (e.withdrawn IS NULL OR e.withdrawn > $2) AND e.equipment IS NOT NULL AND EXISTS (
    SELECT FROM network_activation a
    WHERE a.client_id = $1 AND a.since <= $2
      AND a.since > coalesce((
        SELECT max(own.since) FROM network_activation own WHERE own.client_id = $1 AND own.version = e.version AND own.since <= e.entered
      ), e.entered)
      AND NOT EXISTS (
        SELECT FROM network_equipment q
        WHERE q.client_id = $1 AND q.id = e.equipment AND q.first_version <= a.version AND (q.last_version IS NULL OR q.last_version >= a.version)
      )
)
