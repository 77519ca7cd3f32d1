import type { FileMetaData, SchemaElement, SchemaTree } from 'hyparquet'
import { parquetSchema } from 'hyparquet/src/metadata.js'
import { getMaxDefinitionLevel, getTreePath } from 'hyparquet/src/schema.js'
import { IDS_FIELD } from '../../../datasets/ingest/json-line.js'
import { parsed } from './parquet-file.js'

/** The column that has a file's documents. */
export interface DocumentColumn {
  readonly name: string
  readonly holds: 'text' | 'ids'
  /** Its path below the root: a list's elements are two levels deeper. */
  readonly path: readonly string[]
  /** From the root on. */
  readonly schemaPath: SchemaTree[]
  /** The level of definition at which there is a value, and of a list, which may be empty, the one at which it is there. */
  readonly levels: { readonly value: number; readonly list: number }
}

/**
 * Finds the column of documents: the one that `textColumn` names, else `input_ids`.
 *
 * @throws Error naming the columns that are there, or the type of the column
 */
export function documentColumn(metadata: FileMetaData, textColumn: string): DocumentColumn {
  const root = parsed(() => parquetSchema(metadata))
  const node = [textColumn, IDS_FIELD]
    .map((name) => root.children.find((child) => child.element.name === name))
    .find((child) => child !== undefined)
  if (node === undefined) {
    const names = root.children.map((child) => child.element.name).join(', ')
    throw new Error(`The file must have a column ${textColumn} or ${IDS_FIELD}. Given: ${names}`)
  }
  const column = isText(node) ? flat(node, root) : listOfIds(node, root)
  if (column !== undefined) return column
  const rule = `must have strings, or lists of integers`
  throw new Error(`The column ${node.element.name} ${rule}. Given: ${typeText(node)}`)
}

function flat(node: SchemaTree, root: SchemaTree): DocumentColumn {
  const schemaPath = [root, node]
  const value = getMaxDefinitionLevel(schemaPath)
  return {
    ...{ name: node.element.name, holds: 'text', path: node.path, schemaPath },
    levels: { value, list: value },
  }
}

/** `optional group input_ids (LIST) { repeated group list { optional int32 element } }`, whatever the inner names. */
function listOfIds(node: SchemaTree, root: SchemaTree): DocumentColumn | undefined {
  const [repeated] = node.children
  const leaf = repeated?.children.length === 1 ? repeated.children[0]! : repeated
  const isList =
    node.children.length === 1 &&
    node.element.repetition_type !== 'REPEATED' &&
    repeated!.element.repetition_type === 'REPEATED' &&
    (leaf === repeated || leaf!.element.repetition_type !== 'REPEATED') &&
    isInteger(leaf!)
  if (!isList) return undefined
  const schemaPath = getTreePath(root, leaf!.path)
  const repeatedPath = getTreePath(root, repeated!.path)
  return {
    ...{ name: node.element.name, holds: 'ids', path: leaf!.path, schemaPath },
    levels: { value: getMaxDefinitionLevel(schemaPath), list: getMaxDefinitionLevel(repeatedPath) - 1 },
  }
}

/** Bytes without a type of their own are strings too: some writers annotate none. They are checked to be UTF-8. */
function isText({ element, children }: SchemaTree): boolean {
  const type = typeName(element)
  return (
    children.length === 0 &&
    element.repetition_type !== 'REPEATED' &&
    element.type === 'BYTE_ARRAY' &&
    (type === undefined || type === 'UTF8' || type === 'STRING')
  )
}

function isInteger({ element, children }: SchemaTree): boolean {
  const type = typeName(element)
  const isPlain = type === undefined || /^U?INT(EGER)?(_\d+)?$/.test(type)
  return children.length === 0 && isPlain && (element.type === 'INT32' || element.type === 'INT64')
}

function typeName({ logical_type, converted_type }: SchemaElement): string | undefined {
  return logical_type?.type ?? converted_type
}

function typeText({ element, children }: SchemaTree): string {
  const type = [element.repetition_type?.toLowerCase(), element.type ?? 'group', typeName(element)]
  const inner = children.length === 0 ? '' : ` of ${children.map((child) => typeText(child)).join(', ')}`
  return `${type.filter((part) => part !== undefined).join(' ')}${inner}`
}
