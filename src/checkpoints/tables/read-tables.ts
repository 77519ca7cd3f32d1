import type { FileHandle } from 'node:fs/promises'
import type { FolderSource, FolderTensor, TablePart } from '../../first-layer/cards/model-card.js'
import { bytesOf, type SharedTables } from '../../first-layer/embeddings/table-memory.js'
import { instantiateKernels, STORAGE } from '../../first-layer/kernels/kernels.js'
import { ModelMemory } from '../../first-layer/kernels/model-memory.js'
import { elementCount, type FloatDtype, ITEM_BYTES } from '../../first-layer/tensors/named-tensor.js'
import type { FileTensor } from '../../first-layer/tensors/safetensors/header.js'
import { type CheckpointTensor, checkTensor, readTensors } from '../checkpoint.js'
import { folderError, type ReadableFile, readFully, told } from '../checkpoint-files.js'
import { FolderFiles } from '../folder-files.js'

/** Bytes of a number in a file. */
const STORED_BYTES = { ...ITEM_BYTES, int8: 1 } as const
const STEP_BYTES = 1 << 23

/**
 * Reads a model's tables from its folder straight into their memory: of each file the header, and the bytes of the needed
 * tensors.
 *
 * @param onShare called now and then with the share that is done, 0 … 1
 * @throws InletError `model_failed` if a file differs from the model's card, or changes while it is read
 */
export async function readTables(
  tables: SharedTables,
  source: FolderSource,
  onShare?: (share: number) => void,
): Promise<void> {
  const folder = await FolderFiles.at(source.path)
  const total = source.tensors.reduce((sum, tensor) => sum + bytesToRead(tensor), 0)
  let done = 0
  const onBytes = (bytes: number) => {
    done += bytes
    onShare?.(done / total)
  }
  for (const name of new Set(source.tensors.map(({ file }) => file))) {
    await using file = await folder.open(name)
    const changedAt = await lastChange(file)
    const found = await readTensors(file, name)
    for (const tensor of source.tensors.filter((each) => each.file === name)) {
      const { table, shape, dtype, rows, part, fileShape } = tensor
      const { at } = sameTensor(found, tensor)
      const out = bytesOf(tables, tables.places.find((each) => each.name === table)!)
      const isTable = rows === undefined && part === undefined
      const numbers = isTable ? out : new Uint8Array(elementCount(fileShape) * ITEM_BYTES[dtype])
      await readNumbers(file, at, tensor, numbers, onBytes)
      if (part !== undefined) placePart(part, tensor, numbers, out)
      if (rows !== undefined)
        await gatherRows(file, sameTensor(found, rows), numbers, out, shape[1] * ITEM_BYTES[dtype])
    }
    const isSame = (await lastChange(file)) === changedAt
    if (!isSame) throw folderError(name, 'has changed while it was read')
  }
}

export function bytesToRead({ shape, stored, rows, part, fileShape }: FolderTensor): number {
  return elementCount(rows === undefined && part === undefined ? shape : fileShape) * STORED_BYTES[stored]
}

async function lastChange(file: FileHandle): Promise<string> {
  const { size, mtimeNs } = await file.stat({ bigint: true })
  return `${size} ${mtimeNs}`
}

/** The tensor, checked against the model's card. */
export function sameTensor(
  found: ReadonlyMap<string, CheckpointTensor>,
  { file, name, fileDtype, fileShape }: FileTensor,
): CheckpointTensor {
  const tensor = found.get(name)
  if (tensor === undefined) throw folderError(file, `${told(name)} is missing`)
  return checkTensor(tensor, fileShape, [fileDtype], ', as at the start of the service')
}

/** Writes a tensor's rows to the table of which they are a part. */
function placePart(
  { first, count, column, times }: TablePart,
  { shape, fileShape, dtype }: FolderTensor,
  rows: Uint8Array,
  out: Uint8Array,
): void {
  const [rowBytes, bytes] = [shape[1] * ITEM_BYTES[dtype], fileShape.at(-1)! * ITEM_BYTES[dtype]]
  for (let i = 0; i < count; i++) {
    const from = (Math.floor(i / times) * bytes) % rows.length
    out.set(rows.subarray(from, from + bytes), (first + i) * rowBytes + column * ITEM_BYTES[dtype])
  }
}

/**
 * Reads a tensor's numbers, and casts them to the table's dtype. Where nothing is cast, parts are read at once: most time goes into
 * memory touched for the first time, on one core each.
 */
async function readNumbers(
  file: FileHandle,
  at: number,
  tensor: FolderTensor,
  out: Uint8Array,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const { stored, dtype } = tensor
  const total = bytesToRead(tensor)
  const cast = stored === dtype ? undefined : castOf(stored, dtype, STEP_BYTES / STORED_BYTES[stored])
  const reads: Promise<void>[] = []
  for (let start = 0; start < total; start += STEP_BYTES) {
    const length = Math.min(STEP_BYTES, total - start)
    const part = cast?.input.subarray(0, length) ?? out.subarray(start, start + length)
    const reading = readFully(file, part, at + start, tensor.file).then(() => onBytes(length))
    if (cast === undefined) reads.push(reading)
    else {
      await reading
      const first = start / STORED_BYTES[stored]
      out.set(cast.run(length / STORED_BYTES[stored]), first * ITEM_BYTES[dtype])
    }
  }
  await Promise.all(reads)
}

/** Bytes for the kernel's one id, and for aligning three pieces of memory. */
const SLACK = 256

/**
 * Casts up to `most` numbers of `input` at a time, rounded to nearest even, as `tensor.to(dtype)` does: float32 1.0009766 →
 * bfloat16 1. The result of `run` is valid until the next one.
 */
function castOf(stored: FloatDtype | 'int8', dtype: FloatDtype, most: number) {
  const memory = ModelMemory.create(most * (STORED_BYTES[stored] + ITEM_BYTES.float32) + SLACK)
  const kernels = instantiateKernels(memory.memory)
  const stores = memory.allocate(most * STORED_BYTES[stored])
  const wide = memory.allocate(most * ITEM_BYTES.float32)
  const id = memory.allocate(ITEM_BYTES.int32)
  const input = memory.bytes(stores, most * STORED_BYTES[stored])
  return {
    input,
    run(count: number): Uint8Array {
      if (stored === 'int8') {
        const integers = new Int8Array(input.buffer, input.byteOffset, count)
        new Float32Array(input.buffer, wide, count).set(integers)
      } else kernels.embedRows(wide, stores, STORAGE[stored], id, 1, count, 0, 0, 0, 0, 1)
      if (dtype === 'float16') kernels.narrowFloat16(wide, wide, count)
      else if (dtype === 'bfloat16') kernels.narrowBfloat16(wide, wide, count)
      return memory.bytes(wide, count * ITEM_BYTES[dtype])
    },
  }
}

/** The dtypes of row numbers. */
const ROW_NUMBERS = {
  ...{ I64: BigInt64Array, U64: BigUint64Array, I32: Int32Array, U32: Uint32Array },
  ...{ I16: Int16Array, U16: Uint16Array, U8: Uint8Array },
} as const

export const INTEGERS: readonly string[] = Object.keys(ROW_NUMBERS)

/**
 * Writes row `mapping[i]` of `distinct` as row i of `out`, for all i: Model2Vec's `mapping`.
 *
 * @throws InletError `model_failed` for a row out of range
 */
async function gatherRows(
  file: ReadableFile,
  mapping: CheckpointTensor,
  distinct: Uint8Array,
  out: Uint8Array,
  rowBytes: number,
): Promise<void> {
  const bytes = new Uint8Array(mapping.end - mapping.start)
  await readFully(file, bytes, mapping.at, mapping.file)
  const numbers = new ROW_NUMBERS[mapping.dtype as keyof typeof ROW_NUMBERS](bytes.buffer)
  const rows = distinct.length / rowBytes
  for (let i = 0; i < out.length / rowBytes; i++) {
    const row = Number(numbers[i])
    if (!(row >= 0 && row < rows)) {
      const rule = `must be rows below ${rows}`
      throw folderError(mapping.file, `${told(mapping.name)} ${rule}. Given, at ${i}: ${row}`)
    }
    out.set(distinct.subarray(row * rowBytes, (row + 1) * rowBytes), i * rowBytes)
  }
}
