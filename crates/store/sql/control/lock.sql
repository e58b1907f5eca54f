-- One decision about the commands of a utility at a time: what is read behind this lock stays so to the end of the transaction, and offsets come in the order
-- of commit.
SELECT epoch, top FROM stream WHERE client_id = $1 AND kind = 'command' FOR UPDATE
