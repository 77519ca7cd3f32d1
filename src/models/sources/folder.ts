import type { FileHandle } from 'node:fs/promises'
import { bytesOf, type SharedTables } from '../../embeddings/table-memory.js'
import { ITEM_BYTES } from '../../named-tensor.js'
import { type CheckpointTensor, readTensors } from '../folder/checkpoint.js'
import { READABLE } from '../folder/family-tensors.js'
import { folderError, told } from '../folder/folder-error.js'
import { FolderFiles } from '../folder/folder-files.js'
import type { FolderSource, FolderTensor } from '../model-card.js'
import { castOf } from './cast.js'

/** Bytes that are read at once. */
const STEP_BYTES = 1 << 23

/**
 * Reads a model's tables from its folder: of each file the header, and the bytes of the tensors that are needed, straight
 * into the tables' memory. A file stays open while it is read, and must be the same at the end.
 *
 * Yields the share that is done, 0 … 1.
 *
 * @throws InletError `model_failed` where a file is no longer as the model's card says
 */
export async function* readFromFolder(
  tables: SharedTables,
  source: FolderSource,
): AsyncGenerator<number, void, void> {
  const folder = await FolderFiles.at(source.path)
  const total = source.tensors.reduce((sum, tensor) => sum + storedBytes(tensor), 0)
  let before = 0
  for (const name of new Set(source.tensors.map(({ file }) => file))) {
    const file = await folder.open(name)
    try {
      const changedAt = await lastChange(file)
      const found = await readTensors(file, name)
      for (const tensor of source.tensors.filter((each) => each.file === name)) {
        const place = tables.places.find((each) => each.name === tensor.table)
        if (place === undefined) throw new Error(`There is no ${tensor.table} to fill.`)
        const stored = sameTensor(found.get(tensor.name), tensor)
        for await (const done of readTensor(file, stored, tensor, bytesOf(tables, place))) {
          yield (before + done) / total
        }
        before += storedBytes(tensor)
      }
      if ((await lastChange(file)) !== changedAt) throw folderError(name, 'has changed while it was read')
    } finally {
      await file.close()
    }
  }
}

function storedBytes({ shape, stored }: FolderTensor): number {
  return shape.reduce((product, axis) => product * axis, ITEM_BYTES[stored])
}

async function lastChange(file: FileHandle): Promise<string> {
  const { size, mtimeNs } = await file.stat({ bigint: true })
  return `${size} ${mtimeNs}`
}

/** The tensor, if it is still as the model's card says. */
function sameTensor(
  found: CheckpointTensor | undefined,
  { file, name, shape, stored }: FolderTensor,
): CheckpointTensor {
  if (found !== undefined && READABLE[found.dtype] === stored && found.shape.join() === shape.join())
    return found
  const given = found === undefined ? 'nothing' : `${found.dtype} [${found.shape.join(', ')}]`
  const rule = `must still be ${stored} [${shape.join(', ')}], as at the start of the service`
  throw folderError(file, `${told(name)} ${rule}. Given: ${given}`)
}

/** Reads a tensor's bytes, and casts them where the table has another type. Yields the bytes read so far. */
async function* readTensor(
  file: FileHandle,
  { at }: CheckpointTensor,
  tensor: FolderTensor,
  out: Uint8Array,
): AsyncGenerator<number, void, void> {
  const { stored, dtype } = tensor
  const total = storedBytes(tensor)
  const cast = stored === dtype ? undefined : castOf(stored, dtype, STEP_BYTES / ITEM_BYTES[stored])
  for (let done = 0; done < total; ) {
    const length = Math.min(STEP_BYTES, total - done)
    await fill(file, cast?.input.subarray(0, length) ?? out.subarray(done, done + length), at + done, tensor)
    if (cast !== undefined) {
      const first = done / ITEM_BYTES[stored]
      out.set(cast.run(length / ITEM_BYTES[stored]), first * ITEM_BYTES[dtype])
    }
    done += length
    yield done
  }
}

async function fill(file: FileHandle, target: Uint8Array, at: number, tensor: FolderTensor): Promise<void> {
  for (let done = 0; done < target.length; ) {
    const { bytesRead } = await file.read(target, done, target.length - done, at + done)
    if (bytesRead === 0) throw folderError(tensor.file, `ends within ${told(tensor.name)}`)
    done += bytesRead
  }
}
