--- sums-of-floats
SELECT kahan_sum(x) AS k, fsum(x) AS f, favg(x) AS a FROM (VALUES (0.5), (0.25)) t(x)
-- = {"k":0.75,"f":0.75,"a":0.375}
--- bitstring-aggregate
SELECT bitstring_agg(i, 0, 7) AS b FROM (VALUES (1), (3)) t(i)
-- = {"b":"01010000"}
--- extract-functions
SELECT json_extract('{"a":[1]}', '$.a') AS a, json_extract_string('{"a":"x"}', 'a') AS b, json_value('{"a":5}', '$.a') AS c, json_extract('{"a":1,"b":2}', ['a', 'b']) AS d, json_extract_path_text('{"a":"y"}', 'a') AS e
-- = {"a":[1],"b":"x","c":"5","d":[1,2],"e":"y"}
--- building
SELECT json_object('a', 1, 'b', [1, 2]) AS a, json_array(1, 'x', NULL) AS b, to_json({'k': 1}) AS c, json_quote('x') AS d, row_to_json({'r': 1}) AS e, array_to_json([1]) AS f
-- = {"a":{"a":1,"b":[1,2]},"b":[1,"x",null],"c":{"k":1},"d":"x","e":{"r":1},"f":[1]}
--- pretty
SELECT length(json_pretty('{"a":1}')) > 8 AS a
-- = {"a":true}
--- list-aggregates
SELECT list_sum([1, 2]) AS a, list_avg([1, 2]) AS b, list_max([1, 2]) AS c, list_count([1, NULL]) AS d, list_string_agg(['a', 'b']) AS e, list_median([1, 2, 9]) AS f, list_first([7, 8]) AS g, list_skewness([1, 2, 3]) AS h
-- = {"a":3,"b":1.5,"c":2,"d":1,"e":"a,b","f":2,"g":7,"h":0}
--- list-resize-and-zip
SELECT list_resize([1], 3, 0) AS a, list_zip([1, 2], ['a', 'b'])[1] IS NOT NULL AS b, list_grade_up([3, 1]) AS c
-- = {"a":[1,0,0],"b":true,"c":[2,1]}
--- generate-subscripts
SELECT generate_subscripts([10, 20], 1) AS i
-- = {"i":1}
-- = {"i":2}
--- struct-functions
SELECT struct_insert({'a': 1}, b := 2) AS a, struct_concat({'a': 1}, {'b': 2}) AS b, struct_values({'k': 1}) IS NOT NULL AS d
-- = {"a":{"a":1,"b":2},"b":{"a":1,"b":2},"d":true}
--- unions
SELECT union_value(num := 2) AS u, union_tag(union_value(num := 2))::VARCHAR AS t, union_extract(union_value(s := 'x'), 's') AS s, (1::UNION(n INTEGER, t VARCHAR)).n AS n
-- = {"u":2,"t":"num","s":"x","n":1}
--- enums
SELECT 'b'::ENUM('a', 'b') AS e, enum_range(NULL::ENUM('x', 'y')) AS r, 'low'::ENUM('low', 'high') < 'high'::ENUM('low', 'high') AS o, enum_code('y'::ENUM('x', 'y')) AS c
-- = {"e":"b","r":["x","y"],"o":true,"c":1}
--- resize-of-a-column
SELECT list_resize([1], scope, 0) AS l FROM fold_pressures GROUP BY scope ORDER BY scope LIMIT 2
-- = {"l":[1]}
-- = {"l":[1,0]}
--- rounding
SELECT round(2.567, 1) AS a, round(1234, -2) AS b, ceil(1.2) AS c, floor(-1.2) AS d, trunc(1.9) AS e, even(1.5) AS f, round_even(2.5, 0) AS g, sign(-3) AS h, abs(-4) AS i
-- = {"a":2.6,"b":1200,"c":2,"d":-2,"e":1,"f":2,"g":2,"h":-1,"i":4}
--- bits
SELECT bit_count(7) AS a, get_bit('0110'::BIT, 1) AS b, set_bit('000'::BIT, 0, 1) AS c, '01'::BIT || '1'::BIT AS d, bit_position('1'::BIT, '001'::BIT) AS e, bitstring('1', 4) AS f
-- = {"a":3,"b":1,"c":"100","d":"011","e":3,"f":"0001"}
--- bins
SELECT equi_width_bins(0, 10, 2, true) AS a, width, count(*) AS n FROM (SELECT value // 20 AS width FROM dash_ipbes) GROUP BY ALL ORDER BY width
--- padding
SELECT lpad('7', 3, '0') AS a, rpad('7', 3, '.') AS b, repeat('ab', 2) AS c, printf('%05.1f|%s|%d', 3.14159, 'x', 7) AS d, format('{:,} {} {:>5}', 1234567, 'a', 'b') AS e, bar(5, 0, 10, 10) IS NOT NULL AS f
-- = {"a":"007","b":"7..","c":"abab","d":"003.1|x|7","e":"1,234,567 a     b","f":true}
--- readable
SELECT format_bytes(1024) AS a, formatReadableSize(1024) AS b, formatReadableDecimalSize(1000) AS c, to_hex(255) AS d, hex('a') AS e, bin(5) AS f, to_base(10, 2) AS g, parse_formatted_bytes('1 KiB') AS h
-- = {"a":"1.0 KiB","b":"1.0 KiB","c":"1.0 kB","d":"FF","e":"61","f":"101","g":"1010","h":1024}
--- characters
SELECT chr(65) AS a, ascii('A') AS b, ord('a') AS c, unicode('é') AS d, strip_accents('é') AS e, nfc_normalize('e') AS f, bit_length('a') AS g, strlen('é') AS h, length_grapheme('👨‍👩‍👧') AS i, left_grapheme('ab', 1) AS j
-- = {"a":"A","b":65,"c":97,"d":233,"e":"e","f":"e","g":8,"h":2,"i":1,"j":"a"}
--- hashes-and-codes
SELECT md5('a') AS a, length(sha256('a')) AS b, sha1('') AS c, base64('a'::BLOB) AS d, from_base64('YQ==')::VARCHAR AS e, url_encode('a b') AS f, url_decode('a%20b') AS g, hash('a') = hash('a') AS h, encode('a') AS i, decode('a'::BLOB) AS j
-- = {"a":"0cc175b9c0f1b6a831c399e269772661","b":64,"c":"da39a3ee5e6b4b0d3255bfef95601890afd80709","d":"YQ==","e":"a","f":"a%20b","g":"a b","h":true,"i":"YQ==","j":"a"}
--- paths-of-texts
SELECT parse_filename('a/b.csv') AS a, parse_path('a/b')[1] AS b, parse_dirname('a/b/c') AS c
-- = {"a":"b.csv","b":"a","c":"a"}
--- hamming
SELECT hamming('abc', 'abd') AS a, mismatches('abc', 'xbc') AS b
-- = {"a":1,"b":1}
--- edit-distances
SELECT levenshtein('kitten', 'sitting') AS a, damerau_levenshtein('ab', 'ba') AS b, jaccard('ab', 'ab') AS c, jaro_winkler_similarity('a', 'a') AS d, jaro_similarity('abc', 'xyz') AS e, editdist3('a', 'b') AS f
-- = {"a":3,"b":1,"c":1,"d":1,"e":0,"f":1}
--- intervals-taken-apart
SELECT extract(day FROM INTERVAL '40 days') AS d, epoch(INTERVAL 1 HOUR) AS s, to_months(14) AS m, normalized_interval(INTERVAL 24 HOUR) AS n, julian(DATE '2025-01-01') > 2460000 AS j
-- = {"d":40,"s":3600,"m":"P1Y2M","n":"P1D","j":true}
