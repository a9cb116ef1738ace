Statements that cost: each ends within its budget, and those after it are answered.

--- constant string of 1 GB | text
SELECT length(lpad('', 1000000000, 'x'))
--- constant string of 1 GB, joined | text
SELECT length(array_join(repeat(lpad('', 100000, 'x'), 10000), ''))
--- regular expression that goes back | budget
SELECT regexp_like('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '(x+x+)+y|(a?){40}a{40}b')
--- regular expression that goes back, over rows | budget
SELECT count(*) FROM TABLE(sequence(1, 10000)) t(n) WHERE regexp_like(lpad('', 60, 'a') || CAST(n AS varchar), '(a?){40}a{60}b')
--- LIKE that goes back | budget
SELECT count(*) FROM TABLE(sequence(1, 1000)) t(n) WHERE lpad(CAST(n AS varchar), 10000, 'a') LIKE '%a%a%a%a%a%a%a%b'
--- distance of long strings | text
SELECT levenshtein_distance(lpad('', 100000, 'x'), lpad('', 100000, 'y'))
--- rows of a table function | budget
SELECT count(*) FROM TABLE(sequence(1, 1000000000000))
--- rows of UNNEST | budget
SELECT count(*) FROM UNNEST(sequence(1, 10000))⟦7|, UNNEST(sequence(1, 10000))⟧
--- rows that are sent | budget
SELECT n, lpad('', 10000, 'x') FROM TABLE(sequence(1, 1000000000)) t(n)
--- sequence that is too long | run
SELECT cardinality(sequence(1, 1000000000))
--- array that repeats | run
SELECT repeat(1, 1000000000)
--- map of many keys | budget
SELECT cardinality(histogram(n)) FROM TABLE(sequence(1, 100000000)) t(n)
--- distinct values of many rows | budget
SELECT count(DISTINCT n) FROM TABLE(sequence(1, 1000000000)) t(n)
--- sort of many rows | budget
SELECT n FROM TABLE(sequence(1, 1000000000)) t(n) ORDER BY n % 1000, n OFFSET 999999990
--- window over many rows | budget
SELECT max(s) FROM (SELECT sum(n) OVER (ORDER BY n % 7) AS s FROM TABLE(sequence(1, 100000000)) t(n))
--- aggregate of all rows in one list | budget
SELECT cardinality(array_agg(n)) FROM TABLE(sequence(1, 1000000000)) t(n)
--- string of all rows | budget
SELECT length(listagg(CAST(n AS varchar), ',') WITHIN GROUP (ORDER BY n)) FROM TABLE(sequence(1, 100000000)) t(n)
--- loops in lambdas | text
SELECT sum(reduce(sequence(1, 10000), n, (s, x) -> s + reduce(sequence(1, 10000), x, (a, b) -> a + b, a -> a), s -> s)) FROM TABLE(sequence(1, 1000)) t(n)
--- lambdas that are read again and again | text
SELECT ⟦10|transform(ARRAY[1], x -> ⟧1⟦10|)⟧
--- lambdas of two arguments that are read again and again | text
SELECT ⟦30|reduce(ARRAY[1], 0, (s, x) -> ⟧1⟦30|, s -> s)⟧
--- lambdas beside each other | budget
SELECT filter(ARRAY[1], x -> x > 1)⟦199|, filter(ARRAY[1], x -> x > 1)⟧
--- parentheses of 10000 | text
SELECT ⟦10000|(⟧1⟦10000|)⟧
--- subqueries within each other | text
SELECT ⟦60|(SELECT ⟧1⟦60|)⟧
--- correlated subqueries | budget
SELECT ⟦40|(SELECT n + ⟧1⟦40| FROM amounts LIMIT 1)⟧
--- cases within each other | budget
SELECT ⟦1000|CASE WHEN true THEN ⟧1⟦1000| END⟧
--- negations | budget
SELECT ⟦10000|NOT ⟧true
--- signs | budget
SELECT ⟦20000|- ⟧1
--- sums | budget
SELECT ⟦20000|1+⟧1
--- arrays within arrays | text
SELECT ⟦2000|ARRAY[⟧1⟦2000|]⟧
--- arrays within arrays, as deep as they may be | budget
SELECT ⟦50|ARRAY[⟧1⟦50|]⟧
--- list of many values | budget
SELECT 1 WHERE 1 IN (⟦20000|1,⟧1)
--- list of many strings | budget
SELECT * FROM amounts WHERE word IN (⟦6000|'abcdef',⟧'a')
--- many VALUES | budget
VALUES ⟦15000|1,⟧1
--- many columns | budget
SELECT ⟦15000|1,⟧1
--- union of many | budget
SELECT 1 ⟦400|UNION ALL SELECT 1 ⟧
--- join of many | budget
SELECT 1 FROM amounts⟦199|, amounts⟧
--- queries that double each other | budget
WITH c0 AS (SELECT 1 AS n), c1 AS (SELECT a.n FROM c0 a, c0 b), c2 AS (SELECT a.n FROM c1 a, c1 b), c3 AS (SELECT a.n FROM c2 a, c2 b), c4 AS (SELECT a.n FROM c3 a, c3 b), c5 AS (SELECT a.n FROM c4 a, c4 b), c6 AS (SELECT a.n FROM c5 a, c5 b), c7 AS (SELECT a.n FROM c6 a, c6 b), c8 AS (SELECT a.n FROM c7 a, c7 b), c9 AS (SELECT a.n FROM c8 a, c8 b), c10 AS (SELECT a.n FROM c9 a, c9 b), c11 AS (SELECT a.n FROM c10 a, c10 b), c12 AS (SELECT a.n FROM c11 a, c11 b) SELECT count(*) FROM c12 a, c12 b
--- recursion without end | budget
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT * FROM r
--- recursion that doubles | budget
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT a.n FROM r a CROSS JOIN amounts b) SELECT count(*) FROM r
--- cube of columns | budget
SELECT count(*) FROM amounts GROUP BY CUBE (n⟦10|, n⟧)
--- grouping sets beyond the limit | wrapped
SELECT count(*) FROM (VALUES (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)) t(a, b, c, d, e, f, g, h, i, j, k, l) GROUP BY CUBE (a, b, c, d, e, f, g, h, i, j, k, l)
--- pattern that goes back | budget
SELECT * FROM TABLE(sequence(1, 1000)) t(n) MATCH_RECOGNIZE (ORDER BY n MEASURES count(*) AS c PATTERN ((A* B*)* (A* B*)* C) DEFINE A AS n > 0, B AS n > 0, C AS n < 0)
--- permutations in a pattern | budget
SELECT * FROM amounts MATCH_RECOGNIZE (ORDER BY n PATTERN (PERMUTE(A, B, C, D, E, F)) DEFINE A AS true)
--- constant string of 100 MB, without a function that pads | text
SELECT length(array_join(repeat('⟦1000|x⟧', 10000), '⟦1000|y⟧'))
--- string that doubles | budget
WITH a0 AS (SELECT '⟦1000|x⟧' AS s), a1 AS (SELECT s || s || s || s || s || s || s || s AS s FROM a0), a2 AS (SELECT s || s || s || s || s || s || s || s AS s FROM a1), a3 AS (SELECT s || s || s || s || s || s || s || s AS s FROM a2), a4 AS (SELECT s || s || s || s || s || s || s || s AS s FROM a3), a5 AS (SELECT s || s || s || s || s || s || s || s AS s FROM a4) SELECT length(s) FROM a5
--- JSON of many levels | text
SELECT json_extract(lpad('', 200000, '['), '$')
--- JSON path of many steps | budget
SELECT json_query(lpad('', 10000, '[') || lpad('', 10000, ']'), 'lax $..a..a..a..a')
--- JSON table without end | budget
SELECT count(*) FROM JSON_TABLE('[1,2,3]', 'lax $[*]' COLUMNS (n bigint PATH 'lax $')) a, TABLE(sequence(1, 100000000000)) b
--- number of many digits | run
SELECT ⟦50000|9⟧
--- decimal beyond its precision | run
SELECT CAST('1e400' AS decimal(38, 0)) * CAST(1e308 AS decimal(38, 0))
--- cast of a string of many megabytes | text
SELECT CAST(lpad('', 50000000, '1') AS bigint)
--- message of many megabytes | text
SELECT fail(lpad('', 20000000, 'x'))
--- date format of many signs | text
SELECT date_format(TIMESTAMP '2020-01-01 00:00:00', lpad('', 10000000, '%f'))
--- combinations | text
SELECT cardinality(combinations(sequence(1, 100), 5))
--- n-grams | text
SELECT cardinality(ngrams(sequence(1, 10000), 5000))
--- bounds of a histogram | text
SELECT numeric_histogram(1000000000, CAST(n AS double)) FROM TABLE(sequence(1, 1000)) t(n)
--- sketch of a size that is given | budget
SELECT approx_percentile(n, sequence(0, 1), 0.0000001) FROM TABLE(sequence(1, 100)) t(n)
--- tables that are read side by side | budget
SELECT count(*) FROM TABLE(sequence(1, 100000000)) a(n) JOIN TABLE(sequence(1, 100000000)) b(n) ON a.n % 2 = b.n % 2
--- width of a format | text
SELECT length(format('%2000000000d', 1))
--- bar of a width | text
SELECT length(bar(1.0, 1000000000))
--- replacements within each other | text
SELECT length(replace(replace(rpad('', 1000, 'x'), 'x', rpad('', 1000, 'y')), 'y', rpad('', 1000, 'z')))
--- replacements, as far as they may grow | budget
SELECT length(replace(rpad('', 10000, 'x'), 'x', '⟦6000|y⟧')), length(regexp_replace(rpad('', 10000, 'x'), '', '⟦6000|y⟧'))
--- arrays of lambdas, as far as they may grow | budget
SELECT cardinality(transform(sequence(1, 10000), i -> rpad('', 2000, 'x'))) FROM TABLE(sequence(1, 10000)) t(n)
--- lambdas that double | text
SELECT length(⟦30|transform(⟧ARRAY['x']⟦30|, x -> x || x)⟧[1])
--- hexadecimal digits of hexadecimal digits | text
SELECT length(⟦24|to_hex(to_utf8(⟧'12345678'⟦24|))⟧)
--- hexadecimal digits, as far as they may grow | budget
SELECT length(⟦17|to_hex(to_utf8(⟧'12345678'⟦17|))⟧)
--- pattern that repeats | text
SELECT * FROM amounts MATCH_RECOGNIZE (ORDER BY n PATTERN (((A{100}){100}){100}) DEFINE A AS true)
--- pattern that repeats, as often as it may | budget
SELECT * FROM amounts MATCH_RECOGNIZE (ORDER BY n PATTERN ((A{50}){100}) DEFINE A AS true)
--- permutations in a pattern, more than there may be | text
SELECT * FROM amounts MATCH_RECOGNIZE (ORDER BY n PATTERN (PERMUTE(A, B, C, D, E, F, G, H, I, J, K, L)) DEFINE A AS true)
--- regular expression that repeats repetitions | budget
SELECT regexp_like('a', '(((a{1000}){1000}){1000}){1000}')
--- LIKE with many signs after any | budget
SELECT 'aaaa' LIKE '%a⟦200|_⟧', word LIKE '⟦500|%a_⟧' FROM amounts
--- quantiles of an accuracy that is given | budget
SELECT qdigest_agg(n, 1, 0.00000001), approx_percentile(n, 0.5, 0.00000001) FROM TABLE(sequence(1, 1000000)) t(n)
--- arrays that double, query by query | text
SELECT cardinality(x) FROM ⟦30|(SELECT ARRAY[x, x] AS x FROM ⟧(SELECT n AS x FROM TABLE(sequence(1, 2)) t(n))⟦30|)⟧
--- arrays that double, and one that is wide, which ended a worker | text
SELECT cardinality(x) FROM (SELECT ARRAY[⟦99|x, ⟧x] AS x FROM ⟦21|(SELECT ARRAY[x, x] AS x FROM ⟧(SELECT n AS x FROM TABLE(sequence(1, 2)) t(n))⟦21|)⟧)
--- arrays that double, as far as they may grow | budget
SELECT cardinality(x) FROM ⟦18|(SELECT ARRAY[x, x] AS x FROM ⟧(SELECT n AS x FROM TABLE(sequence(1, 2)) t(n))⟦18|)⟧
