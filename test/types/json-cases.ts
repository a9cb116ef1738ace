import type { TypeCase } from './cases.js'

/** Values of the engine's JSON type, which accepts more than standard JSON. */
export const JSON_CASES: TypeCase[] = [
  {
    name: 'json',
    sql: [`'{"a": [1, 2.50], "b": null}'::JSON`, `'"text"'::JSON`],
    json: [{ a: [1, 2.5], b: null }, 'text'],
    parquet: ['{"a": [1, 2.50], "b": null}', '"text"'],
  },
  {
    name: 'json_that_is_none',
    sql: [`'{"a": NaN, "b": [-Infinity, 1,], "c": "NaN, ]"}'::JSON`, 'NULL'],
    json: [{ a: 'NaN', b: ['-Infinity', 1], c: 'NaN, ]' }, null],
    parquet: ['{"a": "NaN", "b": ["-Infinity", 1], "c": "NaN, ]"}', null],
  },
  {
    name: 'json_numbers_that_are_none',
    sql: [`'[-NaN, nan, inf, -inf, INFINITY, -infinity, "-NaN", "a\\"inf", {"inf": nan,}]'::JSON`, `'-nan'::JSON`],
    json: [['NaN', 'NaN', 'Infinity', '-Infinity', 'Infinity', '-Infinity', '-NaN', 'a"inf', { inf: 'NaN' }], 'NaN'],
    parquet: [
      '["NaN", "NaN", "Infinity", "-Infinity", "Infinity", "-Infinity", "-NaN", "a\\"inf", {"inf": "NaN"}]',
      '"NaN"',
    ],
  },
  {
    name: 'json_of_lines',
    sql: [`('{"a":' || chr(10) || '[1,' || chr(13) || chr(9) || '"b"]}')::JSON`, `'null'::JSON`],
    json: [{ a: [1, 'b'] }, null],
    parquet: ['{"a":\n[1,\r\t"b"]}', 'null'],
  },
  {
    name: 'json_within',
    sql: [`[{'k': ['1'::JSON, NULL, '[NaN,]'::JSON]}]`, `[{'k': []::JSON[]}]`],
    json: [[{ k: [1, null, ['NaN']] }], [{ k: [] }]],
    parquet: [[{ k: ['1', null, '["NaN"]'] }], [{ k: [] }]],
  },
  {
    name: 'json_in_a_union',
    sql: [`union_value(j := '"text"'::JSON)`, `union_value(j := '[inf]'::JSON)`],
    json: ['text', ['Infinity']],
    parquet: ['"text"', '["Infinity"]'],
  },
]
