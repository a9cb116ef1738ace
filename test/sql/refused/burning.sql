--- memory-bomb-02 | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT | list in one value, not interruptible
SELECT len(generate_series(TIMESTAMP '1900-01-01', TIMESTAMP '2100-01-01', INTERVAL 1 MICROSECOND))
--- memory-bomb-04 | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT | outside memory_limit
SELECT max(length(repeat('x', 100000000) || i)) FROM range(100) t(i)
--- memory-bomb-07 | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT | width in the format
SELECT length(format('{:1000000000}', 1))
--- memory-bomb-08 | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT | outside memory_limit
SELECT len(list_resize([1], 1000000000))
--- memory-bomb-13 | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT | 40 GB matrix
SELECT damerau_levenshtein(repeat('a', 100000), repeat('b', 100000))
--- timeout-04 | expect: QUERY_TIMEOUT, INVALID_QUERY, QUERY_TOO_LARGE | 36^8 rows over real relations
SELECT count(*) FROM fold_risks a, fold_risks b, fold_risks c, fold_risks d, fold_risks e, fold_risks f, fold_risks g, fold_risks h WHERE a.value + b.value + c.value + d.value + e.value + f.value + g.value + h.value < 0
--- timeout-09 | expect: QUERY_TIMEOUT, INVALID_QUERY, QUERY_TOO_LARGE | skewed join
SELECT count(*) FROM range(100000000) a(i) JOIN range(100000000) b(i) ON a.i % 2 = b.i % 2
--- timeout-10 | expect: QUERY_TIMEOUT, INVALID_QUERY, QUERY_TOO_LARGE | regex work per row
SELECT max(regexp_matches(md5(i::VARCHAR), '((a|b|c|d|e|f){1,20}[0-9]{1,20}){1,9}x')) FROM range(1000000000) t(i)
--- timeout-11 | expect: QUERY_TIMEOUT, INVALID_QUERY, QUERY_TOO_LARGE | hash table work
SELECT count(DISTINCT md5(i::VARCHAR)) FROM range(3000000000) t(i)
--- timeout-12 | expect: QUERY_TIMEOUT, INVALID_QUERY, QUERY_TOO_LARGE | top-n over an endless series
SELECT * FROM range(20000000000) t(i) ORDER BY hash(i) LIMIT 5
--- timeout-13 | expect: QUERY_TIMEOUT, INVALID_QUERY, QUERY_TOO_LARGE | long string work per row
SELECT sum(length(string_split(s, 'a')[1])) FROM (SELECT string_agg('ab', '') AS s FROM range(3000000)) t, range(1000000)
--- too-large-04 | expect: QUERY_TOO_LARGE, INVALID_QUERY, QUERY_TIMEOUT | sort spills past max_temp_directory_size
SELECT max(n) FROM (SELECT row_number() OVER (ORDER BY s DESC) AS n FROM (SELECT md5(i::VARCHAR) || md5((i + 1)::VARCHAR) || md5((i + 2)::VARCHAR) AS s FROM range(400000000) t(i)))
--- too-large-05 | expect: QUERY_TOO_LARGE, INVALID_QUERY, OK, QUERY_TIMEOUT | 2048 grouping sets: one hash table each
SELECT count(*) FROM fold_risks GROUP BY CUBE(value, score, risk, biome, commodity, entity, assessed_on, entity_id, tags, score + 1, score + 2)
--- too-large-06 | expect: QUERY_TOO_LARGE, INVALID_QUERY, QUERY_TIMEOUT | string doubling grows RSS outside memory_limit: needs a process memory cap
WITH a AS (SELECT string_agg('xxxxxxxxxx', '') AS s FROM range(100000)), b AS (SELECT s || s || s || s || s || s || s || s || s || s AS s FROM a), c AS (SELECT s || s || s || s || s || s || s || s || s || s AS s FROM b), d AS (SELECT s || s || s || s || s || s || s || s || s || s AS s FROM c) SELECT length(s || s || s || s) FROM d
--- repeat-of-millions | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT repeat('x', 1000000000)
--- repeat-as-a-method | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT entity.repeat(200000000) FROM fold_risks
--- repeat-as-a-method-of-a-table-column | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT f.entity.repeat(200000000) FROM fold_risks f
--- repeat-with-main | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT main.repeat('x', 1000000000)
--- repeat-of-a-column-named-like-a-schema | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
WITH t AS (SELECT 'x' AS pg_catalog) SELECT pg_catalog.repeat(1000000000) FROM t
--- repeat-of-a-list | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT repeat([1], 1000000000)
--- lpad-of-millions | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT lpad('x', 1000000000, ' ')
--- lpad-as-a-method | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT entity.lpad(1000000000, ' ') FROM fold_risks
--- rpad-of-a-subquery | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT rpad('x', (SELECT 1000000000), ' ')
--- rpad-as-a-method | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT entity.rpad(1000000000, ' ') FROM fold_risks
--- list-resize | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT list_resize([1], 1000000000)
--- list-resize-as-a-method | expect: INVALID_QUERY, QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT tags.list_resize(1000000000) FROM fold_risks
--- array-resize | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT array_resize([1], 1000000000, 0)
--- bitstring | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT bitstring('1', 1000000000)
--- bitstring-as-a-method | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
WITH t AS (SELECT '1' AS b) SELECT b.bitstring(2000000000) FROM t
--- range-of-millions | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT len(range(1000000000))
--- range-as-a-method-of-a-table-column | expect: INVALID_QUERY, QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT p.scope.generate_series(1000000000) FROM fold_pressures p
--- range-in-a-lambda | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT list_transform([1000000000], lambda x: range(x))
--- format-width | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT format('{:>1000000000}', 'x')
--- format-nested-width | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT format('{:{}}', 1, 1000000000)
--- printf-width | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT printf('%1000000000d', 1)
--- printf-star | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT printf('%*d', 1000000000, 1)
--- levenshtein-of-millions | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT levenshtein(repeat('a', 1000000), repeat('b', 1000000))
--- levenshtein-a-row | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT max(levenshtein(repeat('a', 10000) || i, repeat('b', 10000))) FROM range(100000) t(i)
--- jaccard-of-millions | expect: QUERY_TIMEOUT, QUERY_TOO_LARGE, OK
SELECT jaccard(repeat('ab', 50000000), repeat('bc', 50000000)) AS j
--- jaro-of-millions | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT jaro_winkler_similarity(repeat('a', 10000000), repeat('b', 10000000))
--- mismatches-of-millions | expect: QUERY_TIMEOUT, QUERY_TOO_LARGE, OK
SELECT mismatches(repeat('a', 100000000), repeat('b', 100000000))
--- cross-join-of-ranges | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT count(*) FROM range(100000000) a, range(100000000) b
--- endless-recursion | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t
--- sort-of-hashes | expect: QUERY_TOO_LARGE, QUERY_TIMEOUT
SELECT * FROM range(5000000000) t(i) ORDER BY md5(i::VARCHAR) LIMIT 1
--- like-of-a-long-computed-pattern | expect: QUERY_TIMEOUT, INVALID_QUERY, QUERY_TOO_LARGE | each wildcard multiplies the time
SELECT repeat('a', 3000) LIKE left(repeat('%a_', i::INTEGER), 900) || 'b' FROM range(300, 310) t(i)
