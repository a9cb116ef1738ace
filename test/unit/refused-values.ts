/** Values of no scalar type. */
const NEVER = [{}, [], [1], { type: 'DATE', value: null }, [null], '\ud800', '', ' ', 'null', '\0']
const STRINGS = ['x', '1x', 'true', '0x10', '1_000', '１', '1e3', '+1', ' 1', '1 ', '--1', '01', '-']

const JSON_NUMBER = '±9007199254740991'
const integer = (name: string, least: bigint, most: bigint): [string, unknown[]] => {
  const beyond = [most + 1n, least - 1n]
  const isSmall = most < 2n ** 32n
  return [
    `${name}: a whole number from ${least} to ${most}${isSmall ? '' : `; beyond ${JSON_NUMBER}, its digits as a string`}`,
    [...NEVER, ...STRINGS, true, 0.5, NaN, Infinity, '1.0', '0.5', 2 ** 53, -(2 ** 53), 1e300, '9'.repeat(40)].concat(
      beyond.map(String),
      isSmall ? beyond.map(Number) : [],
    ),
  ]
}

/** What each type must be, and values that are none of it. */
export const REFUSED: Readonly<Record<string, [expected: string, refused: unknown[]]>> = {
  BOOLEAN: ['a BOOLEAN: true or false', [...NEVER, 0, 1, 'true', 'false', 't']],
  TINYINT: integer('a TINYINT', -128n, 127n),
  SMALLINT: integer('a SMALLINT', -32_768n, 32_767n),
  INTEGER: integer('an INTEGER', -(2n ** 31n), 2n ** 31n - 1n),
  BIGINT: integer('a BIGINT', -(2n ** 63n), 2n ** 63n - 1n),
  HUGEINT: integer('a HUGEINT', -(2n ** 127n), 2n ** 127n - 1n),
  UTINYINT: integer('a UTINYINT', 0n, 255n),
  USMALLINT: integer('a USMALLINT', 0n, 65_535n),
  UINTEGER: integer('a UINTEGER', 0n, 2n ** 32n - 1n),
  UBIGINT: integer('a UBIGINT', 0n, 2n ** 64n - 1n),
  UHUGEINT: integer('a UHUGEINT', 0n, 2n ** 128n - 1n),
  FLOAT: [
    'a FLOAT: a number that it holds without loss, such as 0.1, or "NaN", "Infinity" or "-Infinity"; a DOUBLE holds ' +
      'more digits',
    [...NEVER, ...STRINGS, true, 0.1000000001, 16_777_217, 3.5e38, 1e-60, 0.123456789, 'nan', 'inf', '1', 'toString'],
  ],
  DOUBLE: [
    'a DOUBLE: a number, "NaN", "Infinity" or "-Infinity"',
    [...NEVER, ...STRINGS, true, '1', 'nan', '+Infinity', 'infinity', '0.5', 'constructor', '__proto__'],
  ],
  'DECIMAL(10,2)': [
    'a DECIMAL(10,2): a number of at most 8 digits before the point and 2 after it, as a string when it has more than ' +
      '15 digits',
    [...NEVER, ...STRINGS.filter(text => text !== '01'), true, 1.234, '1.234', 1e8, '100000000', '123456789.1', 1e-3],
  ],
  'DECIMAL(38,20)': [
    'a DECIMAL(38,20): a number of at most 18 digits before the point and 20 after it, as a string when it has more ' +
      'than 15 digits',
    [0.1234567890123456, 1234567890123456, 1e18, '1'.repeat(19), 1e-21, 1e300, 5e-324, '.5', '5.', '1,5', 'NaN', NaN],
  ],
  VARCHAR: [
    'a VARCHAR: a string without half of a surrogate pair',
    [{}, [], 1, true, '\ud800', 'a\udc00b', '\udc00\ud800'],
  ],
  UUID: [
    'a UUID, such as "f47ac10b-58cc-4372-a567-0e02b2c3d479"',
    [
      ...NEVER,
      1,
      'f47ac10b58cc4372a5670e02b2c3d479',
      '{f47ac10b-58cc-4372-a567-0e02b2c3d479}',
      'f47ac10b-58cc-4372-a567-0e02b2c3d47g',
    ],
  ],
  BLOB: [
    'a BLOB in base64 as rows have it, such as "AP8="',
    [
      ...NEVER.filter(each => each !== '' && each !== 'null'),
      1,
      'AP8',
      'AP8==',
      'AP9=',
      '_-8=',
      'AP8=\n',
      'A',
      '\\x00',
      'AP8=AP8=',
    ],
  ],
  BIT: ['a BIT as rows have it, such as "0101"', [...NEVER, 1, 101, true, '012', '0 1', 'b0101', "'1'"]],
  DATE: [
    'a DATE as rows have it, such as "2026-11-20"',
    [
      ...[
        ...NEVER,
        ...STRINGS,
        1,
        true,
        '2026-1-2',
        '26-01-02',
        '20260102',
        '2026/01/02',
        '02026-01-02',
        '+2026-01-02',
      ],
      ...[
        '-2026-01-02',
        '-000000-01-01',
        '+00002026-01-02',
        '2026-01-02T00:00:00',
        '2026-01-02 (BC)',
        'Infinity',
        'epoch',
      ],
    ],
  ],
  TIME: [
    'a TIME as rows have it, such as "01:02:03.456"',
    [
      ...[
        ...NEVER,
        ...STRINGS,
        1,
        '1:02:03',
        '01:02',
        '24:00:01',
        '24:00:00.000001',
        '25:00:00',
        '00:60:00',
        '00:00:60',
      ],
      ...['-01:00:00', '01:02:03.', '01:02:03,5', '01:02:03Z', '01:02:03+02:00', '01:02:03.0000000000', 'infinity'],
    ],
  ],
  TIME_NS: ['a TIME_NS as rows have it, such as "01:02:03.456"', [...NEVER, '24:00:00.000000001', '01:02']],
  'TIME WITH TIME ZONE': [
    'a TIME WITH TIME ZONE as rows have it, such as "01:02:03+02:00"',
    [
      ...NEVER,
      1,
      '01:02:03',
      '01:02:03+2',
      '01:02:03+02',
      '01:02:03+0200',
      '01:02:03+02:60',
      '01:02:03 +02:00',
      '+02:00',
    ],
  ],
  TIMESTAMP: [
    'a TIMESTAMP as rows have it, such as "2026-11-20T01:02:03.456"',
    [
      ...[...NEVER, ...STRINGS, 1, 1.7e12, '2026-01-01', '2026-01-01 01:02:03', '2026-01-01t01:02:03', '01:02:03'],
      ...['2026-01-01T24:00:00', '2026-01-01T01:02', '2026-01-01T01:02:60', '2026-01-01T01:02:03Z', 'T01:02:03'],
      ...['2026-01-01T01:02:03+02:00', '2026-01-01T01:02:03T', 'Infinity', '-000000-01-01T00:00:00'],
    ],
  ],
  TIMESTAMP_S: ['a TIMESTAMP_S as rows have it, such as "2026-11-20T01:02:03"', [...NEVER, 1, '2026-01-01']],
  TIMESTAMP_MS: ['a TIMESTAMP_MS as rows have it, such as "2026-11-20T01:02:03.456"', [...NEVER, 1, '2026-01-01']],
  TIMESTAMP_NS: ['a TIMESTAMP_NS as rows have it, such as "2026-11-20T01:02:03.456"', [...NEVER, 1, '2026-01-01']],
  'TIMESTAMP WITH TIME ZONE': [
    'a TIMESTAMP WITH TIME ZONE as rows have it, such as "2026-11-20T01:02:03Z"',
    [
      ...NEVER,
      1,
      '2026-01-01',
      '2026-01-01T01:02:03',
      '2026-01-01T01:02:03z',
      '2026-01-01T01:02:03+24:00',
      '2026-01-01Z',
    ],
  ],
  INTERVAL: [
    'an INTERVAL as rows have it, such as "P1M2DT3.5S"',
    [
      ...[
        ...NEVER,
        ...STRINGS,
        1,
        'P',
        'PT',
        'P1DT',
        'P1',
        'PT1',
        '-P1D',
        'P+1D',
        'P1W',
        'P1D1M',
        'P1.5D',
        'PT1.5H',
        'p1d',
      ],
      ...['P1DT1D', 'PT1S1M', 'P1Y2Y', 'PT.5S', 'PT1.S', '1 day', '01:02:03', 'PT1.0000000000S', 'P--1D'],
    ],
  ],
}

/** Values that have the form of their type, and what they must be instead. */
export const OUTSIDE: readonly [type: string, expected: string, refused: unknown[]][] = [
  ...['DATE', 'TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP WITH TIME ZONE'].map(type => {
    const rest = type === 'DATE' ? '' : type.endsWith('ZONE') ? 'T00:00:00Z' : 'T00:00:00'
    const days = [
      '2026-02-30',
      '2026-02-29',
      '1900-02-29',
      '2026-04-31',
      '2026-13-01',
      '2026-00-10',
      '2026-01-00',
      '2026-01-32',
    ]
    return [type, 'a date that exists in the calendar', days.map(day => day + rest)] as [string, string, unknown[]]
  }),
  [
    'DATE',
    'a DATE from -5877641-06-25 to +5881580-07-10, or "infinity" or "-infinity"',
    ['+5881580-07-11', '-5877641-06-24', '+9999999-12-31', '-9999999-01-01'],
  ],
  ...(['TIMESTAMP', 'TIMESTAMP_MS', 'TIMESTAMP_S'] as const).map(
    type =>
      [
        type,
        'a timestamp from -290308-12-22T00:00:00 to +294247-01-10T04:00:54.775806',
        ['-290308-12-21T23:59:59', '+294247-01-10T04:00:55', '+5881580-07-10T00:00:00'],
      ] as [string, string, unknown[]],
  ),
  [
    'TIMESTAMPTZ',
    'a timestamp from -290308-12-22T00:00:00 to +294247-01-10T04:00:54.775806',
    ['-290308-12-22T00:00:00+00:01', '+294247-01-10T04:00:54.775807Z'],
  ],
  [
    'TIMESTAMP_NS',
    'a TIMESTAMP_NS from 1677-09-22T00:00:00 to 2262-04-11T23:47:16.854775806',
    ['1677-09-21T23:59:59.999999999', '2262-04-11T23:47:16.854775807', '9999-12-31T00:00:00'],
  ],
  ['TIMESTAMP_S', 'a time of whole seconds', ['2026-01-01T00:00:00.5']],
  ['TIMESTAMP_MS', 'a time with at most 3 digits of a fraction of a second', ['2026-01-01T00:00:00.1234']],
  ['TIME', 'a time with at most 6 digits of a fraction of a second', ['00:00:00.1234567']],
  ['INTERVAL', 'a time with at most 6 digits of a fraction of a second', ['PT0.1234567S']],
  ['TIMETZ', 'a TIME WITH TIME ZONE with an offset of at most 15:59:59', ['00:00:00+16:00', '00:00:00-99:00']],
  [
    'INTERVAL',
    'an INTERVAL whose months and days fit 32 bits, and whose microseconds fit 64',
    [
      'P2147483648M',
      'P-2147483649D',
      'P178956970Y8M',
      'PT2562047788H54.775808S',
      'PT9999999999999999S',
      'P9999999999Y',
    ],
  ],
  ['INTEGER[]', 'a list, since its type is INTEGER[]', [1, '1', {}, true]],
]
