-- 1937 guards the terms. The lock waits for the transactions that have checked the term (fence_term), and those that check it later wait for this one.
INSERT INTO leadership (name, term, begun)
SELECT $1, nextval('leadership_term'), 1 FROM pg_advisory_xact_lock(1937, hashtext($1))
ON CONFLICT (name) DO UPDATE SET term = excluded.term, begun = leadership.begun + 1
RETURNING term
