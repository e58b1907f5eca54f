WHERE lower(m.username) = lower($1)
