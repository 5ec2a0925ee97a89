import { parseJson, parseNdjson } from './parse.ts'
import { stringifyJson, stringifyNdjson } from './stringify.ts'

/** One JSON object a line. */
export const ndjson = { parse: parseNdjson, stringify: stringifyNdjson }

/** JSON: an array of objects, or objects one after another. */
export const json = { parse: parseJson, stringify: stringifyJson }

export { JsonParse, type JsonParseOptions, type NdjsonParseOptions } from './parse.ts'
export { JsonStringify, type JsonStringifyOptions, type NdjsonStringifyOptions } from './stringify.ts'
