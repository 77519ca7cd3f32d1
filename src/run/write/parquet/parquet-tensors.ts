import type { SchemaElement } from 'hyparquet'
import { checkRows } from '../../../first-layer/outputs.js'
import type { Blocks } from '../../../first-layer/steps.js'
import { arrowSchema } from '../../../first-layer/tensors/arrow/arrow-stream.js'
import {
  byteLength,
  type Dtype,
  elementCount,
  type NamedTensor,
  type TensorInfo,
} from '../../../first-layer/tensors/named-tensor.js'
import { fileMetadata } from '../../../wire/formats/file-metadata.js'
import { noBfloat16 } from '../../../wire/formats/no-bfloat16.js'
import type { FileFormat } from '../file-format.js'
import { LevelRuns } from './levels.js'
import { ParquetWriter } from './parquet-writer.js'
import { listPath, listSchema, rootSchema } from './schema.js'

/** Bytes of a page and of a row group, if a row has no more. */
const PAGE_BYTES = 1 << 20
const GROUP_BYTES = 1 << 26

const ELEMENTS: Readonly<Partial<Record<Dtype, Omit<SchemaElement, 'name'>>>> = {
  int32: { type: 'INT32' },
  int64: { type: 'INT64' },
  float32: { type: 'FLOAT' },
  float16: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 2, logical_type: { type: 'FLOAT16' } },
}

/**
 * Tensors as columns of a Parquet file, a row for each window: [B, T, C] is B rows of lists of T lists of C numbers. The schema of
 * Arrow, in the file's metadata, has T and C: readers that know it give lists of fixed sizes.
 */
export const parquetTensors: FileFormat = {
  name: 'parquet',
  single: false,
  rows: true,
  refuses: noBfloat16('Parquet', 'it'),
  encode(answer) {
    checkRows(answer.tensors)
    const { tensors } = answer
    const facts = Object.entries(fileMetadata(answer)).filter(([, value]) => value !== undefined)
    const schema = { key: 'ARROW:schema', value: arrowSchema(tensors).toString('base64') }
    const writer = new ParquetWriter(
      rootSchema(
        tensors.map(({ name, shape, dtype }) => listSchema(name, shape.length - 1, ELEMENTS[dtype]!)),
      ),
      tensors.map(({ name, shape, dtype }) => ({
        type: ELEMENTS[dtype]!.type!,
        path: listPath(name, shape.length - 1),
      })),
      [...facts.map(([key, value]) => ({ key, value: value! })), schema],
    )
    return { body: file(writer, tensors) }
  },
}

function* file(writer: ParquetWriter, tensors: readonly NamedTensor[]): Blocks {
  const sources = tensors.map((tensor) => new RowSource(tensor))
  const rows = tensors[0]!.shape[0]!
  const rowBytes = sources.reduce((sum, source) => sum + source.rowBytes, 0)
  const perGroup = Math.max(1, Math.floor(GROUP_BYTES / rowBytes))
  try {
    yield writer.begin()
    for (let row = 0; row < rows; row += perGroup) {
      writer.beginGroup()
      for (const source of sources) {
        writer.beginColumn()
        yield* source.pages(writer, Math.min(perGroup, rows - row))
      }
    }
    yield writer.end()
  } finally {
    for (const source of sources) source.close()
  }
}

/** A tensor's rows, page by page. */
class RowSource {
  readonly rowBytes: number
  readonly #rowElements: number
  readonly #blocks: Blocks
  readonly #levels: { readonly repetition: Uint8Array; readonly definition: Uint8Array }
  /** Of the last block, what no page has had yet. */
  #rest: Uint8Array = new Uint8Array(0)

  constructor(tensor: NamedTensor) {
    const { shape, dtype } = tensor
    const row = { dtype, shape: shape.slice(1) }
    this.rowBytes = byteLength(row)
    this.#rowElements = elementCount(row.shape)
    this.#blocks = tensor.blocks()
    this.#levels = levelsOf(row)
  }

  *pages(writer: ParquetWriter, rows: number): Blocks {
    const perPage = Math.max(1, Math.floor(PAGE_BYTES / this.rowBytes))
    for (let row = 0; row < rows; row += perPage) {
      const count = Math.min(perPage, rows - row)
      const bytes = count * this.rowBytes
      const levels = {
        repetition: repeated(this.#levels.repetition, count),
        definition: repeated(this.#levels.definition, count),
      }
      yield writer.page({ rows: count, values: count * this.#rowElements, emptyLists: 0, bytes, ...levels })
      yield* this.#take(bytes)
    }
  }

  close(): void {
    this.#blocks.return()
  }

  *#take(bytes: number): Blocks {
    for (let left = bytes; left > 0; ) {
      if (this.#rest.length === 0) {
        const { value, done } = this.#blocks.next()
        if (done) throw new Error('A tensor must have as many bytes as its shape says.')
        if (value instanceof Uint8Array) this.#rest = value
        else yield value
        continue
      }
      const part = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(part.length)
      left -= part.length
      yield part
    }
  }
}

/** The levels of one row: the first number of each list has the level of the list around it. */
function levelsOf({ shape }: Pick<TensorInfo, 'shape'>) {
  const [repetition, definition] = [new LevelRuns(), new LevelRuns()]
  if (shape.length === 0) return { repetition: repetition.bytes(), definition: definition.bytes() }
  const add = (axis: number, first: number) => {
    for (let i = 0; i < shape[axis]!; i++) {
      const level = i === 0 ? first : axis + 1
      if (axis < shape.length - 1) add(axis + 1, level)
      else {
        repetition.add(level, i === 0 ? 1 : shape[axis]! - 1)
        if (i === 1) break
      }
    }
  }
  add(0, 0)
  definition.add(shape.length, elementCount(shape))
  return { repetition: repetition.bytes(), definition: definition.bytes() }
}

function repeated(bytes: Uint8Array, times: number): Uint8Array {
  const all = new Uint8Array(bytes.length * times)
  for (let at = 0; at < all.length; at += bytes.length) all.set(bytes, at)
  return all
}
