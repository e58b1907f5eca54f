SELECT t.id
FROM temporary_change t
