SELECT * FROM gateway WHERE id = ANY ($1)
