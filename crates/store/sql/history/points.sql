-- The points whose history can expire.
SELECT id FROM point ORDER BY id
