-- A leader that is cut off or stopped in the middle of a transaction would keep the next leader's term waiting (lead/begin_term).
SELECT set_config('idle_in_transaction_session_timeout', '10s', false)
