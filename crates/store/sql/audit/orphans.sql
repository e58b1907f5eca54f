-- Chains that have rows but no head.
SELECT DISTINCT a.chain FROM audit a WHERE NOT EXISTS (SELECT FROM audit_chain c WHERE c.chain = a.chain)
