-- 25158: a Top-N sorted by a cast to a narrower integer, descending. The numbers from 0 to 299 999 each come once.
-- rows: 300000
-- first: [[299999],[299998],[299997],[299996]]
-- sorted
SELECT CAST(k AS INTEGER) AS x FROM numbers ORDER BY x DESC

-- 25158: the same behind a join, by TRY_CAST. k is 299 999 for id 82 321, of which g is 5.
-- rows: 300000
-- first: [[299999,"acc5"],[299998,"acc10"]]
-- sorted
SELECT TRY_CAST(k AS INTEGER) AS x, name FROM numbers JOIN accounts ON accounts.id = numbers.g ORDER BY x DESC

-- 25158: the same behind a UNION ALL of two casts.
-- rows: 600000
-- first: [[299999],[299999],[299998],[299998]]
-- sorted
SELECT x FROM (SELECT CAST(k AS INTEGER) AS x FROM numbers UNION ALL SELECT CAST(k AS INTEGER) FROM numbers) q ORDER BY x DESC

-- 25158: a group by the cast, of which the Top-N is taken.
-- rows: 300000
-- first: [[299999,1],[299998,1]]
-- sorted
SELECT CAST(k AS INTEGER) AS x, count(*) AS c FROM numbers GROUP BY x ORDER BY x DESC

-- 23903: a sort by one field of a struct, of which another one is selected. Only row 122 879 has failed.
-- right: [["b122879"]]
SELECT s.b AS b FROM (SELECT state, {'b': 'b' || id, 'ended_at': id} AS s FROM events) e
WHERE state = 'failed' ORDER BY s.ended_at DESC LIMIT 1

-- 22656: OFFSET without LIMIT. The row groups before it are left out, and none after it.
-- rows: 50000
-- first: [[250000],[250001]]
-- sorted
SELECT id FROM numbers ORDER BY id OFFSET 250000

-- 22776: DISTINCT, a descending order and a LIMIT.
-- rows: 1000
-- first: [[2999],[2998],[2997]]
-- sorted
SELECT DISTINCT k // 100 AS q FROM numbers ORDER BY q DESC LIMIT 1000

-- 21160: a Top-N of a row whose key is NULL.
-- right: [[1]]
SELECT id FROM left_side WHERE n IS NULL AND s = 'x' ORDER BY n LIMIT 10

-- 20823: row groups in which the key is NULL, at the end of an order.
-- rows: 5
-- first: [[null],[null],[null],[null],[null]]
-- sorted
SELECT n FROM numbers ORDER BY n NULLS LAST LIMIT 5 OFFSET 250000

-- Paging: rows with equal keys, each of which comes once over all pages.
-- rows: 3503
SELECT id, name, price FROM tracks ORDER BY price DESC
