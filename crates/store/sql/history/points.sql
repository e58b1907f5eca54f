-- Those whose history may expire.
SELECT id FROM point ORDER BY id
