-- 23685: two values that are equal, or both NULL. With one NULL, it is NULL.
-- right: [[1,true],[2,null],[3,true],[4,false]]
SELECT id, a = b OR (a IS NULL AND b IS NULL) AS p FROM shares

-- 23685: the same below NOT.
-- right: [[4]]
SELECT id FROM shares WHERE NOT (a = b OR (a IS NULL AND b IS NULL))

-- 24368: the month of NULL is not another one than a time that begins no month.
-- right: [[1],[3]]
SELECT id FROM days WHERE date_trunc('month', t) <> TIMESTAMP '2024-01-15 10:00:00'

-- 24368: the same as a value.
-- right: [[1,false],[2,null],[3,false]]
SELECT id, date_trunc('month', t) = TIMESTAMP '2024-01-15 10:00:00' AS p FROM days

-- 24368: NaN is above every number, and so is its negative.
-- right: [[1],[3]]
SELECT id FROM (VALUES (1, 'nan'::DOUBLE), (2, 1.0), (3, -5.0), (4, NULL)) v(id, x) WHERE (-x) > 0

-- 25992: NOT of a comparison with NULL beside what is true.
-- right: [[1],[2],[3]]
SELECT id FROM flags WHERE (NOT (c IS TRUE)) OR (NOT (c < TRUE))

-- 23979: EXISTS with the NULL of a LEFT JOIN in a <>. Row 1 has no partner; of the others, j is n or NULL.
-- right: [[1,false],[2,false],[3,false],[4,false]]
SELECT l.id, EXISTS (SELECT 1 FROM pairs p WHERE p.i = l.id AND p.j <> r.n) AS e
FROM left_side l LEFT JOIN right_side r ON l.id = r.id

-- 17042: a filter for NULL over both sides of a LEFT JOIN, of which each has a value.
-- right: []
SELECT f.id FROM flags f LEFT JOIN (SELECT * FROM shares WHERE id = 1) s ON true WHERE (s.a < f.id) IS NULL

-- 20188: a CTE of a scalar subquery that reads the row around it, read by another scalar subquery. The engine is wrong
-- without its optimizer too.
-- right: [["a",1],["ab",null]]
-- may be refused
SELECT s, (WITH nt AS (SELECT length(s) AS n) SELECT (FROM (FROM nt) WHERE 'a' = s[n])) AS e
FROM (VALUES ('a'), ('ab')) v(s)
