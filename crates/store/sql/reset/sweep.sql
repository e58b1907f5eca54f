WITH handles AS (
    DELETE FROM reset_handle WHERE until < $1
)
DELETE FROM password_reset WHERE until < $1
