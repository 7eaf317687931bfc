-- What was masked stays masked.
SELECT 1;
