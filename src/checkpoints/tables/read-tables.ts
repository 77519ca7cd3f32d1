import type { FileHandle } from 'node:fs/promises'
import type { FileTensor, FolderSource, FolderTensor } from '../../first-layer/cards/model-card.js'
import { bytesOf, type SharedTables } from '../../first-layer/embeddings/table-memory.js'
import { elementCount, ITEM_BYTES } from '../../first-layer/tensors/named-tensor.js'
import { type CheckpointTensor, readTensors } from '../checkpoint.js'
import { folderError, told } from '../folder-error.js'
import { FolderFiles } from '../folder-files.js'
import { castOf, STORED_BYTES } from './cast.js'
import { fillFromFile, gatherRows } from './gather-rows.js'

/** Bytes of one read. */
const STEP_BYTES = 1 << 23
/** Reads at once: as many as libuv has threads. */
const READS = 4

/**
 * Reads a model's tables from its folder straight into their memory: of each file the header, and the bytes of the needed
 * tensors. Yields the share that is done, 0 … 1.
 *
 * @throws InletError `model_failed` if a file differs from the model's card, or changes while it is read
 */
export async function* readTables(
  tables: SharedTables,
  source: FolderSource,
): AsyncGenerator<number, void, void> {
  const folder = await FolderFiles.at(source.path)
  const total = source.tensors.reduce((sum, tensor) => sum + bytesToRead(tensor), 0)
  let before = 0
  for (const name of new Set(source.tensors.map(({ file }) => file))) {
    const file = await folder.open(name)
    try {
      const changedAt = await lastChange(file)
      const found = await readTensors(file, name)
      for (const tensor of source.tensors.filter((each) => each.file === name)) {
        const place = tables.places.find((each) => each.name === tensor.table)
        if (place === undefined) throw new Error(`There is no ${tensor.table} to fill.`)
        for await (const done of readTable(file, found, tensor, bytesOf(tables, place))) {
          yield (before + done) / total
        }
        before += bytesToRead(tensor)
      }
      if ((await lastChange(file)) !== changedAt) throw folderError(name, 'has changed while it was read')
    } finally {
      await file.close()
    }
  }
}

/** Bytes of a tensor in its file. */
export function bytesToRead({ shape, stored, rows, fileShape }: FolderTensor): number {
  return elementCount(rows === undefined ? shape : fileShape) * STORED_BYTES[stored]
}

async function lastChange(file: FileHandle): Promise<string> {
  const { size, mtimeNs } = await file.stat({ bigint: true })
  return `${size} ${mtimeNs}`
}

type Found = ReadonlyMap<string, CheckpointTensor>

/** The tensor, checked against the model's card. */
function sameTensor(found: Found, { file, name, fileDtype, fileShape }: FileTensor): CheckpointTensor {
  const tensor = found.get(name)
  if (tensor?.dtype === fileDtype && tensor.shape.join() === fileShape.join()) return tensor
  const given = tensor === undefined ? 'nothing' : `${tensor.dtype} [${tensor.shape.join(', ')}]`
  const rule = `must still be ${fileDtype} [${fileShape.join(', ')}], as at the start of the service`
  throw folderError(file, `${told(name)} ${rule}. Given: ${given}`)
}

async function* readTable(
  file: FileHandle,
  found: Found,
  tensor: FolderTensor,
  out: Uint8Array,
): AsyncGenerator<number, void, void> {
  const { at } = sameTensor(found, tensor)
  if (tensor.rows === undefined) {
    yield* readNumbers(file, at, tensor, out)
    return
  }
  const width = tensor.shape[1] ?? 1
  const distinct = new Uint8Array(elementCount(tensor.fileShape) * ITEM_BYTES[tensor.dtype])
  yield* readNumbers(file, at, tensor, distinct)
  await gatherRows(file, sameTensor(found, tensor.rows), distinct, out, width * ITEM_BYTES[tensor.dtype])
}

/** Reads a tensor's numbers, and casts them to the table's dtype. Yields the bytes read so far. */
async function* readNumbers(
  file: FileHandle,
  at: number,
  tensor: FolderTensor,
  out: Uint8Array,
): AsyncGenerator<number, void, void> {
  const { stored, dtype } = tensor
  const total = bytesToRead(tensor)
  if (stored === dtype) {
    yield* readAtOnce(file, at, tensor, out.subarray(0, total))
    return
  }
  const cast = castOf(stored, dtype, STEP_BYTES / STORED_BYTES[stored])
  for (let done = 0; done < total; ) {
    const length = Math.min(STEP_BYTES, total - done)
    await fillFromFile(file, cast.input.subarray(0, length), at + done, tensor)
    const first = done / STORED_BYTES[stored]
    out.set(cast.run(length / STORED_BYTES[stored]), first * ITEM_BYTES[dtype])
    done += length
    yield done
  }
}

/** Reads several parts at once: most time goes into memory touched for the first time, on one core each. */
async function* readAtOnce(
  file: FileHandle,
  at: number,
  tensor: FolderTensor,
  out: Uint8Array,
): AsyncGenerator<number, void, void> {
  for (let done = 0; done < out.length; ) {
    const end = Math.min(out.length, done + READS * STEP_BYTES)
    const reads: Promise<void>[] = []
    for (let start = done; start < end; start += STEP_BYTES) {
      const part = out.subarray(start, Math.min(end, start + STEP_BYTES))
      reads.push(fillFromFile(file, part, at + start, tensor))
    }
    await Promise.all(reads)
    done = end
    yield done
  }
}
