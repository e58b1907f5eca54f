SELECT term FROM leadership WHERE name = $1
