-- A name that no table has: the given one, or with a number after it.
SELECT name
FROM (SELECT $1::text || CASE WHEN n > 1 THEN '_' || n ELSE '' END AS name, n FROM generate_series(1, 100) n) names
WHERE to_regclass(name) IS NULL
ORDER BY n
LIMIT 1
