SELECT chain, seq, hash FROM audit_chain ORDER BY chain
