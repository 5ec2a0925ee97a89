import { describe } from 'vitest'
import { CivilDate, CivilDateTime } from '../../../../lib/record/civil.ts'
import { Decimal } from '../../../../lib/record/decimal.ts'
import { Float } from '../../../../lib/record/float.ts'
import { failures, results } from './table.ts'

const day = CivilDate.parse('2023-04-05') as CivilDate
const row = {
  n: null,
  h: new Float(1e300),
  nan: Number.NaN,
  xs: [1],
  m: { a: 1 },
  big: 2n ** 63n - 1n,
  d: Decimal.of(-399n, 2),
  day,
  time: CivilDateTime.of(day, 6, 7, 8, 900_000_000) as CivilDateTime,
  long: 'x'.repeat(300),
  pattern: '%d.%m.%Y',
}

describe('int', () => {
  results(row, [
    ["'+7'.to_int()", 7],
    ["'-0'.to_int()", 0],
    ["'-9223372036854775808'.to_int()", -(2n ** 63n)],
    ["'0009223372036854775807'.to_int()", 2n ** 63n - 1n],
    ['(-7.99).to_int()', -7],
    ['(-0.5).to_int()', 0],
    ['d.to_int()', -3],
    ['true.to_int()', 1],
    ['big.to_int()', 2n ** 63n - 1n],
    ['h.try_int()', null],
    ['day.try_int()', null],
    ["'9223372036854775808'.try_int()", null],
    ["''.try_int()", null],
    ['n.to_int()', null],
    ['n.try_int()', null],
  ])
  failures(row, [
    ["'5.0'.to_int()", "cannot convert '5.0' to Int"],
    ["'1e3'.to_int()", "cannot convert '1e3' to Int"],
    ["' 5'.to_int()", "cannot convert ' 5' to Int"],
    ["'٣'.to_int()", "cannot convert '٣' to Int"],
    ['h.to_int()', `cannot convert '1${'0'.repeat(255)}…' to Int`],
    ['nan.to_int()', "cannot convert 'NaN' to Int"],
    ["'9223372036854775808'.to_decimal().to_int()", "cannot convert '9223372036854775808' to Int"],
    ['xs.to_int()', "cannot convert '[1]' to Int"],
    ['m.to_int()', "cannot convert '{a: 1}' to Int"],
    ['day.to_int()', "cannot convert '2023-04-05' to Int"],
    ['long.to_int()', `cannot convert '${'x'.repeat(256)}…' to Int`],
    ["'a\\nb'.to_int()", "cannot convert 'a b' to Int"],
  ])
})

describe('float', () => {
  results(row, [
    ["'6.02'.to_float()", 6.02],
    ["'2E-2'.to_float()", 0.02],
    ["'+0.5'.to_float()", 0.5],
    ["'5.'.to_float()", 5],
    ["'.5'.to_float()", 0.5],
    ["'-0'.to_float()", -0],
    ["'1e999'.to_float()", Number.POSITIVE_INFINITY],
    ["'-Infinity'.to_float()", Number.NEGATIVE_INFINITY],
    ["'NaN'.to_float()", Number.NaN],
    ["'+nan'.to_float()", Number.NaN],
    ['9007199254740993.to_float()', 9007199254740992],
    ['6.to_float().type_of()', 'float'],
    ['d.try_float()', -3.99],
    ['true.try_float()', null],
    ["'.'.try_float()", null],
    ["'e5'.try_float()", null],
    ["''.try_float()", null],
  ])
  failures(row, [
    ["'1,5'.to_float()", "cannot convert '1,5' to Float"],
    ["'0x10'.to_float()", "cannot convert '0x10' to Float"],
    ["'infinite'.to_float()", "cannot convert 'infinite' to Float"],
    ['true.to_float()', "cannot convert 'true' to Float"],
  ])
})

describe('decimal', () => {
  results(row, [
    ["'007.10'.to_decimal()", '7.10'],
    ["'2.5e2'.to_decimal()", '250'],
    ["'25E-4'.to_decimal()", '0.0025'],
    ['0.1.to_decimal()', '0.1000000000000000055511151231'],
    ['big.to_decimal()', '9223372036854775807'],
    ['d.to_decimal()', '-3.99'],
    ['nan.try_decimal()', null],
    ['true.try_decimal()', null],
  ])
  failures(row, [
    ["'79228162514264337593543950336'.to_decimal()", "cannot convert '79228162514264337593543950336' to Decimal"],
    ['h.to_decimal()', 'cannot convert'],
    ['day.to_decimal()', "cannot convert '2023-04-05' to Decimal"],
  ])
})

describe('bool', () => {
  results(row, [
    ["'YES'.to_bool()", true],
    ["'No'.to_bool()", false],
    ["'FALSE'.to_bool()", false],
    ['(-3).to_bool()', true],
    ['big.to_bool()', true],
    ['0.to_bool()', false],
    ['0.0.try_bool()', null],
    ['d.try_bool()', null],
  ])
  failures(row, [
    ["'t'.to_bool()", "cannot convert 't' to Bool"],
    ["' true'.to_bool()", "cannot convert ' true' to Bool"],
    ["''.to_bool()", "cannot convert '' to Bool"],
    ['1.0.to_bool()', "cannot convert '1' to Bool"],
  ])
})

describe('date', () => {
  results(row, [
    ["'2023-4-5'.to_date()", '2023-04-05'],
    ["'5.4.2023'.to_date(pattern)", '2023-04-05'],
    ["'2023-04-05'.to_date(n)", '2023-04-05'],
    ['time.to_date()', '2023-04-05'],
    ['day.to_date(pattern)', '2023-04-05'],
    ["'2023-04-05'.try_date('%Q')", null],
    ["'2023/04/05'.try_date()", null],
    ['5.try_date()', null],
  ])
  failures(row, [
    ["'2023-04-05T06:07:08'.to_date()", "cannot convert '2023-04-05T06:07:08' to Date"],
    ["'2023-02-29'.to_date()", "cannot convert '2023-02-29' to Date"],
    ["'x'.to_date('%Q')", "bad date pattern '%Q': there is no %Q"],
    ['20230405.to_date()', "cannot convert '20230405' to Date"],
  ])
})

describe('date-time', () => {
  results(row, [
    ["'2023-4-5T6:7:8.5'.to_datetime()", '2023-04-05T06:07:08.500'],
    ["'2023-04-05T06:07:08.1234567891'.to_datetime()", '2023-04-05T06:07:08.123456789'],
    ['time.to_datetime()', '2023-04-05T06:07:08.900'],
    ['day.to_datetime()', '2023-04-05T00:00:00'],
    ["'2023-04-05 06:07'.try_datetime('%F %R')", '2023-04-05T06:07:00'],
    ["'2023-04-05'.try_datetime('%F')", null],
    ["'2023-04-05T06:07:60'.try_datetime()", null],
    ["'2023-04-05T06:07:08Z'.try_datetime()", null],
  ])
  failures(row, [
    ["'2023-04-05 06:07:08'.to_datetime()", "cannot convert '2023-04-05 06:07:08' to DateTime"],
    ["'2023-04-05T06:07'.to_datetime()", "cannot convert '2023-04-05T06:07' to DateTime"],
  ])
})

describe('string', () => {
  results(row, [
    ['big.to_string()', '9223372036854775807'],
    ['h.to_string().length()', 301],
    ['(-0.0).to_string()', '-0'],
    ['nan.to_string()', 'NaN'],
    ['d.to_string()', '-3.99'],
    ['time.to_string()', '2023-04-05 06:07:08.900'],
    ['m.to_string()', '{a: 1}'],
    ['false.to_string()', 'false'],
    ['n.to_string()', null],
  ])
})
