import type { DiskTable } from '../lookups/disk-table.js'
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
import { idTensor } from './computed-tensor.js'
import type { Model } from './model.js'
import { lookUp } from './op.js'

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
  /** Bytes of the rows that are read for a token, and how many they are. Default: none. */
  readonly read?: number
  readonly reads?: number
  /** Reads the rows of `count` tokens from `first` on. */
  rows?(raw: Uint8Array, first: number, count: number): Promise<void> | undefined
  /** Computes tokens in `workspace.rows`, from which they are written. Absent: what was read is the tensor. */
  compute?(raw: Uint8Array, first: number, count: number): void
  /** Numbers of a token in the longest array that `compute` uses. Default: those of the tensor. */
  readonly widest?: number
  /** Multiplications for a token. */
  readonly products?: number
}

/**
 * The tensor of a name that a model's lookups give: one of `LOOKUP_OUTPUTS`; undefined: it gives none of that name. Where
 * n-grams' rows are added to the token's own, the rows of the first block are among them.
 */
export function lookupTensor(model: Model, name: string, request: LookupRequest): NamedTensor | undefined {
  const { lookups } = model
  if (lookups === undefined) return undefined
  const { perLayer, ngrams, streams } = lookups.card
  const made = new LookupWork(model, lookups, request)
  const tensor = (work: TokenWork) => tokenTensor(model, name, request, work)
  if (perLayer !== undefined && name === 'per_layer_inputs') return tensor(made.perLayerInputs(perLayer))
  if (perLayer !== undefined && name === 'per_layer_projected')
    return tensor(made.perLayerProjected(perLayer))
  if (streams !== undefined && name === 'hidden_streams') return tensor(made.streams(streams))
  if (ngrams === undefined) return undefined
  const numbers = new BatchNgrams(ngrams, request.batch, request.ngramContext)
  if (name === 'ngram_ids') return ngramIds(model, name, request, numbers)
  if (name === 'ngram_embeddings') return tensor(made.ngramEmbeddings(numbers, ngrams))
  const isRow = name === 'input_embeddings' || name === 'inputs_embeds'
  return ngrams.areAdded && isRow ? tensor(made.withNgrams(numbers, ngrams)) : undefined
}

function ngramIds(
  { workspace }: Model,
  name: string,
  { batch, idsDtype }: LookupRequest,
  numbers: BatchNgrams,
): NamedTensor {
  const { heads } = numbers
  const shape = [batch.count, batch.contextLength, heads]
  const fill = (out: Int32Array, start: number) => {
    const first = Math.floor(start / heads)
    const rows = numbers.of(first, Math.ceil((start + out.length) / heads) - first)
    out.set(rows.subarray(start - first * heads, start - first * heads + out.length))
  }
  return idTensor({ name, shape, fill }, idsDtype, workspace)
}

/** Declares a tensor whose tokens are made a few at a time: each few are a block. */
function tokenTensor(
  model: Model,
  name: string,
  { batch, dtype }: LookupRequest,
  work: TokenWork,
): NamedTensor {
  const { workspace, lookups } = model
  const { each, read = 0, reads = 1, rows, compute, widest, products = 0 } = work
  const width = elementCount(each)
  const tokenBytes = width * ITEM_BYTES[dtype]
  const total = batch.count * batch.contextLength
  const start = () => {
    const most = Math.min(
      total,
      STEP_ELEMENTS / Math.max(width, products / PROJECTED_AT_ONCE),
      workspace.rows.length / (widest ?? width),
      workspace.blockBytes / Math.max(tokenBytes, read),
      MOST_READS / reads,
    )
    const wanted = Math.max(1, Math.floor(most))
    const out = workspace.lease(wanted * tokenBytes, tokenBytes)
    const raw = compute && read > 0 ? workspace.lease(wanted * read, read) : undefined
    const bytes = raw?.bytes ?? out.bytes
    const tokens = Math.min(out.bytes.length / tokenBytes, raw ? raw.bytes.length / read : wanted)
    return {
      tokens,
      read: (first: number) => rows?.(bytes, first, Math.min(tokens, total - first)),
      make(first: number) {
        const count = Math.min(tokens, total - first)
        compute?.(bytes.subarray(0, count * read), first, count)
        if (compute) workspace.narrowRows(count * width, dtype, out.bytes)
        return out.bytes.subarray(0, count * tokenBytes)
      },
      release() {
        raw?.release()
        out.release()
      },
    }
  }
  function* now(): Generator<Uint8Array, void, void> {
    const block = start()
    try {
      for (let first = 0; first < total; first += block.tokens) {
        block.read(first)
        yield block.make(first)
      }
    } finally {
      block.release()
    }
  }
  async function* later(): AsyncGenerator<Uint8Array, void, void> {
    const block = start()
    try {
      for (let first = 0; first < total; first += block.tokens) {
        await block.read(first)
        yield block.make(first)
      }
    } finally {
      block.release()
    }
  }
  const mayWait = read > 0 && (lookups?.perLayer ?? lookups?.ngrams[0])?.mayWait
  const shape = [batch.count, batch.contextLength, ...each]
  return { name, dtype, shape, blocks: mayWait ? later : now }
}

/** The works of a model's lookups. */
class LookupWork {
  /** The 16-bit type to which PyTorch would round after each operation; undefined: none. */
  readonly #rounds: 'float16' | 'bfloat16' | undefined

  constructor(
    private readonly model: Model,
    private readonly lookups: Lookups,
    private readonly request: LookupRequest,
  ) {
    const { dtype } = request
    this.#rounds = dtype === model.spec.dtype && dtype !== 'float32' ? dtype : undefined
  }

  ngramEmbeddings(numbers: BatchNgrams, card: NgramsCard): TokenWork {
    const { width } = card
    const { stored } = card.tables[0].table
    const isAsStored = stored === this.request.dtype && stored === this.model.spec.dtype
    return {
      each: [width],
      ...this.#ngramRows(numbers, card),
      ...(!isAsStored && {
        compute: (raw, _first, count) => this.#widen(raw, stored, this.#rows(count * width)),
      }),
    }
  }

  /** The row, and those of its n-grams added one after the other, each sum rounded. */
  withNgrams(numbers: BatchNgrams, card: NgramsCard): TokenWork {
    const { workspace, spec, tokenTable } = this.model
    const { heads } = numbers
    const C = spec.embeddingDim
    return {
      each: [C],
      ...this.#ngramRows(numbers, card),
      widest: heads * C,
      compute: (raw, first, count) => {
        const rows = this.#rows(count * C)
        const added = workspace.addends.subarray(0, count * heads * C)
        this.#widen(raw, card.tables[0].table.stored, added)
        lookUp(rows, tokenTable, this.#ids(first, count))
        for (let h = 0; h < heads; h++) {
          for (let i = 0; i < count; i++) {
            const from = (i * heads + h) * C
            for (let c = 0; c < C; c++) rows[i * C + c] += added[from + c]
          }
          this.#round(rows)
        }
      },
    }
  }

  perLayerInputs({ layers, width, table, scale }: PerLayerCard): TokenWork {
    return {
      each: [layers, width],
      ...this.#perLayerRows(),
      compute: (raw, _first, count) => {
        const rows = this.#rows(count * table.width)
        this.#widen(raw, table.stored, rows)
        scaleRows(rows, scale)
      },
    }
  }

  /** (RMSNorm(row · projection × projectionScale) + per-layer rows) × sumScale, rounded after each operation. */
  perLayerProjected(card: PerLayerCard): TokenWork {
    const { layers, width, table } = card
    const { workspace, spec } = this.model
    const weight = this.model.values('per_layer.norm.weight')!
    return {
      each: [layers, width],
      ...this.#perLayerRows(),
      widest: Math.max(table.width, spec.embeddingDim),
      products: table.width * spec.embeddingDim,
      compute: (raw, first, count) => {
        const rows = this.#rows(count * table.width)
        this.model.project(rows, this.#embeds(first, count), 'per_layer.projection.weight')
        this.#round(rows)
        scaleRows(rows, card.projectionScale)
        this.#round(rows)
        rmsNorm(rows, weight, card.epsilon)
        this.#round(rows)
        const own = workspace.addends.subarray(0, rows.length)
        this.#widen(raw, table.stored, own)
        scaleRows(own, card.scale)
        this.#round(own)
        addRows(rows, own)
        this.#round(rows)
        scaleRows(rows, card.sumScale)
      },
    }
  }

  /** The row `count` times, or the row and its products with matrices, each as long as it is. */
  streams({ count, areProjected }: NonNullable<LookupCard['streams']>): TokenWork {
    const { embeddingDim: C } = this.model.spec
    return {
      ...{ each: [count, C], products: areProjected ? count * C * C : 0, widest: (count + 1) * C },
      compute: (_raw, first, tokens) => {
        const rows = this.#embeds(first, tokens)
        const made = this.model.workspace.addends.subarray(0, tokens * C)
        const out = this.#rows(tokens * count * C)
        const lengths = areProjected ? this.#lengths(rows, C, 0) : []
        for (let k = 0; k < count; k++) {
          if (areProjected && k > 0) this.#projectedLike(lengths, k - 1, rows, made)
          const stream = areProjected && k > 0 ? made : rows
          for (let i = 0; i < tokens; i++) out.set(stream.subarray(i * C, (i + 1) * C), (i * count + k) * C)
        }
      },
    }
  }

  /** Rows times a matrix of the streams, each as long as its row is. */
  #projectedLike(lengths: readonly number[], stream: number, rows: Float32Array, out: Float32Array): void {
    const C = rows.length / lengths.length
    this.model.project(out, rows, `streams.${stream}.weight`)
    this.#round(out)
    const own = this.#lengths(out, C, 1e-5)
    for (let i = 0; i < out.length; i++) out[i] *= lengths[Math.floor(i / C)]
    this.#round(out)
    for (let i = 0; i < out.length; i++) out[i] /= own[Math.floor(i / C)]
  }

  /** Scratch for the numbers of some tokens, from which their block is written. */
  #rows(length: number): Float32Array {
    return this.model.workspace.rows.subarray(0, length)
  }

  /** The rows of a token's n-grams, end to end. */
  #ngramRows(numbers: BatchNgrams, card: NgramsCard): Pick<TokenWork, 'read' | 'reads' | 'rows'> {
    const { heads } = numbers
    const read = card.width * ITEM_BYTES[card.tables[0].table.stored]
    return {
      ...{ read, reads: heads },
      rows: (raw, first, count) => {
        const found = numbers.of(first, count) // [count, H]
        let [column, at] = [0, 0]
        const waits = this.lookups.ngrams.map((table, k) => {
          const own = card.tables[k].heads
          const [from, begin] = [column, at]
          column += own
          at += own * table.rowBytes
          const token = (i: number) => Math.floor(i / own)
          const rowOf = (i: number) => found[token(i) * heads + from + (i % own)]
          return table.read(
            count * own,
            rowOf,
            raw,
            (i) => token(i) * read + begin + (i % own) * table.rowBytes,
          )
        })
        return waits.some(Boolean) ? Promise.all(waits).then(() => {}) : undefined
      },
    }
  }

  #perLayerRows(): Pick<TokenWork, 'read' | 'rows'> {
    const table = this.lookups.perLayer as DiskTable
    const { rowBytes, card } = table
    return {
      read: rowBytes,
      rows: (raw, first, count) => {
        const ids = this.#ids(first, count)
        const rowOf = (i: number) => (ids[i] < card.rows ? ids[i] : 0)
        return table.read(count, rowOf, raw, (i) => i * rowBytes)
      },
    }
  }

  #ids(first: number, count: number): Int32Array {
    const ids = new Int32Array(count)
    this.request.fillIds(ids, first)
    return ids
  }

  /** The rows that `inputs_embeds` has, in scratch. */
  #embeds(first: number, count: number): Float32Array {
    const { workspace, tokenTable, spec } = this.model
    const { batch, dtype } = this.request
    const rows = workspace.unprojected.subarray(0, count * spec.embeddingDim)
    lookUp(rows, tokenTable, this.#ids(first, count))
    for (const step of inputsEmbedsSteps(this.model, batch, dtype).steps ?? [])
      if (typeof step === 'function') step(rows, first, count)
    this.#round(rows)
    return rows
  }

  /** √ of each row's mean square, at least √least, rounded after each operation. */
  #lengths(rows: Float32Array, width: number, least: number): number[] {
    const round = (value: number) => rounded(Math.fround(value), this.#rounds ?? 'float32')
    return Array.from({ length: rows.length / width }, (_, i) => {
      let sum = 0
      for (let c = i * width; c < (i + 1) * width; c++) sum += round(rows[c] * rows[c])
      return round(Math.sqrt(Math.max(round(Math.fround(sum) / width), round(least))))
    })
  }

  /** Stored numbers as float32, in the model's type. */
  #widen(raw: Uint8Array, stored: FloatDtype, out: Float32Array): void {
    const { workspace, spec } = this.model
    workspace.widen(raw, stored, out)
    if (stored !== spec.dtype && spec.dtype !== 'float32') workspace.roundRows(out, spec.dtype)
  }

  #round(rows: Float32Array): void {
    if (this.#rounds !== undefined) this.model.workspace.roundRows(rows, this.#rounds)
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
