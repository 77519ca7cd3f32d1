import { z } from 'zod'
import { positionSchemes } from './registry.js'
import type { PositionProblem, PositionRequest, PositionScheme, PositionTensor } from './scheme.js'

/** A parsed `position_embedding`: flat, every default filled in, snake_case as on the wire. */
export interface PositionEmbeddingValue {
  readonly type: string
  readonly [option: string]: unknown
}

const typeNames = positionSchemes.map((scheme) => scheme.type)

const flatObject = z
  .discriminatedUnion('type', nonEmpty(positionSchemes.map(withType)), {
    error: ({ code }) =>
      code === 'invalid_union' ? `must be one of ${typeNames.join(', ')}` : 'must be a type or an object',
  })
  .transform((value) => value as PositionEmbeddingValue)

/**
 * Parses the wire value: a type, or a flat object with options. `"rope"` and `{ "type": "rope" }` →
 * `{ type: 'rope', head_dim: 64, rope_theta: 10000, … }`. Issues have the paths of the flat object:
 * `['head_dim']`, `['scaling', 'factor']`, `['type']`; an unknown option is `unrecognized_keys`.
 */
export const positionEmbeddingSchema = z.preprocess(
  (value) => (typeof value === 'string' ? { type: value } : value),
  flatObject,
)

/** A scheme bound to its options: the interface through which the recipe uses any scheme. */
export interface PositionEmbedding {
  readonly type: string
  /** The tensor that is added to the token rows; undefined: all tensors are for the attention. */
  readonly added: string | undefined
  readonly tensorNames: readonly string[]
  check(request: PositionRequest): PositionProblem | undefined
  tensors(request: PositionRequest): readonly PositionTensor[]
  /** The model's table in which the scheme looks up its rows; undefined: none. */
  readonly table: 'wpe.weight' | undefined
  /** The scheme's learned tables: name → shape. */
  parameters(embeddingDim: number): Readonly<Record<string, readonly number[]>>
  metadata(): Readonly<Record<string, string>>
}

/** Binds a parsed value to its scheme. @throws Error for an unknown type, which parsing has refused */
export function bindPositionEmbedding({ type, ...options }: PositionEmbeddingValue): PositionEmbedding {
  const scheme = positionSchemes.find((each) => each.type === type)
  if (scheme === undefined) throw new Error(`no position scheme is called ${type}`)
  return {
    type,
    added: scheme.added,
    table: scheme.table,
    tensorNames: scheme.tensorNames,
    check: (request) => scheme.check(options, request),
    tensors: (request) => scheme.tensors(options, request),
    parameters: (embeddingDim) => scheme.parameters?.(options, embeddingDim) ?? {},
    metadata: () => scheme.metadata?.(options) ?? {},
  }
}

function withType(scheme: PositionScheme) {
  return z.strictObject({ type: z.literal(scheme.type), ...scheme.options.shape })
}

function nonEmpty<Item>(items: readonly Item[]): [Item, ...Item[]] {
  return items as [Item, ...Item[]]
}
