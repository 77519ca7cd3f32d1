import { createHash } from 'node:crypto'
import { elementCount } from '../../first-layer/tensors/named-tensor.js'
import { FLOAT_DTYPES } from '../../first-layer/tensors/safetensors/header.js'
import { writtenHeader } from '../../first-layer/tensors/safetensors/safetensors-file.js'
import type { CheckpointTensor } from '../checkpoint.js'
import type { CheckpointCard } from '../checkpoint-card.js'
import { checkDigest, type RemoteFiles } from './remote-files.js'

/** Bytes of a remote file. */
interface Piece {
  /** Their tensor, for `inlet-source.json`; absent for a whole file. */
  readonly tensor?: { readonly name: string; readonly dtype: string; readonly shape: readonly number[] }
  readonly file: string
  readonly at: number
  readonly bytes: number
  readonly etag: string | undefined
}

/** The plan of the pulled folder's safetensors file. */
export interface Weights {
  readonly name: string
  /** The bytes before the pieces, length and header; empty for a whole file. */
  readonly head: Buffer
  readonly pieces: readonly Piece[]
  readonly bytes: number
  /** Bytes of all weights of the repository, if it gives them. */
  readonly totalBytes: number | undefined
}

/** Plans one file with the tensors of a checkpoint's first layer. */
export async function firstLayerWeights(found: CheckpointCard, files: RemoteFiles): Promise<Weights> {
  const { card, checkpoint } = found
  const names = card.source.type === 'folder' ? card.source.tensors.map(({ name }) => name) : []
  const stored = await Promise.all(names.map((name) => checkpoint.find([name])))
  const tensors = stored.filter((tensor) => tensor !== undefined)
  const deciding = decidingTensor(tensors, found)
  if (deciding !== undefined) tensors.push(deciding)
  const ordered = [...new Map(tensors.map((each) => [each.name, each])).values()].sort(
    (a, b) => itemBytes(b) - itemBytes(a) || (a.name < b.name ? -1 : 1),
  )
  const pieces = await Promise.all(
    ordered.map(async ({ name, dtype, shape, file, at, start, end }) => {
      const { etag } = await (await files.open(file)).stat()
      return { tensor: { name, dtype, shape }, file, at, bytes: end - start, etag }
    }),
  )
  const declared = pieces.map(({ tensor, bytes }) => ({ ...tensor, bytes }))
  const head = writtenHeader({ format: 'pt' }, declared)
  return weights('model.safetensors', head, pieces, await checkpoint.totalBytes())
}

/**
 * If config.json states no dtype, the checkpoint's first tensor of floats decides it. Returns that tensor if, without it,
 * another tensor would come first and decide another dtype.
 */
function decidingTensor(
  tensors: readonly CheckpointTensor[],
  { card, dtypeFrom }: CheckpointCard,
): CheckpointTensor | undefined {
  const [first] = [...tensors].sort((a, b) => (a.name < b.name ? -1 : 1))
  return first !== undefined && FLOAT_DTYPES[first.dtype] === card.dtype ? undefined : dtypeFrom
}

const itemBytes = ({ shape, start, end }: CheckpointTensor) =>
  (end - start) / Math.max(1, elementCount(shape))

/** Plans a copy of a safetensors file. */
export async function wholeWeights(name: string, files: RemoteFiles): Promise<Weights> {
  const { size, etag } = await (await files.open(name)).stat()
  return weights(name, Buffer.alloc(0), [{ file: name, at: 0, bytes: size, etag }], size)
}

function weights(name: string, head: Buffer, pieces: Piece[], totalBytes: number | undefined): Weights {
  const bytes = pieces.reduce((sum, piece) => sum + piece.bytes, head.length)
  return { name, head, pieces, bytes, totalBytes }
}

/** The bytes of the planned file. @param received called with the bytes of each block */
export async function* weightBlocks(
  { name, head, pieces }: Weights,
  files: RemoteFiles,
  received: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, void> {
  yield head
  for (const { tensor, file, at, bytes, etag } of pieces) {
    const hash = createHash('sha256')
    for await (const chunk of (await files.open(file)).part(at, at + bytes)) {
      hash.update(chunk)
      received(chunk.length)
      yield chunk
    }
    if (tensor === undefined) checkDigest(hash.digest('hex'), etag, name)
  }
}
