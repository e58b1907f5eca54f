SELECT * FROM asset WHERE id = ANY ($1)
