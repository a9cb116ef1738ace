/** How both databases write a value, for types whose text differs between them. */
export interface Writing {
  postgres: string
  duckdb: string
}

const AS_IT_IS: Writing = { postgres: 'v', duckdb: 'v' }
const WHOLE_DAYS: Writing = {
  postgres: "CASE WHEN isfinite(v) THEN (v - date '2000-01-01')::text ELSE v::text END",
  duckdb: "CASE WHEN isfinite(v) THEN (v - DATE '2000-01-01')::VARCHAR ELSE v::VARCHAR END",
}
const MICROSECONDS: Writing = {
  postgres: 'CASE WHEN isfinite(v) THEN round(extract(epoch FROM v) * 1000000)::text ELSE v::text END',
  duckdb: 'CASE WHEN isfinite(v) THEN epoch_us(v)::VARCHAR ELSE v::VARCHAR END',
}
export const PARTS: Writing = {
  postgres:
    "concat_ws(' ', extract(year FROM v) * 12 + extract(month FROM v), extract(day FROM v), " +
    'round((extract(hour FROM v) * 3600 + extract(minute FROM v) * 60) * 1000000 + extract(microseconds FROM v)))',
  duckdb:
    "concat_ws(' ', datepart('year', v) * 12 + datepart('month', v), datepart('day', v), " +
    "(datepart('hour', v) * 3600 + datepart('minute', v) * 60) * 1000000 + datepart('microsecond', v))",
}
const HEX: Writing = { postgres: "encode(v, 'hex')", duckdb: 'lower(hex(v))' }
/** For lists, and for text whose first character the binding of DuckDB may drop. */
const AS_JSON: Writing = { postgres: 'to_json(v)', duckdb: 'to_json(v)' }

const HOSTILE = [
  ...[
    '',
    ' ',
    'NULL',
    'null',
    '"',
    '""',
    "'",
    "it's",
    '\\',
    '\\\\',
    '\\"',
    '\\n',
    '\\N',
    '\\.',
    ',',
    ';',
    '\n',
    '\r\n',
  ],
  ...[
    '\t',
    '{',
    '}',
    '{}',
    '[',
    ']',
    '[a, b]',
    '{a,b}',
    '(a)',
    'a=b',
    ' a ',
    '#',
    '--',
    '/*',
    '$$',
    "E'\\x'",
    '\u0001',
  ],
  ...['é', '漢字', '😀', '\u2028', '\ufeffx', '\u00a0', 'x'.repeat(100_000)],
]
const quoted = (text: string) => `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** Types, what is told for them, and values. */
export const CASES: readonly [type: string, told: string, writing: Writing, ...values: string[]][] = [
  ['bool', 'BOOLEAN', { postgres: 'v::text', duckdb: 'v' }, 'true', 'false'],
  ['int2', 'SMALLINT', AS_IT_IS, '-32768', '32767'],
  ['int4', 'INTEGER', AS_IT_IS, '-2147483648', '2147483647'],
  ['int8', 'BIGINT', AS_IT_IS, '-9223372036854775808', '9223372036854775807'],
  ['oid', 'UINTEGER', AS_IT_IS, '0', '4294967295'],
  ['numeric(38,10)', 'DECIMAL(38,10)', AS_IT_IS, '-1234567890123456789012345678.0123456789', '0.1'],
  ['numeric(5)', 'DECIMAL(5,0)', AS_IT_IS, '-99999', '0'],
  ['numeric(3,-2)', 'DECIMAL(5,0)', AS_IT_IS, '99900', '-100'],
  ['numeric(3,5)', 'DECIMAL(5,5)', { postgres: 'v', duckdb: 'v::DECIMAL(9,5)' }, '0.00999', '-0.00001'],
  ['text', 'VARCHAR', AS_JSON, ...HOSTILE.map(quoted)],
  ['varchar(20)', 'VARCHAR', AS_IT_IS, "'a'", "''"],
  ['char(5)', 'VARCHAR', { postgres: 'v::text', duckdb: 'v' }, "'ab'", "''"],
  ['"char"', 'VARCHAR', AS_IT_IS, "'a'"],
  ['name', 'VARCHAR', AS_IT_IS, "'a b'"],
  ['foldgate_mood', 'VARCHAR', AS_IT_IS, "'fine'", `'it''s "so", so'`],
  ['foldgate_price', 'DECIMAL(9,2)', AS_IT_IS, '12.34'],
  ['foldgate_tags', 'VARCHAR[]', AS_JSON, '\'{a,NULL,"b c"}\''],
  ['uuid', 'UUID', AS_IT_IS, "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'"],
  ['date', 'DATE', WHOLE_DAYS, "'2026-11-26'", "'0044-03-15 BC'", "'0001-01-01 BC'", "'4714-11-24 BC'", "'0001-01-01'"],
  ['date', 'DATE', WHOLE_DAYS, "'5874897-12-31'", "'10000-01-01'", "'infinity'", "'-infinity'"],
  ['time', 'TIME', AS_IT_IS, "'00:00:00.000001'", "'23:59:59.999999'", "'24:00:00'"],
  ['timetz', 'TIME WITH TIME ZONE', AS_IT_IS, "'01:02:03.456789+02'", "'24:00:00-15:59:59'", "'01:02:03+05:30'"],
  ['timestamp', 'TIMESTAMP', MICROSECONDS, "'2026-11-26 01:02:03.456789'", "'0001-01-01'", "'12026-01-01 00:00:00'"],
  ['timestamp', 'TIMESTAMP', MICROSECONDS, "'infinity'", "'-infinity'", "'294246-12-31 23:59:59.999999'"],
  ['timestamptz', 'TIMESTAMPTZ', MICROSECONDS, "'2026-11-26 01:02:03.456789+05:30'", "'infinity'", "'-infinity'"],
  ['timestamptz', 'TIMESTAMPTZ', MICROSECONDS, "'2026-03-29 02:30:00 Europe/Berlin'", "'12026-01-01 00:00:00Z'"],
  ['json', 'JSON', AS_IT_IS, `'{"a": 1, "a": 1.10, "b": 12345678901234567890123}'`, "'null'", `'"x"'`, "' [1 ,2] '"],
  ['jsonb', 'JSON', AS_IT_IS, `'{"b": 1.10, "a": ["\\u00e9", null]}'`, "'null'"],
  ['bytea', 'BLOB', HEX, "''", "'\\x00'", "'\\x5c27226161'", "decode(repeat('00ff5c', 1000), 'hex')"],
  [
    'bytea',
    'BLOB',
    HEX,
    "(SELECT decode(string_agg(lpad(to_hex(i), 2, '0'), ''), 'hex') FROM generate_series(0, 255) i)",
  ],
  ['bit(4)', 'BIT', AS_IT_IS, "'0101'"],
  ['varbit', 'BIT', AS_IT_IS, "'1'", "'000000001'"],
  ['int4[]', 'INTEGER[]', AS_JSON, "'{1,NULL,-3}'", "'{}'"],
  ['int8[]', 'BIGINT[]', AS_JSON, "'{9223372036854775807}'"],
  ['bool[]', 'BOOLEAN[]', AS_JSON, "'{t,f,NULL}'"],
  [
    'numeric(10,2)[]',
    'DECIMAL(10,2)[]',
    { postgres: 'v::text', duckdb: "'{' || array_to_string(v, ',') || '}'" },
    "'{1.50,-2.25}'",
  ],
  ['uuid[]', 'UUID[]', AS_JSON, "'{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11,NULL}'"],
  ['text[]', 'VARCHAR[]', AS_JSON, "'{}'", `ARRAY[${HOSTILE.map(quoted)}, NULL]`, "'{NULL}'", `'{""}'`, `'{"NULL"}'`],
  ...HOSTILE.map(
    text => ['text[]', 'VARCHAR[]', AS_JSON, `ARRAY[${quoted(text)}]`] as [string, string, Writing, string],
  ),
  ['char(3)[]', 'VARCHAR[]', { postgres: 'to_json(v::text[])', duckdb: 'to_json(v)' }, "'{a,NULL,abc}'"],
  ['foldgate_mood[]', 'VARCHAR[]', AS_JSON, `ARRAY['it''s "so", so', NULL, 'fine']::foldgate_mood[]`],
  [
    'date[]',
    'DATE[]',
    {
      postgres: "(SELECT string_agg((d - date '2000-01-01')::text, ',') FROM unnest(v) d)",
      duckdb: "array_to_string([d - DATE '2000-01-01' FOR d IN v], ',')",
    },
    '\'{2026-11-26,"0044-03-15 BC"}\'',
  ],
  [
    'timestamp[]',
    'TIMESTAMP[]',
    {
      postgres: "(SELECT string_agg(round(extract(epoch FROM d) * 1000000)::text, ',') FROM unnest(v) d)",
      duckdb: "array_to_string([epoch_us(d) FOR d IN v], ',')",
    },
    "'{2026-11-26 01:02:03.456789,0001-01-01}'",
  ],
  [
    'bytea[]',
    'BLOB[]',
    {
      postgres: "(SELECT string_agg(encode(d, 'hex'), ',') FROM unnest(v) d)",
      duckdb: "array_to_string([lower(hex(d)) FOR d IN v], ',')",
    },
    `ARRAY['\\x005c22ff'::bytea, '', '\\x2c5d']`,
  ],
  [
    'interval[]',
    'INTERVAL[]',
    {
      postgres: "(SELECT string_agg(extract(epoch FROM d)::numeric(20,6)::text, ',') FROM unnest(v) d)",
      duckdb: "array_to_string([epoch(d)::DECIMAL(20,6) FOR d IN v], ',')",
    },
    "'{1 day 02:03:04.5,-00:00:01}'",
  ],
  [
    'interval',
    'INTERVAL',
    PARTS,
    "'0'",
    "'1 year 2 mons 3 days 04:05:06.789123'",
    "'-1 years -2 mons +3 days -04:05:06.789'",
  ],
  ['interval', 'INTERVAL', PARTS, "'1 mon -1 days'", "'-1 days +02:03:00'", "'00:00:00.000001'", "'-00:00:00.000001'"],
  [
    'interval',
    'INTERVAL',
    PARTS,
    "'2562047788:00:54.775807'",
    "'178000000 years'",
    "'-178000000 years 1 day'",
    "'100 days 100:00:00'",
  ],
]
