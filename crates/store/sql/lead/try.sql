-- 1936 keeps our locks apart from those of migrations.
SELECT pg_try_advisory_lock(1936, hashtext($1))
