SELECT FROM client WHERE code = $1 AND seeded
