SELECT * FROM client WHERE id = ANY ($1)
