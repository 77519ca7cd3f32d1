import { InletError, quoted, shown, shownShape } from '../errors.js'
import { FLOAT_DTYPES, type SafetensorsHeader, type StoredTensor } from '../tensors/safetensors/header.js'
import type { GradientCall, GradientRows } from './gradient-call.js'
import { receivedFile } from './model-checkpoint.js'

/** The options of a call with gradients. */
export interface GradientOptions {
  readonly position_offset?: number | undefined
}

/** Tensors of a call with gradients of `input_embeddings`, and of one with gradients of rows. */
const OF_EMBEDDINGS = ['gradients', 'input_ids', 'position_ids', 'attention_mask']
const OF_ROWS = ['token_gradients', 'token_ids', 'position_gradients', 'position_ids']

/**
 * The call of a file, safetensors: `gradients` [B, T, C] with `input_ids` [B, T], or `token_gradients` [N, C] with
 * `token_ids` [N], or `position_gradients` [M, C] with `position_ids` [M]. Its metadata is not looked at.
 *
 * @throws InletError `invalid_request` that names the tensor
 */
export function gradientCall(file: Uint8Array, { position_offset }: GradientOptions): GradientCall {
  const { header } = receivedFile(file)
  const tensors = new Tensors(header, file.subarray(file.length - header.dataBytes))
  return tensors.has('gradients') ? ofEmbeddings(tensors, position_offset) : ofRows(tensors, position_offset)
}

function ofEmbeddings(tensors: Tensors, positionOffset: number | undefined): GradientCall {
  tensors.checkNames(OF_EMBEDDINGS, 'beside `gradients`')
  const { shape } = tensors.floats('gradients', ['B', 'T', 'C'])
  const [batch, length] = shape as [number, number]
  if (positionOffset && tensors.has('position_ids')) {
    throw invalid('position_offset', 'must not stand beside `position_ids`', positionOffset)
  }
  return {
    shape: [batch, length],
    gradients: tensors.floats('gradients', ['B', 'T', 'C']).rows,
    inputIds: tensors.needed('input_ids', [batch, length]),
    positionIds: tensors.integers('position_ids', [batch, length]),
    positionOffset,
    attentionMask: tensors.integers('attention_mask', [batch, length]),
  }
}

function ofRows(tensors: Tensors, positionOffset: number | undefined): GradientCall {
  tensors.checkNames(OF_ROWS, 'without `gradients`')
  if (positionOffset) {
    throw invalid('position_offset', 'must stand beside `gradients` alone', positionOffset)
  }
  return {
    tokens: pair(tensors, 'token', 'N'),
    positions: pair(tensors, 'position', 'M'),
  }
}

function pair(tensors: Tensors, name: 'token' | 'position', axis: string) {
  const [gradients, ids] = [`${name}_gradients`, `${name}_ids`]
  if (!tensors.has(gradients) && !tensors.has(ids)) return undefined
  const { rows, shape } = tensors.floats(gradients, [axis, 'C'])
  return { gradients: rows, ids: tensors.needed(ids, [shape[0]]) }
}

/** The tensors of a file, by name. */
class Tensors {
  constructor(
    private readonly header: SafetensorsHeader,
    private readonly data: Uint8Array,
  ) {}

  has(name: string): boolean {
    return this.#find(name) !== undefined
  }

  checkNames(known: readonly string[], where: string): void {
    const other = this.header.tensors.find(({ name }) => !known.includes(name))
    if (other === undefined) return
    throw invalid(
      other.name,
      `is no tensor of gradients ${where}, which are ${known.join(', ')}`,
      other.dtype,
    )
  }

  /** Gradients, float32, float16 or bfloat16. */
  floats(
    name: string,
    axes: readonly string[],
  ): { readonly rows: GradientRows; readonly shape: readonly number[] } {
    const rule = `must be [${axes.join(', ')}] of F32, F16 or BF16`
    const tensor = this.#find(name)
    if (tensor === undefined) throw invalid(name, rule)
    if (tensor.shape.length !== axes.length || !Object.hasOwn(FLOAT_DTYPES, tensor.dtype)) {
      throw invalid(name, rule, typed(tensor))
    }
    return { rows: { bytes: this.#bytes(tensor), dtype: FLOAT_DTYPES[tensor.dtype] }, shape: tensor.shape }
  }

  needed(name: string, shape: readonly number[]): Int32Array {
    const values = this.integers(name, shape)
    if (values === undefined) throw invalid(name, `must be I32 ${shownShape(shape)}`)
    return values
  }

  integers(name: string, shape: readonly number[]): Int32Array | undefined {
    const tensor = this.#find(name)
    if (tensor === undefined) return undefined
    if (tensor.dtype !== 'I32' || tensor.shape.join() !== shape.join()) {
      throw invalid(name, `must be I32 ${shownShape(shape)}`, typed(tensor))
    }
    return new Int32Array(new Uint8Array(this.#bytes(tensor)).buffer) // at any address in the file
  }

  #find(name: string): StoredTensor | undefined {
    return this.header.tensors.find((tensor) => tensor.name === name)
  }

  #bytes({ start, end }: StoredTensor): Uint8Array {
    return this.data.subarray(start, end)
  }
}

function typed({ dtype, shape }: StoredTensor): string {
  return `${dtype} ${shownShape(shape)}`
}

function invalid(field: string, rule: string, given?: unknown): InletError {
  const text = typeof given === 'string' ? given : shown(given)
  return new InletError('invalid_request', `${quoted(field)} ${rule}. Given: ${text}`, field)
}
