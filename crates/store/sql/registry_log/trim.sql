DELETE FROM registry_change
WHERE id IN (SELECT id FROM registry_change WHERE at < now() - make_interval(secs => $1) ORDER BY at LIMIT 100000)
