import type { LookupCard, NgramsCard, PerLayerCard } from '../lookups/lookup-card.js'
import { BatchNgrams, type Lookups, type NgramBatch, type NgramContext } from '../lookups/ngram-rows.js'
import {
  elementCount,
  type FloatDtype,
  type IdsDtype,
  ITEM_BYTES,
  type NamedTensor,
} from '../tensors/named-tensor.js'
import { rounded } from '../tensors/sixteen-bits.js'
import { inputsEmbedsSteps } from './architecture-steps.js'
import { addRows, scaleRows } from './architectures/row-steps.js'
import { idTensor, madeBlocks } from './computed-tensor.js'
import type { Model } from './model.js'
import { lookUp } from './op.js'
import { intsOf } from './position-tensors.js'

/** A batch, and what is asked of it. */
export interface LookupRequest {
  readonly batch: NgramBatch
  readonly dtype: FloatDtype
  readonly idsDtype: IdsDtype
  readonly ngramContext?: NgramContext | undefined
  /** Writes the ids that rows are looked up by. */
  fillIds(out: Int32Array, first: number): void
}

/** Multiplications that take about as long as other work for an element. */
const PROJECTED_AT_ONCE = 16
/** Elements that are made at a time, and rows that are read for them: a millisecond or two. */
const STEP_ELEMENTS = 1 << 16
const MOST_READS = 512

/** How the tokens of a tensor are made, a few at a time. */
interface TokenWork {
  /** Shape of a token's part. */
  readonly each: readonly number[]
  readonly rows?: StoredRows
  /** Computes tokens in `workspace.rows`, from which they are written. @param raw begins with their rows */
  compute(raw: Uint8Array, first: number, count: number): void
  /** Numbers of a token in the longest array that `compute` uses. Default: those of the tensor. */
  readonly widest?: number
  /** Multiplications for a token. */
  readonly products?: number
}

/** Rows that stay in their files. */
interface StoredRows {
  /** Bytes of a token's rows, and how many they are. */
  readonly bytes: number
  readonly count: number
  readonly mayWait: boolean
  /** Reads those of `count` tokens from `first` on. */
  read(raw: Uint8Array, first: number, count: number): Promise<unknown> | undefined
}

/**
 * The tensor of a name that a model's lookups give: one of `LOOKUP_OUTPUTS`; undefined: it gives none of that name. Where
 * n-grams' rows are added to the token's own, the rows of the first block are among them.
 */
export function lookupTensor(model: Model, name: string, request: LookupRequest): NamedTensor | undefined {
  const { lookups } = model
  if (lookups === undefined) return undefined
  const { perLayer, ngrams, streams } = lookups.card
  const scratch = new Scratch(model, request)
  const tensor = (work: TokenWork) => tokenTensor(model, name, request, work)
  if (perLayer !== undefined && name.startsWith('per_layer_')) {
    const rows = perLayerRows(lookups, scratch)
    const { layers, width, table, scale } = perLayer
    if (name === 'per_layer_inputs')
      return tensor(widened(scratch, [layers, width], table.stored, rows, scale))
    return tensor(perLayerProjected(scratch, perLayer, rows))
  }
  if (streams !== undefined && name === 'hidden_streams') return tensor(hiddenStreams(scratch, streams))
  if (ngrams === undefined) return undefined
  const numbers = new BatchNgrams(ngrams, request.batch, request.ngramContext)
  if (name === 'ngram_ids') return ngramIds(model, ngrams, request, numbers)
  const rows = ngramRows(lookups, ngrams, numbers)
  if (name === 'ngram_embeddings')
    return tensor(widened(scratch, [ngrams.width], ngrams.tables[0].table.stored, rows))
  const isRow = name === 'input_embeddings' || name === 'inputs_embeds'
  return ngrams.areAdded && isRow ? tensor(withNgrams(scratch, ngrams, rows)) : undefined
}

function ngramIds(
  { workspace }: Model,
  { heads }: NgramsCard,
  { batch, idsDtype }: LookupRequest,
  numbers: BatchNgrams,
): NamedTensor {
  const shape = [batch.count, batch.contextLength, heads]
  const fill = (out: Int32Array, start: number) => {
    const first = Math.floor(start / heads)
    const rows = numbers.of(first, Math.ceil((start + out.length) / heads) - first)
    out.set(rows.subarray(start - first * heads, start - first * heads + out.length))
  }
  return idTensor({ name: 'ngram_ids', shape, fill }, idsDtype, workspace)
}

/** Declares a tensor whose tokens are made a few at a time: each few are a block. */
function tokenTensor(
  { workspace }: Model,
  name: string,
  { batch, dtype }: LookupRequest,
  { each, rows = NO_ROWS, compute, widest, products = 0 }: TokenWork,
): NamedTensor {
  const width = elementCount(each)
  const total = batch.count * batch.contextLength
  const bytes = width * ITEM_BYTES[dtype]
  const fitting = Math.min(
    STEP_ELEMENTS / Math.max(width, products / PROJECTED_AT_ONCE),
    workspace.rows.length / (widest ?? width),
    workspace.blockBytes / Math.max(bytes, rows.bytes),
    MOST_READS / rows.count,
  )
  const most = Math.max(1, Math.floor(fitting))
  /** @param wait gets what the block waits for */
  const blocksOf = (wait: (read: Promise<void>) => void) => {
    const raw = new Uint8Array(Math.min(total, most) * rows.bytes)
    return madeBlocks(workspace, { total, bytes, most }, (out, first, count) => {
      const finish = () => {
        compute(raw, first, count)
        workspace.narrowRows(count * width, dtype, out)
      }
      const reading = rows.read(raw, first, count)
      if (reading === undefined) finish()
      else wait(reading.then(finish))
    })
  }
  async function* later(): AsyncGenerator<Uint8Array, void, void> {
    let reading: Promise<void> | undefined
    for (const block of blocksOf((wait) => (reading = wait))) {
      await reading
      yield block
    }
  }
  const shape = [batch.count, batch.contextLength, ...each]
  return { name, dtype, shape, blocks: rows.mayWait ? later : () => blocksOf(() => {}) }
}

const NO_ROWS: StoredRows = { bytes: 0, count: 1, mayWait: false, read: () => undefined }

/** The row, and those of its n-grams added one after the other, each sum rounded. */
function withNgrams(scratch: Scratch, { heads, tables }: NgramsCard, rows: StoredRows): TokenWork {
  const { workspace, spec, tokenTable } = scratch.model
  const C = spec.embeddingDim
  return {
    ...{ each: [C], rows, widest: heads * C },
    compute(raw, first, count) {
      const sums = scratch.rows(count * C)
      const added = workspace.addends.subarray(0, count * heads * C)
      scratch.widen(raw, tables[0].table.stored, added)
      lookUp(sums, tokenTable, scratch.ids(first, count))
      for (let h = 0; h < heads; h++) {
        for (let i = 0; i < count; i++) {
          const from = (i * heads + h) * C
          for (let c = 0; c < C; c++) sums[i * C + c] += added[from + c]
        }
        scratch.round(sums)
      }
    },
  }
}

/** What is stored, as numbers, times a factor. */
function widened(
  scratch: Scratch,
  each: readonly number[],
  stored: FloatDtype,
  rows: StoredRows,
  factor = 1,
): TokenWork {
  return {
    ...{ each, rows },
    compute(raw, _, count) {
      const made = scratch.rows(count * elementCount(each))
      scratch.widen(raw, stored, made)
      scaleRows(made, factor)
    },
  }
}

/** (RMSNorm(row · projection × projectionScale) + per-layer rows) × sumScale, rounded after each operation. */
function perLayerProjected(scratch: Scratch, card: PerLayerCard, rows: StoredRows): TokenWork {
  const { layers, width, table } = card
  const { model } = scratch
  const C = model.spec.embeddingDim
  const weight = model.values('per_layer.norm.weight')!
  return {
    ...{ each: [layers, width], rows, widest: Math.max(table.width, C), products: table.width * C },
    compute(raw, first, count) {
      const made = scratch.rows(count * table.width)
      model.project(made, scratch.embeds(first, count), 'per_layer.projection.weight')
      scratch.round(made)
      scaleRows(made, card.projectionScale)
      scratch.round(made)
      rmsNorm(made, weight, card.epsilon)
      scratch.round(made)
      const own = model.workspace.addends.subarray(0, made.length)
      scratch.widen(raw, table.stored, own)
      scaleRows(own, card.scale)
      scratch.round(own)
      addRows(made, own)
      scratch.round(made)
      scaleRows(made, card.sumScale)
    },
  }
}

/** The row `count` times, or the row and its products with matrices, each as long as it is. */
function hiddenStreams(
  scratch: Scratch,
  { count, areProjected }: NonNullable<LookupCard['streams']>,
): TokenWork {
  const { model } = scratch
  const C = model.spec.embeddingDim
  return {
    ...{ each: [count, C], products: areProjected ? count * C * C : 0, widest: (count + 1) * C },
    compute(_raw, first, tokens) {
      const rows = scratch.embeds(first, tokens)
      const made = model.workspace.addends.subarray(0, tokens * C)
      const out = scratch.rows(tokens * count * C)
      const lengths = areProjected ? scratch.lengths(rows, C, 0) : []
      for (let k = 0; k < count; k++) {
        const isProjected = areProjected && k > 0
        if (isProjected) projectStream(scratch, made, rows, lengths, k - 1)
        const stream = isProjected ? made : rows
        for (let i = 0; i < tokens; i++) out.set(stream.subarray(i * C, (i + 1) * C), (i * count + k) * C)
      }
    },
  }
}

/** Rows times a matrix of the streams, each as long as its row is. */
function projectStream(
  scratch: Scratch,
  out: Float32Array,
  rows: Float32Array,
  lengths: readonly number[],
  stream: number,
): void {
  const C = rows.length / lengths.length
  scratch.model.project(out, rows, `streams.${stream}.weight`)
  scratch.round(out)
  const own = scratch.lengths(out, C, 1e-5)
  for (let i = 0; i < out.length; i++) out[i] *= lengths[Math.floor(i / C)]
  scratch.round(out)
  for (let i = 0; i < out.length; i++) out[i] /= own[Math.floor(i / C)]
}

/** The rows of a token's n-grams, end to end. */
function ngramRows({ ngrams }: Lookups, { tables, heads }: NgramsCard, numbers: BatchNgrams): StoredRows {
  const tableOf = ngrams.flatMap((table, k) => Array<typeof table>(tables[k].heads).fill(table))
  const bytes = tableOf.reduce((sum, { rowBytes }) => sum + rowBytes, 0)
  return {
    ...{ bytes, count: heads, mayWait: ngrams[0].mayWait },
    read(raw, first, count) {
      const found = numbers.of(first, count) // [count, H]
      let at = 0
      const waits = tableOf.map((table, h) => {
        const begin = at
        at += table.rowBytes
        return table.read(
          count,
          (i) => found[i * heads + h],
          raw,
          (i) => i * bytes + begin,
        )
      })
      return waits.some(Boolean) ? Promise.all(waits) : undefined
    },
  }
}

function perLayerRows({ perLayer }: Lookups, scratch: Scratch): StoredRows {
  const { rowBytes: bytes, mayWait, card } = perLayer!
  return {
    ...{ bytes, count: 1, mayWait },
    read(raw, first, count) {
      const ids = scratch.ids(first, count)
      return perLayer!.read(
        count,
        (i) => (ids[i] < card.rows ? ids[i] : 0),
        raw,
        (i) => i * bytes,
      )
    },
  }
}

/** Arithmetic on the rows of some tokens, in the scratch space of their model. */
class Scratch {
  /** The type to which PyTorch would round after each operation; float32: none. */
  readonly #rounds: FloatDtype

  constructor(
    readonly model: Model,
    readonly request: LookupRequest,
  ) {
    this.#rounds = request.dtype === model.spec.dtype ? request.dtype : 'float32'
  }

  /** The numbers of some tokens, from which their block is written. */
  rows(length: number): Float32Array {
    return this.model.workspace.rows.subarray(0, length)
  }

  ids(first: number, count: number): Int32Array {
    return intsOf(this.request.fillIds, first, count)
  }

  /** The rows that `inputs_embeds` has. */
  embeds(first: number, count: number): Float32Array {
    const { workspace, tokenTable, spec } = this.model
    const { batch, dtype } = this.request
    const rows = workspace.unprojected.subarray(0, count * spec.embeddingDim)
    lookUp(rows, tokenTable, this.ids(first, count))
    for (const step of inputsEmbedsSteps(this.model, batch, dtype).steps ?? [])
      if (typeof step === 'function') step(rows, first, count)
    this.round(rows)
    return rows
  }

  /** √ of each row's mean square, at least √least, rounded after each operation. */
  lengths(rows: Float32Array, width: number, least: number): number[] {
    const round = (value: number) => rounded(Math.fround(value), this.#rounds)
    return Array.from({ length: rows.length / width }, (_, i) => {
      let sum = 0
      for (let c = i * width; c < (i + 1) * width; c++) sum += round(rows[c] * rows[c])
      return round(Math.sqrt(Math.max(round(Math.fround(sum) / width), round(least))))
    })
  }

  /** Stored numbers as float32, in the model's type. */
  widen(raw: Uint8Array, stored: FloatDtype, out: Float32Array): void {
    const { workspace, spec } = this.model
    workspace.widen(raw.subarray(0, out.length * ITEM_BYTES[stored]), stored, out)
    if (stored !== spec.dtype) workspace.roundRows(out, spec.dtype)
  }

  round(rows: Float32Array): void {
    this.model.workspace.roundRows(rows, this.#rounds)
  }
}

/** Each row of `weight.length` numbers by the root of its mean square, times `weight`, in float32. */
function rmsNorm(rows: Float32Array, weight: Float32Array, epsilon: number): void {
  const width = weight.length
  for (let at = 0; at < rows.length; at += width) {
    let squares = 0
    for (let c = 0; c < width; c++) squares += Math.fround(rows[at + c] * rows[at + c])
    const length = Math.fround(Math.sqrt(Math.fround(Math.fround(squares / width) + Math.fround(epsilon))))
    const factor = Math.fround(1 / length)
    for (let c = 0; c < width; c++) rows[at + c] = Math.fround(rows[at + c] * factor) * weight[c]
  }
}
