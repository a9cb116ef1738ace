-- A TRY_CAST that is NULL is not above 5.
-- right: [[100]]
SELECT x FROM sizes WHERE TRY_CAST(x AS TINYINT) > 5

-- The same as a value.
-- right: [[1,false],[5,false],[100,true],[128,null],[300,null],[null,null]]
SELECT x, TRY_CAST(x AS TINYINT) > 5 AS p FROM sizes

-- The same below NOT, in FILTER and in CASE.
-- right: [[2,"a"]]
SELECT count(*) FILTER (WHERE NOT (TRY_CAST(x AS TINYINT) = 5)) AS c,
  max(CASE WHEN TRY_CAST(x AS TINYINT) > 127 THEN 'b' ELSE 'a' END) AS m FROM sizes

-- The same of a DECIMAL, cast to fewer digits.
-- right: [[1.5],[127.4],[300.01]]
SELECT x FROM prices WHERE TRY_CAST(x AS DECIMAL(5,2)) > 1

-- The text of a TIMESTAMP WITH TIME ZONE is compared as text.
-- right: [[1]]
SELECT id FROM moments WHERE CAST(z AS VARCHAR) > '2023'

-- The same where the text can be no timestamp.
-- right: [[1,true],[2,null]]
SELECT id, CAST(z AS VARCHAR) <> 'x' AS p FROM moments

-- 2588: a date is compared with a timestamp as a timestamp.
-- right: [["2024-01-01"]]
SELECT d FROM (SELECT CAST(z AS DATE) AS d FROM moments) q WHERE d <= TIMESTAMP '2024-01-01 12:00:00'

-- 4202: a cast to TIMESTAMP is not taken back by a cast of the constant to DATE.
-- right: []
SELECT d FROM (SELECT CAST(z AS DATE) AS d FROM moments) q WHERE CAST(d AS TIMESTAMP) >= TIMESTAMP '2024-01-01 12:00:00'

-- 1987: a DECIMAL that is cast to an integer is rounded before it is compared.
-- right: [[127.4]]
SELECT x FROM prices WHERE CAST(x AS INTEGER) = 127

-- 24900: an integer is compared with a fraction as a number.
-- right: [[5],[100],[128],[300]]
SELECT x FROM sizes WHERE x > 1.5

-- 24247: an element beyond the end of an array is NULL.
-- right: [[13]]
SELECT count(*) AS c FROM (SELECT [id, id, id]::INTEGER[3] AS a FROM accounts) q WHERE a[4] IS NULL

-- A TRY_CAST that is NULL is neither in a list nor out of it.
-- right: [[1,false],[5,true],[100,false],[128,null],[300,null],[null,null]]
SELECT x, TRY_CAST(x AS TINYINT) IN (5, 7) AS p FROM sizes

-- The same as a condition.
-- right: [[128],[300],[null]]
SELECT x FROM sizes WHERE (TRY_CAST(x AS TINYINT) NOT IN (5, 7)) IS NULL
