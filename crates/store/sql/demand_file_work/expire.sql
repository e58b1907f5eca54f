DELETE FROM demand_file WHERE expires <= $1
