SELECT n.*, EXISTS (SELECT FROM drawing d WHERE d.location_id = n.id) AS has_drawing FROM node n WHERE n.id = ANY ($1)
