import type { GradientCall, LearnableName } from '../../../src/first-layer/learning/gradient-call.js'
import { Learner } from '../../../src/first-layer/learning/learner.js'
import { TorchGenerator } from '../../../src/first-layer/random/generator.js'
import type { FloatDtype } from '../../../src/first-layer/tensors/named-tensor.js'
import { readGolden } from '../../goldens.js'
import { bfloat16Bits, float16Bits } from '../../twins/sixteen-bits.js'

export interface GoldenCall {
  readonly B?: number
  readonly T?: number
  readonly ids_mod: number
  readonly salt: number
  readonly scale_log2?: number
  readonly position_ids?: 'mixed' | 'same'
  readonly position_offset?: number
  readonly attention_mask?: 'right_padding'
  readonly dtype?: FloatDtype
  readonly token_gradients?: number
  readonly position_gradients?: number
  readonly token_ids?: readonly number[]
  readonly values?: readonly (readonly number[])[]
  readonly steps?: readonly number[]
  readonly part?: string
}

export interface GoldenModel {
  readonly seed: number
  readonly vocab_size: number
  readonly embedding_dim: number
  readonly max_position_embeddings?: number
}

export interface GoldenState {
  readonly step?: number
  readonly grad_norms?: Readonly<Record<string, { readonly sum_of_squares: string; readonly norm: string }>>
  readonly tensors: Readonly<Record<string, { readonly sha256: string; readonly first?: readonly number[] }>>
  readonly optimizer_steps?: Readonly<Record<string, number>>
}

export interface GoldenCase {
  readonly id: string
  readonly model: GoldenModel
  readonly optimizer: Readonly<Record<string, unknown>>
  readonly calls: readonly GoldenCall[]
  readonly steps: number
  readonly step_overrides?: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly max_norm?: number
  readonly expect: readonly GoldenState[]
}

/** PyTorch's tables after k steps, and the sums of its backward; made by the law that the file states. */
export const GOLDENS = readGolden<{ sums: GoldenCase[]; steps: GoldenCase[] }>('learning.json')
/** Cases over GPT-2's table. */
export const FULL_SIZE = /^full-size/

/** The finalizer of MurmurHash3. */
function mix32(h: number): number {
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

export function formula(count: number, salt: number, scaleLog2 = 0): Float32Array {
  const numbers = new Float32Array(count)
  for (let i = 0; i < count; i++) {
    const h = mix32((Math.imul(i, 2654435761) + salt) | 0)
    numbers[i] = ((h >>> 8) - 2 ** 23) * 2 ** (scaleLog2 - 23 - (h & 7))
  }
  return numbers
}

export function formulaIds(count: number, mod: number, salt: number, step = 0): Int32Array {
  return Int32Array.from({ length: count }, (_, i) => (i * 7919 + step * 104_729 + salt) % mod)
}

/** The gradients of a call as they are sent. */
function sent(numbers: Float32Array, dtype: FloatDtype = 'float32') {
  if (dtype === 'float32') return { dtype, bytes: new Uint8Array(numbers.buffer) }
  const bits = dtype === 'float16' ? float16Bits : bfloat16Bits
  return { dtype, bytes: new Uint8Array(Uint16Array.from(numbers, bits).buffer) }
}

/** The call of place `k` in step `s`. */
export function callOf(
  given: GoldenCall,
  { embedding_dim: C, max_position_embeddings: P = 0 }: GoldenModel,
  s: number,
  k: number,
  position_ids = given.position_ids,
): GradientCall {
  const S = given.salt + 1_000_003 * s + 7919 * k
  if (given.B === undefined || given.T === undefined) {
    const { token_gradients: N = 0, position_gradients: M = 0, token_ids, values } = given
    const tokens = values
      ? {
          token_gradients: sent(Float32Array.from(values.flat())),
          token_ids: Int32Array.from(token_ids ?? []),
        }
      : {
          token_gradients: sent(formula(N * C, S, given.scale_log2)),
          token_ids: formulaIds(N, given.ids_mod, given.salt + 31 * k, s),
        }
    const positions = {
      position_gradients: sent(formula(M * C, S + 500_009, given.scale_log2)),
      position_ids: formulaIds(M, P, given.salt + 17 + 31 * k, s),
    }
    return { ...((values || N > 0) && tokens), ...(M > 0 && positions) }
  }
  const { B, T } = given
  const places = Array.from({ length: B * T }, (_, i) => [Math.floor(i / T), i % T] as const)
  return {
    shape: [B, T],
    gradients: sent(formula(B * T * C, S, given.scale_log2), given.dtype),
    input_ids: formulaIds(B * T, given.ids_mod, given.salt + 31 * k, s),
    position_ids:
      position_ids &&
      Int32Array.from(places, ([b, t]) => (position_ids === 'same' ? t : (3 * t + 5 * b + s) % P)),
    position_offset: given.position_offset,
    attention_mask:
      given.attention_mask && Int32Array.from(places, ([b, t]) => (t < T - ((2 * b) % T) ? 1 : 0)),
  }
}

/** The model's tables as a seed draws them, with an optimizer. */
export function learnerOf(model: GoldenModel, optimizer: Readonly<Record<string, unknown>>) {
  const { vocab_size: V, max_position_embeddings: P, embedding_dim: dim } = model
  const names: LearnableName[] = P === undefined ? ['wte.weight'] : ['wte.weight', 'wpe.weight']
  const held = names.map((name) => ({ name, dim, rows: name === 'wte.weight' ? V : (P as number) }))
  const learner = new Learner(optimizer, held)
  const generator = new TorchGenerator(BigInt(model.seed))
  const tables = new Map<string, Float32Array>()
  for (const { name, rows } of held) {
    const numbers = learner.table(name)?.numbers ?? new Float32Array(rows * dim)
    generator.normal(numbers)
    tables.set(name, numbers)
  }
  return { learner, tables }
}

/** Tables and states by their names in a checkpoint. */
export function tensorsOf(learner: Learner, tables: ReadonlyMap<string, Float32Array>) {
  const tensors = new Map(tables)
  for (const table of learner.tables) {
    for (const [name, numbers] of table.states) tensors.set(`optimizer.${table.name}.${name}`, numbers)
  }
  return tensors
}

/** A table's pending gradient as PyTorch has it, [V, C]. */
export function denseGradient(learner: Learner, name: string): Float32Array {
  const { rows, dim, pending } = learner.table(name as LearnableName)!
  const dense = new Float32Array(rows * dim)
  for (const row of pending.rows) dense.set(pending.numbersOf(row)!, row * dim)
  return dense
}
