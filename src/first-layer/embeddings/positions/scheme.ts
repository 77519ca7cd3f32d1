import { z } from 'zod'
import type { Drawn } from '../../random/drawn.js'
import type { Dtype } from '../../tensors/named-tensor.js'

/** The part of a request that a scheme sees: how many positions, from which one on, and the model's sizes. */
export interface PositionRequest {
  /** T: the window's tokens, at positions `offset` … `offset + length − 1`. */
  readonly length: number
  /** o: the position of the window's first token. */
  readonly offset: number
  /** C: the width of the token rows. */
  readonly embeddingDim: number
  /** P: the positions that the learned position table has rows for. */
  readonly maxPositionEmbeddings: number
  /** Row of the scheme's table, learned or computed, that belongs to position 0: 2 in OPT. Absent: 0. */
  readonly firstRow?: number | undefined
  /** A row of zeros in that table, if the table is computed. Absent: none. */
  readonly zeroRow?: number | undefined
  /**
   * The model's learned numbers for this scheme, under this name and of this length; undefined where the model has none,
   * and the scheme draws them from a seed. Absent: the model has none at all.
   */
  readonly learned?: ((name: string, length: number) => Float32Array | undefined) | undefined
}

interface DeclaredTensor {
  readonly name: string
  readonly dtype: Extract<Dtype, 'int32' | 'float32'>
  /** Without a batch axis: positions are the same in each window. */
  readonly shape: readonly number[]
}

/** A tensor that is computed range by range, so that [H, T, K] streams in constant memory. */
export interface ComputedTensor extends DeclaredTensor {
  readonly table?: undefined
  /**
   * Writes the row-major elements `start` … `start + out.length − 1`. The dtype decides the array's type:
   * `Int32Array` for int32, `Float32Array` for float32. Ranges may be asked for in any order and give the same bits.
   * An element may cost a sine: a thousand of them take a tenth of a millisecond.
   */
  fill(out: Float32Array | Int32Array, start: number): void
  /** Tables that the first `fill` draws, unless they are there before. */
  readonly drawn?: Drawn | undefined
}

/** A tensor whose rows are rows of one of the model's tables: the code that holds the table looks them up. */
export interface TableTensor extends DeclaredTensor {
  readonly table: { readonly key: 'wpe.weight'; readonly firstRow: number }
}

export type PositionTensor = ComputedTensor | TableTensor

/** Why a scheme cannot serve a request. `option` is the path inside `position_embedding`: `scaling.factor`. */
export interface PositionProblem {
  readonly code: 'invalid_request' | 'context_too_long'
  readonly option?: string
  readonly message: string
}

/**
 * One way of telling a transformer where its tokens stand. A scheme is one file, named as its wire value, and its line
 * in the registry. A scheme declares everything that others need: its options, the requests it refuses, and its tensors. It knows no HTTP and no tensor library.
 */
// biome-ignore lint/suspicious/noExplicitAny: a registry holds schemes of any options
export interface PositionScheme<Options extends z.ZodObject = any> {
  /** The wire value, `position_embedding: "rope"`. */
  readonly type: string
  /** Without `type`: snake_case names as on the wire. */
  readonly options: Options
  /** The options with `type`: an object as on the wire. */
  readonly schema: z.ZodObject<{ type: z.ZodLiteral<string> }, z.core.$strict>
  /** For the explorer: what it does, in a sentence, and the tensors that are drawn, of two or three axes. */
  readonly picture: readonly [about: string, ...drawn: string[]]
  /** The tensor [T, C] that is added to the token rows; absent: all tensors go into attention. */
  readonly added?: string
  /** The scheme's tensors, which `outputs` can name: the axes of each, and its meaning. */
  readonly tensorDocs: Readonly<Record<string, readonly [shape: string, meaning: string]>>
  readonly tensorNames: readonly string[]
  /** The first rule that the options break, taken together or with this request; undefined: none. Absent: there is none. */
  check?(options: z.output<Options>, request: PositionRequest): PositionProblem | undefined
  /** The tensors, for options and a request that passed `check`. They are declared, not computed. */
  tensors(
    options: z.output<Options>,
    request: PositionRequest,
    tables: LearnedTables,
  ): readonly PositionTensor[]
  /** The model's table in which the scheme looks up its rows; absent: none. */
  readonly table?: 'wpe.weight'
  /**
   * The scheme's learned tables, which a checkpoint or an upload may bring: name → shape. Others are drawn in this order
   * from the option `seed`. Absent: none.
   *
   * `t5` with 32 buckets and 8 heads → `{ relative_attention_bias: [32, 8] }`
   */
  parameters?(options: z.output<Options>, embeddingDim: number): Readonly<Record<string, readonly number[]>>
  /** Facts about the tensors for the answer's metadata. */
  metadata?(options: z.output<Options>): Readonly<Record<string, string>>
}

/** Completes a scheme's declaration with the members that follow from it. */
export function defineScheme<Options extends z.ZodObject>(
  scheme: Omit<PositionScheme<Options>, 'tensorNames' | 'schema'>,
): PositionScheme<Options> {
  const schema = z.strictObject({ type: z.literal(scheme.type), ...scheme.options.shape })
  return { ...scheme, schema, tensorNames: Object.keys(scheme.tensorDocs) }
}

/**
 * Refuses an option: `refuse('head_dim', 'must be even', 7)` → "`position_embedding.head_dim` must be even.
 * Given: 7".
 */
export function refuse(option: string, rule: string, given: unknown): PositionProblem {
  const message = `\`position_embedding.${option}\` ${rule}. Given: ${String(given)}`
  return { code: 'invalid_request', option, message }
}

/** Numbers from which the elements of a tensor are made, drawn at the first call unless they are there before. */
export interface Prepared<Value> {
  (): Value
  /** Tables that are drawn for it, many numbers. */
  readonly drawn?: Drawn | undefined
}

/** The tables of {@link PositionScheme.parameters}. */
export type LearnedTables = Readonly<Record<string, Prepared<Float32Array>>>

/** A float32 tensor of prepared numbers, from the one at `first` on. */
export function preparedTensor(
  name: string,
  shape: readonly number[],
  numbers: Prepared<Float32Array | Float64Array>,
  first = 0,
): ComputedTensor {
  return {
    ...{ name, dtype: 'float32', shape, drawn: numbers.drawn },
    fill: (out, start) => out.set(numbers().subarray(first + start, first + start + out.length)),
  }
}

/** `valueAt(0) … valueAt(count − 1)`, in double: `numbers(3, (i) => 2 * i)` → 0, 2, 4. */
export function numbers(count: number, valueAt: (index: number) => number): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => valueAt(i))
}
