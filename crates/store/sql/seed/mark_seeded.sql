UPDATE client SET seeded = true WHERE id = $1
