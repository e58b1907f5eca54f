-- Activations that start after $3 and would follow one at $2.
DELETE FROM network_activation WHERE client_id = $1 AND since >= $2 AND since > $3 RETURNING version, since
