--- row-of-a-gibibyte | expect: QUERY_TOO_LARGE, INVALID_QUERY, QUERY_TIMEOUT
SELECT repeat(repeat('x', 1000000), 1000) AS s
--- row-of-many-megabytes | expect: INVALID_QUERY, QUERY_TOO_LARGE
SELECT repeat('x', 5000000) AS s
--- four-gibibyte-string | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT length(string_agg(repeat('x', 1000000), '')) AS n FROM range(5000)
--- four-gibibytes-by-doubling | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT, INVALID_QUERY
SELECT length(list_reduce(['x', ⟦40|'x', ⟧'x'], lambda a, b: a || a)) AS n
--- hundred-thousand-columns | expect: INVALID_QUERY, QUERY_TIMEOUT, QUERY_TOO_LARGE
SELECT ⟦10000|f.*, ⟧1 AS last FROM fold_risks f
--- columns-of-columns | expect: INVALID_QUERY, QUERY_TIMEOUT, QUERY_TOO_LARGE
SELECT ⟦1000|COLUMNS(c -> length(c) > ⟧0⟦1000|)⟧ FROM fold_risks
--- json-of-brackets | expect: OK, INVALID_QUERY, QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT json_extract(repeat('[', 1000000) || repeat(']', 1000000), '$[0]') AS j
--- json-of-open-brackets | expect: OK, INVALID_QUERY, QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT json_valid(repeat('[', 100000000)) AS j
--- json-of-objects-parsed | expect: INVALID_QUERY, QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT json(repeat('{"a":', 1000000) || '1' || repeat('}', 1000000)) AS j
--- json-that-wraps-itself | expect: QUERY_TIMEOUT, QUERY_TOO_LARGE, INVALID_QUERY
WITH RECURSIVE t(v) AS (SELECT '1'::JSON UNION ALL SELECT json_object('a', v) FROM t) SELECT max(length(v::VARCHAR)) FROM t
--- json-path-that-backtracks | expect: INVALID_QUERY, QUERY_TIMEOUT, QUERY_TOO_LARGE, OK
SELECT json_extract(repeat('{"a":', 900) || '1' || repeat('}', 900), '$..a..a..a..a..b') AS j
--- nested-value-by-recursion | expect: QUERY_TIMEOUT, QUERY_TOO_LARGE, INVALID_QUERY
WITH RECURSIVE t(v) AS (SELECT [1] UNION ALL SELECT list_concat(v, v) FROM t) SELECT max(len(v)) FROM t
--- regular-expression-over-megabytes | expect: OK, QUERY_TIMEOUT, QUERY_TOO_LARGE
SELECT regexp_matches(repeat(repeat('a', 1000), 200000), '(a*)*(a*)*(a*)*b') AS found
--- regular-expression-that-is-large | expect: INVALID_QUERY, QUERY_TIMEOUT, QUERY_TOO_LARGE
SELECT regexp_matches(entity, '((((a{1,100}){1,100}){1,100}){1,100})') FROM fold_risks
--- regular-expression-of-all-matches | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT len(regexp_extract_all(repeat(repeat('a', 1000), 300000), '.')) AS n
--- regular-expression-that-multiplies | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT length(regexp_replace(repeat(repeat('a', 1000), 20000), 'a', repeat('b', 1000), 'g')) AS n
--- replace-that-multiplies | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT length(replace(repeat(repeat('a', 1000), 20000), 'a', repeat('b', 1000))) AS n
--- split-into-millions | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT len(string_split(repeat(repeat('a,', 1000), 200000), ',')) AS n
--- histogram-of-everything | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT cardinality(histogram(i)) AS n FROM range(2000000000) t(i)
--- join-of-half-a-billion | expect: QUERY_TIMEOUT, QUERY_TOO_LARGE
SELECT count(*) FROM range(500000000) a(i) JOIN range(500000000) b(i) ON md5(a.i::VARCHAR) = md5(b.i::VARCHAR)
--- window-with-a-wide-frame | expect: QUERY_TIMEOUT, QUERY_TOO_LARGE
SELECT max(m) FROM (SELECT quantile_cont(i, 0.5) OVER (ORDER BY hash(i) ROWS BETWEEN 1000000 PRECEDING AND CURRENT ROW) AS m FROM range(20000000) t(i))
--- recursion-that-doubles | expect: QUERY_TIMEOUT, QUERY_TOO_LARGE
WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + u FROM t, range(2) r(u)) SELECT count(*) FROM t
--- unnest-of-series | expect: QUERY_TIMEOUT, QUERY_TOO_LARGE
SELECT count(*) FROM (SELECT unnest(range(1000000)) FROM range(100000000))
--- distinct-of-a-list | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT len(list_distinct(range(300000000))) AS n
--- sort-of-a-list | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT len(list_sort(list_transform(range(100000000), lambda x: hash(x)))) AS n
--- export-that-fills-the-disk | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT md5(i::VARCHAR) AS a, md5((i + 1)::VARCHAR) AS b FROM range(100000000000) t(i)
--- export-of-one-endless-row | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT, INVALID_QUERY
SELECT list(md5(i::VARCHAR)) AS l FROM range(10000000000) t(i)
--- json-of-nan | expect: INVALID_QUERY, QUERY_TOO_LARGE, QUERY_TIMEOUT | 32 MB of NaNs to correct, in a row that is too large for any page
SELECT ('[' || repeat('NaN,', 8000000 + i) || '1]')::JSON AS j FROM range(1) t(i)
