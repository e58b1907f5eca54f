-- Shared among all transactions of a leader, so writers do not wait for each other. A new leader's begin_term waits for those that have it, and is never
-- overtaken by later ones. A row lock (FOR SHARE) would do the same, at the price of a write for each transaction. The term is read by a statement of its
-- own after this one: a statement that waits for a lock sees what was there before it waited.
SELECT pg_advisory_xact_lock_shared(1937, hashtext($1))
