import type { LookupCard, PerLayerCard } from '../lookups/lookup-card.js'
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
/** Elements of a step. */
const STEP_ELEMENTS = 1 << 14
/** Steps, and rows that are read, after which a block ends, full or not: a few milliseconds. */
const MOST_STEPS = 8
const MOST_READS = 512

/**
 * The tensor of a name that a model's lookups give: one of `LOOKUP_OUTPUTS`; undefined: it gives none of that name. Where
 * n-grams' rows are added to the token's own, the rows of the first block are among them.
 */
export function lookupTensor(model: Model, name: string, request: LookupRequest): NamedTensor | undefined {
  const { lookups } = model
  if (lookups === undefined) return undefined
  const { perLayer, ngrams, streams } = lookups.card
  const maker = new TensorMaker(model, lookups, name, request)
  if (perLayer !== undefined && name === 'per_layer_inputs') return maker.perLayerInputs(perLayer)
  if (perLayer !== undefined && name === 'per_layer_projected') return maker.perLayerProjected(perLayer)
  if (streams !== undefined && name === 'hidden_streams') return maker.streams(streams)
  if (ngrams === undefined) return undefined
  const numbers = new BatchNgrams(ngrams, request.batch, request.ngramContext)
  if (name === 'ngram_ids') return maker.ngramIds(numbers)
  if (name === 'ngram_embeddings') return maker.ngramEmbeddings(numbers, ngrams.width)
  const isRow = name === 'input_embeddings' || name === 'inputs_embeds'
  return ngrams.areAdded && isRow ? maker.withNgrams(numbers) : undefined
}

/** How the tokens of a tensor are made, a few at a time. */
interface TokenWork {
  /** Shape of a token's part. */
  readonly each: readonly number[]
  /** Bytes of the rows that are read for a token, and how many they are. Default: one */
  readonly read: number
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

class TensorMaker {
  readonly #model: Model
  readonly #dtype: FloatDtype
  /** The 16-bit type to which PyTorch would round after each operation; undefined: none. */
  readonly #rounds: 'float16' | 'bfloat16' | undefined

  constructor(
    model: Model,
    private readonly lookups: Lookups,
    private readonly name: string,
    private readonly request: LookupRequest,
  ) {
    this.#model = model
    const { dtype } = request
    this.#dtype = dtype
    this.#rounds = dtype === model.spec.dtype && dtype !== 'float32' ? dtype : undefined
  }

  ngramIds(numbers: BatchNgrams): NamedTensor {
    const { batch, idsDtype } = this.request
    const { heads } = numbers
    const shape = [batch.count, batch.contextLength, heads]
    const fill = (out: Int32Array, start: number) => {
      const first = Math.floor(start / heads)
      const rows = numbers.of(first, Math.ceil((start + out.length) / heads) - first)
      out.set(rows.subarray(start - first * heads, start - first * heads + out.length))
    }
    return idTensor({ name: this.name, shape, fill }, idsDtype, this.#model.workspace)
  }

  ngramEmbeddings(numbers: BatchNgrams, width: number): NamedTensor {
    const { stored } = this.lookups.ngrams[0].card
    const isAsStored = stored === this.#dtype && stored === this.#model.spec.dtype
    return this.#tensor({
      each: [width],
      read: width * ITEM_BYTES[stored],
      reads: numbers.heads,
      rows: (raw, first, count) => this.#readNgrams(raw, numbers.of(first, count), numbers.heads),
      ...(!isAsStored && {
        compute: (raw, _first, count) => this.#widen(raw, stored, this.#rows(count * width)),
      }),
    })
  }

  /** The row, and those of its n-grams added one after the other, each sum rounded. */
  withNgrams(numbers: BatchNgrams): NamedTensor {
    const { workspace, spec } = this.#model
    const { heads } = numbers
    const C = spec.embeddingDim
    const stored = this.lookups.ngrams[0].card.stored
    return this.#tensor({
      each: [C],
      read: heads * C * ITEM_BYTES[stored],
      reads: heads,
      rows: (raw, first, count) => this.#readNgrams(raw, numbers.of(first, count), heads),
      widest: heads * C,
      compute: (raw, first, count) => {
        const rows = this.#rows(count * C)
        const added = workspace.addends.subarray(0, count * heads * C)
        this.#widen(raw, stored, added)
        lookUp(rows, this.#model.tokenTable, this.#ids(first, count))
        for (let h = 0; h < heads; h++) {
          for (let i = 0; i < count; i++) {
            const from = (i * heads + h) * C
            for (let c = 0; c < C; c++) rows[i * C + c] += added[from + c]
          }
          this.#round(rows)
        }
      },
    })
  }

  perLayerInputs(card: PerLayerCard): NamedTensor {
    const { layers, width, table } = card
    return this.#tensor({
      each: [layers, width],
      ...this.#perLayerRows(),
      compute: (raw, _first, count) => {
        const rows = this.#rows(count * table.width)
        this.#widen(raw, table.stored, rows)
        scaleRows(rows, card.scale)
      },
    })
  }

  /** (RMSNorm(row · projection × projectionScale) + per-layer rows) × sumScale, rounded after each operation. */
  perLayerProjected(card: PerLayerCard): NamedTensor {
    const { layers, width, table } = card
    const { workspace, spec } = this.#model
    const weight = this.#model.values('per_layer.norm.weight')!
    return this.#tensor({
      each: [layers, width],
      ...this.#perLayerRows(),
      widest: Math.max(table.width, spec.embeddingDim),
      products: table.width * spec.embeddingDim,
      compute: (raw, first, count) => {
        const rows = this.#rows(count * table.width)
        this.#model.project(rows, this.#embeds(first, count), 'per_layer.projection.weight')
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
    })
  }

  /** The row `count` times, or the row and its products with matrices, each as long as it is. */
  streams({ count, areProjected }: NonNullable<LookupCard['streams']>): NamedTensor {
    const { embeddingDim: C } = this.#model.spec
    return this.#tensor({
      ...{ each: [count, C], read: 0, products: areProjected ? count * C * C : 0 },
      ...{ widest: (count + 1) * C },
      compute: (_raw, first, tokens) => {
        const rows = this.#embeds(first, tokens)
        const made = this.#model.workspace.addends.subarray(0, tokens * C)
        const out = this.#rows(tokens * count * C)
        const lengths = areProjected ? this.#lengths(rows, C, 0) : []
        for (let k = 0; k < count; k++) {
          if (areProjected && k > 0) this.#projectedLike(lengths, k - 1, rows, made)
          const stream = areProjected && k > 0 ? made : rows
          for (let i = 0; i < tokens; i++) out.set(stream.subarray(i * C, (i + 1) * C), (i * count + k) * C)
        }
      },
    })
  }

  /** Rows times a matrix of the streams, each as long as its row is. */
  #projectedLike(lengths: readonly number[], stream: number, rows: Float32Array, out: Float32Array): void {
    const C = rows.length / lengths.length
    this.#model.project(out, rows, `streams.${stream}.weight`)
    this.#round(out)
    const own = this.#lengths(out, C, 1e-5)
    for (let i = 0; i < out.length; i++) out[i] *= lengths[Math.floor(i / C)]
    this.#round(out)
    for (let i = 0; i < out.length; i++) out[i] /= own[Math.floor(i / C)]
  }

  /** Declares a tensor whose tokens are made a few at a time. */
  #tensor(work: TokenWork): NamedTensor {
    const { batch } = this.request
    const shape = [batch.count, batch.contextLength, ...work.each]
    const mayWait = work.read > 0 && (this.lookups.perLayer ?? this.lookups.ngrams[0]).mayWait
    const blocks = () => (mayWait ? this.#blocksLater(work) : this.#blocksNow(work))
    return { name: this.name, dtype: this.#dtype, shape, blocks }
  }

  *#blocksNow(work: TokenWork): Generator<Uint8Array, void, void> {
    const block = this.#block(work)
    try {
      for (let first = 0; first < block.total; first += block.tokens) {
        block.read(first)
        yield block.make(first)
      }
    } finally {
      block.release()
    }
  }

  async *#blocksLater(work: TokenWork): AsyncGenerator<Uint8Array, void, void> {
    const block = this.#block(work)
    try {
      for (let first = 0; first < block.total; first += block.tokens) {
        await block.read(first)
        yield block.make(first)
      }
    } finally {
      block.release()
    }
  }

  /** A leased buffer, and how the block of the tokens from `first` on is read and made in it. */
  #block({ each, compute, rows, read, reads = 1, widest, products = 0 }: TokenWork) {
    const { workspace } = this.#model
    const { batch } = this.request
    const width = elementCount(each)
    const tokenBytes = width * ITEM_BYTES[this.#dtype]
    const total = batch.count * batch.contextLength
    const most = Math.min(total, Math.max(1, Math.floor(workspace.blockBytes / Math.max(tokenBytes, read))))
    const cost = Math.max(width, products / PROJECTED_AT_ONCE)
    const fitting = Math.floor(workspace.rows.length / (widest ?? width))
    const step = Math.max(1, Math.min(fitting, Math.floor(STEP_ELEMENTS / cost)))
    const out = workspace.lease(most * tokenBytes, tokenBytes)
    const raw = compute === undefined || read === 0 ? undefined : workspace.lease(most * read, read)
    const tokens = Math.min(
      ...[out.bytes.length / tokenBytes, raw === undefined ? most : raw.bytes.length / read],
      compute === undefined ? most : step * MOST_STEPS,
      Math.max(1, Math.floor(MOST_READS / reads)),
    )
    const bytes = raw?.bytes ?? out.bytes
    return {
      ...{ total, tokens },
      read: (first: number) => rows?.(bytes, first, Math.min(tokens, total - first)),
      make: (first: number) => {
        const here = Math.min(tokens, total - first)
        for (let done = 0; compute !== undefined && done < here; done += step) {
          const part = Math.min(step, here - done)
          compute(bytes.subarray(done * read, (done + part) * read), first + done, part)
          workspace.narrowRows(part * width, this.#dtype, out.bytes.subarray(done * tokenBytes))
        }
        return out.bytes.subarray(0, here * tokenBytes)
      },
      release() {
        raw?.release()
        out.release()
      },
    }
  }

  /** Scratch for the numbers of some tokens, from which {@link #blocks} writes them. */
  #rows(length: number): Float32Array {
    return this.#model.workspace.rows.subarray(0, length)
  }

  /** Reads the rows of n-grams, numbered [count, H], end to end for each token. */
  #readNgrams(raw: Uint8Array, numbers: Int32Array, heads: number): Promise<void> | undefined {
    const waits: Promise<void>[] = []
    const { ngrams, card } = this.lookups
    const tokenBytes = card.ngrams!.width * ITEM_BYTES[ngrams[0].card.stored]
    let column = 0
    let at = 0
    for (const [k, table] of ngrams.entries()) {
      const own = card.ngrams!.tables[k].heads
      const [from, begin] = [column, at]
      const rows =
        own === heads
          ? numbers
          : Int32Array.from({ length: (numbers.length / heads) * own }, (_, i) => {
              return numbers[Math.floor(i / own) * heads + from + (i % own)]
            })
      const place = (i: number) => Math.floor(i / own) * tokenBytes + begin + (i % own) * table.rowBytes
      const wait = table.read(rows, raw, place)
      if (wait !== undefined) waits.push(wait)
      column += own
      at += own * table.rowBytes
    }
    return waits.length > 0 ? Promise.all(waits).then(() => {}) : undefined
  }

  #perLayerRows(): Pick<TokenWork, 'read' | 'rows'> {
    const table = this.lookups.perLayer!
    return {
      read: table.rowBytes,
      rows: (raw, first, count) => {
        const ids = this.#ids(first, count)
        for (let i = 0; i < count; i++) if (ids[i] >= table.card.rows) ids[i] = 0
        return table.read(ids, raw, (i) => i * table.rowBytes)
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
    const { workspace, tokenTable, spec } = this.#model
    const rows = workspace.unprojected.subarray(0, count * spec.embeddingDim)
    lookUp(rows, tokenTable, this.#ids(first, count))
    const { batch } = this.request
    for (const step of inputsEmbedsSteps(this.#model, batch, this.#dtype).steps ?? [])
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
    const { workspace, spec } = this.#model
    workspace.widen(raw, stored, out)
    if (stored !== spec.dtype && spec.dtype !== 'float32') workspace.roundRows(out, spec.dtype)
  }

  #round(rows: Float32Array): void {
    if (this.#rounds !== undefined) this.#model.workspace.roundRows(rows, this.#rounds)
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
