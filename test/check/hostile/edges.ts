const quoted = (texts: readonly string[]) => texts.map(text => `'${text.replaceAll("'", "''")}'`)
const BYTES = Array.from({ length: 256 }, (_, byte) => byte)

/** Strings that broke string functions: UTF-8 of every length, composed, cut, escaped, or with another syntax. */
const TEXTS = [
  ...quoted(['', 'a', 'é', '€', '😀', 'e\u0301', '👨‍👩‍👧', 'İ', 'ß', 'aé€😀b', '\u{10FFFF}', '\uFFFD', '\uD7FF', 'ﬁ']),
  ...quoted(['%', '%E9', '%C3%A9', '%FF', '\\', '\\xC3', '\\u00e9', '{', '{}', '{:c}', '%c', '\\C', '$', '$.a', '$**']),
  ...quoted([
    '/a/é.b',
    '"é"',
    '"\\u00e9\\ud83d\\ude00"',
    '"\\u0000"',
    '"\\ud800"',
    '{"é": "😀"}',
    '[null, "é"]',
    '12',
    '-1',
  ]),
  ...quoted(['ASC', 'strict', 'replace', 'ignore', 'day', '%Y-%m-%d', 'both_slash', 'utf-8', 'latin-1', '10:00:00']),
  "repeat('é', 13)",
  "repeat('😀', 999)",
  'chr(0)',
  "chr(0) || 'é'",
  'chr(127)',
  'NULL',
]

const EXTREMES = [-9223372036854775808n, -2147483648, 2147483647, 9223372036854775807n, 'NULL']
const CODES = [-1, 0, 1, 2, 3, 128, 240, 255, 256, 55295, 55296, 57343, 65536, 1114111, 1114112, ...EXTREMES].map(
  String,
)
const INTEGERS = [...new Set([...CODES, ...BYTES.map(String)])]

const JSON_TEXTS = [
  '"é"',
  '"\\u00e9\\ud83d\\ude00"',
  '"\\u0000"',
  '{"é": "😀"}',
  '[null, "é", {"a": ["€"]}]',
  '12',
  'NaN',
]

/** Edge values of each type as SQL. If there is no room for all of them, the first ones are used. */
export const EDGES: Readonly<Record<string, readonly string[]>> = {
  VARCHAR: TEXTS,
  BLOB: [
    "'\\xC3\\xA9'::BLOB",
    "''::BLOB",
    ...BYTES.map(byte => `'\\x${byte.toString(16).padStart(2, '0')}'::BLOB`),
    'NULL',
  ],
  BIGINT: INTEGERS,
  INTEGER: INTEGERS.map(value => `TRY_CAST(${value} AS INTEGER)`),
  DOUBLE: [
    "'NaN'::DOUBLE",
    "'inf'::DOUBLE",
    "'-inf'::DOUBLE",
    '-1.5::DOUBLE',
    '0',
    '1e308',
    '5e-324',
    '2.5',
    '10',
    'NULL',
  ],
  BOOLEAN: ['true', 'false', 'NULL'],
  BIT: ["'0'::BIT", "'11000011'::BIT", 'NULL'],
  DATE: ["DATE '2026-11-20'", "'infinity'::DATE", "DATE '-290307-01-01'", 'NULL'],
  TIMESTAMP: ["TIMESTAMP '2026-11-20 01:02:03'", "'-infinity'::TIMESTAMP", "TIMESTAMP '290000-01-01'", 'NULL'],
  'TIMESTAMP WITH TIME ZONE': ["TIMESTAMPTZ '2026-11-20 01:02:03+02'", "'infinity'::TIMESTAMPTZ", 'NULL'],
  TIME: ["TIME '01:02:03'", "TIME '24:00:00'", 'NULL'],
  INTERVAL: ["INTERVAL '-14 months 40 days'", "INTERVAL '0 days'", 'NULL'],
  UUID: ["'0f0e0d0c-0b0a-4909-8807-060504030201'::UUID", 'NULL'],
  JSON: JSON_TEXTS.map(text => `'${text}'::JSON`),
  'VARCHAR[]': ["['é', NULL, '😀']", "['']", '[]::VARCHAR[]', 'NULL'],
  'BIGINT[]': ['[1, -1, 240]', '[]::BIGINT[]', 'NULL'],
  'BOOLEAN[]': ['[true, false]', 'NULL'],
  'MAP(K, V)': ["MAP {'é': '😀'}", 'NULL'],
  STRUCT: ["{'é': '😀', 'b': 1}"],
}

/** Types that share the edge values of another type. */
export const SAME: Readonly<Record<string, string>> = {
  FLOAT: 'DOUBLE',
  DECIMAL: 'DOUBLE',
  'FLOAT[ANY]': 'FLOAT[3]',
  'DOUBLE[ANY]': 'DOUBLE[3]',
  'K[]': 'VARCHAR[]',
  'V[]': 'VARCHAR[]',
  HUGEINT: 'BIGINT',
  UBIGINT: 'BIGINT',
  UHUGEINT: 'BIGINT',
  SMALLINT: 'INTEGER',
  TINYINT: 'INTEGER',
  USMALLINT: 'INTEGER',
  UTINYINT: 'INTEGER',
  UINTEGER: 'INTEGER',
  'ANY[]': 'VARCHAR[]',
  'T[]': 'VARCHAR[]',
  K: 'VARCHAR',
  V: 'VARCHAR',
}

/** Calls and operators with arguments that must be literals; `$` is the value that is tested. */
export const TEMPLATES = [
  `regexp_replace($, '(.)', '\\1\\1', 'g')`,
  `regexp_replace($, '', 'é', 'g')`,
  `regexp_replace($, '[^a]', '')`,
  `regexp_replace('é', '.', $)`,
  `regexp_extract($, '.')`,
  `regexp_extract($, '(.)(.)', 2)`,
  `regexp_extract($, '(?s)(.)(.*)', ['a', 'b'])`,
  `regexp_extract_all($, '')`,
  `regexp_extract_all($, '.')`,
  `regexp_extract_all($, '[[:^alpha:]]')`,
  `string_split_regex($, '')`,
  `regexp_split_to_array($, '[é€]')`,
  `printf('%s|%5s|%.1s|%-3s|%.0s', $, $, $, $, $)`,
  `format('{:.1}|{:>5}|{:^9.2s}|{}', $, $, $, $)`,
  `split_part($, 'é', 1)`,
  `split_part('aéb', $, 2)`,
  `array_slice($, 1, 1)`,
  `list_slice($, -2, 1)`,
  `lpad($, 7, '€')`,
  `rpad('a', 5, $)`,
  `translate($, 'é€😀', 'b')`,
  `strftime(TIMESTAMP '2026-11-20 01:02:03', $)`,
  `$ || 'é'`,
  '$[2:3]',
  '$[1]',
  '$[-1:]',
  '$ COLLATE NOCASE',
  '$::BLOB::VARCHAR',
  'CAST({a: $} AS VARCHAR)',
  'CAST(MAP {$: $} AS VARCHAR)',
  'CAST(row($, [$]) AS VARCHAR)',
]
