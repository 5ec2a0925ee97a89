export { type BadCell, badCell } from './bad-cell.ts'
export { columnType, parseSchema, parseTypeName, type SchemaColumn, type SchemaContext, schemaTypes } from './column.ts'
export { type FromJson, fromJson, fromNumberText, jsonReader, type JsonValue, NumberText } from './json-reader.ts'
export {
  decimalReader,
  type FromText,
  readBool,
  readDate,
  readDateTime,
  readDecimal,
  readFloat,
  readInt,
  type ReaderOptions,
  textReader,
} from './text-reader.ts'
