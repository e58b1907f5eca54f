-- The time now, not that of the begin of the transaction.
SELECT clock_timestamp() AS now
