export { type BadCell, badCell } from './bad-cell.ts'
export { columnType, parseSchema, parseTypeName, type SchemaColumn, type SchemaContext } from './column.ts'
export { type FromJson, fromJson, fromNumberText, jsonReader, type JsonValue, NumberText } from './json-reader.ts'
export {
  type FromText,
  readBool,
  readDate,
  readDateTime,
  type ReaderOptions,
  textReader,
} from './text-reader.ts'
