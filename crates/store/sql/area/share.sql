-- Holds the version of the areas until the end of the transaction: who holds what changes before this operation or after it.
SELECT top FROM stream WHERE client_id = $1 AND kind = 'area' FOR SHARE
