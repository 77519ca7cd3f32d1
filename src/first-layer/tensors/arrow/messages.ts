import { type FlatField, type FlatPart, flatbuffer } from './flatbuffer.js'

/** What begins an encapsulated message; with a length of 0 behind it, the stream ends. */
const CONTINUATION = 0xffffffff
/** Buffers and bodies begin and end at multiples of this, in the stream too: readers that map a file copy nothing. */
export const ALIGNMENT = 64
/** `MetadataVersion.V5` */
const VERSION = 4
/** `MessageHeader` */
const HEADERS = { schema: 1, recordBatch: 3 } as const
/** `Type` of Schema.fbs */
const TYPES = { int: 2, floatingPoint: 3, list: 12, fixedSizeList: 16 } as const
/** `Precision` of Schema.fbs */
const PRECISIONS: Readonly<Record<number, number>> = { 2: 0, 4: 1 }

/** The type of a column or of a list's elements; none has nulls. */
export type ArrowType =
  | { readonly kind: 'int' | 'float'; readonly bytes: number }
  | { readonly kind: 'list'; readonly element: ArrowType }
  | { readonly kind: 'fixedSizeList'; readonly size: number; readonly element: ArrowType }

export interface ArrowField {
  readonly name: string
  readonly type: ArrowType
}

/** Lengths of a record batch: of each field, parents first, and of each buffer, in the order of the body. */
export interface BatchLayout {
  readonly rows: number
  /** Elements of each field. */
  readonly fields: readonly number[]
  /** Bytes of each buffer: 0 for what has no nulls and is not there. */
  readonly buffers: readonly number[]
}

/** The end of a stream. */
export const END_OF_STREAM = Buffer.from([255, 255, 255, 255, 0, 0, 0, 0])

/** The message that begins a stream. */
export function schemaMessage(
  fields: readonly ArrowField[],
  metadata: readonly (readonly [key: string, value: string])[],
): Buffer {
  const pairs = metadata.map(([key, value]) => ({ table: [{ text: key }, { text: value }] }))
  return message(
    HEADERS.schema,
    { table: [undefined, { vector: fields.map(fieldOf) }, { vector: pairs }] },
    0,
  )
}

/** The message before a record batch's body, in which each buffer begins at a multiple of 64. */
export function batchMessage({ rows, fields, buffers }: BatchLayout): Buffer {
  let end = 0
  const places = buffers.map((bytes) => {
    const start = end
    end += padded(bytes)
    return [start, bytes]
  })
  const nodes = fields.map((length) => [length, 0])
  return message(
    HEADERS.recordBatch,
    { table: [scalar('int64', rows), { structs: nodes }, { structs: places }] },
    end,
  )
}

/** Bytes of a buffer with what fills it up. */
export function padded(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT
}

/** The zeros behind a buffer. */
export function paddingOf(bytes: number): Uint8Array {
  return new Uint8Array(padded(bytes) - bytes)
}

/** Source: "Encapsulated message format" of Arrow's columnar format. */
function message(type: number, header: FlatPart, bodyBytes: number): Buffer {
  const metadata = flatbuffer([
    scalar('int16', VERSION),
    scalar('uint8', type),
    header,
    scalar('int64', bodyBytes),
  ])
  const bytes = Buffer.alloc(padded(8 + metadata.length))
  bytes.writeUInt32LE(CONTINUATION, 0)
  bytes.writeInt32LE(bytes.length - 8, 4)
  metadata.copy(bytes, 8)
  return bytes
}

function fieldOf({ name, type }: ArrowField): FlatPart {
  const { code, facts, children } = typeOf(type)
  const nullable = scalar('uint8', 0)
  return {
    table: [
      { text: name },
      nullable,
      scalar('uint8', code),
      { table: facts },
      undefined,
      { vector: children.map((child) => fieldOf({ name: 'item', type: child })) },
    ],
  }
}

function typeOf(type: ArrowType): {
  readonly code: number
  readonly facts: readonly FlatField[]
  readonly children: readonly ArrowType[]
} {
  if (type.kind === 'list') return { code: TYPES.list, facts: [], children: [type.element] }
  if (type.kind === 'fixedSizeList')
    return { code: TYPES.fixedSizeList, facts: [scalar('int32', type.size)], children: [type.element] }
  const facts =
    type.kind === 'int'
      ? [scalar('int32', 8 * type.bytes), scalar('uint8', 1)]
      : [scalar('int16', PRECISIONS[type.bytes]!)]
  return { code: type.kind === 'int' ? TYPES.int : TYPES.floatingPoint, facts, children: [] }
}

function scalar(type: 'uint8' | 'int16' | 'int32' | 'int64', value: number): FlatField {
  return { type, value }
}
