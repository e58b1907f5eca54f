INSERT INTO history_brought (client_id, until, done, registers) VALUES ($1, $2, $3, $4)
ON CONFLICT (client_id) DO UPDATE SET done = excluded.done, registers = excluded.registers
