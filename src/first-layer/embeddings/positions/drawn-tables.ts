import { Drawn } from '../../random/drawn.js'
import { elementCount } from '../../tensors/named-tensor.js'
import {
  type LearnedTables,
  type PositionProblem,
  type PositionRequest,
  type Prepared,
  refuse,
} from './scheme.js'

/** Numbers that one request may have drawn: 64 MiB. */
export const MAX_DRAWN_NUMBERS = 2 ** 24

/** Up to so many numbers are drawn where they are needed: a tenth of a millisecond of work. */
const FEW = 2 ** 14

/**
 * Tables of standard normals from a fresh `torch.manual_seed(seed)`, one after the other: `drawnTables(123, [8, 4])()`
 * is `torch.manual_seed(123); torch.randn(8); torch.randn(4)`. The shape does not matter: `nn.Embedding(4, 2)` draws
 * the same numbers as `torch.randn(8)`.
 */
export function drawnTables(
  seed: number | string,
  lengths: readonly number[],
): Prepared<readonly Float32Array[]> {
  const drawn = new Drawn({ seed: BigInt(seed), std: 1, skipped: [], lengths })
  return Object.assign(() => drawn.tables, { drawn: drawn.numbers <= FEW ? undefined : drawn })
}

/**
 * A scheme's learned tables: the model's where it has them, the others drawn from `seed`, all in one drawing.
 *
 * @param shapes of the tables, by name
 */
export function learnedTables(
  shapes: Readonly<Record<string, readonly number[]>>,
  seed: number | string,
  { learned }: PositionRequest,
): LearnedTables {
  const lengths = Object.values(shapes).map(elementCount)
  const drawn = drawnTables(seed, lengths)
  const tables = Object.keys(shapes).map((name, i) => {
    const found = learned?.(name, lengths[i])
    return [name, Object.assign(() => found ?? drawn()[i], { drawn: found ? undefined : drawn.drawn })]
  })
  return Object.fromEntries(tables)
}

/** Refuses drawn tables beyond the bound; names the option that makes them so large. */
export function checkDrawn(option: string, given: number, numbers: number): PositionProblem | undefined {
  if (numbers <= MAX_DRAWN_NUMBERS) return undefined
  return refuse(
    option,
    `must keep the drawn tables within ${MAX_DRAWN_NUMBERS} numbers, not ${numbers}`,
    given,
  )
}
