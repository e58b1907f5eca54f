-- Level 6 is grid::Level::Substation.
SELECT id FROM node WHERE client_id = $1 AND level = 6 AND code = $2
