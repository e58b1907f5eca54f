-- A point carries the name, type and substation of its asset: with an asset all its points are read again.
SELECT p.*, a.name AS asset_name, a.type_id AS asset_type, a.location_id
FROM point p
JOIN asset a ON a.id = p.asset_id
WHERE p.id = ANY ($1) OR p.asset_id = ANY ($2)
