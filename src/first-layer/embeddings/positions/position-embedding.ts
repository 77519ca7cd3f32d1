import { InletError, shown } from '../../errors.js'
import { readOptions } from '../../options.js'
import { positionSchemes } from './registry.js'
import type { PositionProblem, PositionRequest, PositionTensor } from './scheme.js'

/** A parsed `position_embedding`: flat, every default filled in, snake_case as on the wire. */
export interface PositionEmbeddingValue {
  readonly type: string
  readonly [option: string]: unknown
}

/**
 * Reads a scheme as the wire has it, a type or a flat object with options: `"rope"` and `{ "type": "rope" }` →
 * `{ type: 'rope', head_dim: 64, rope_theta: 10000, … }`.
 *
 * @throws InletError `invalid_request` with param `position_embedding`, `position_embedding.scaling.factor`, …
 */
export function readPositionEmbedding(wire: unknown): PositionEmbeddingValue {
  const { type: named, ...given } = typeof wire === 'string' ? { type: wire } : Object(wire)
  const scheme = positionSchemes.find(({ type }) => type === named)
  if (scheme === undefined) {
    const types = positionSchemes.map(({ type }) => type).join(', ')
    const message = `\`${PATH}.type\` must be one of ${types}. Given: ${shown(named)}`
    throw new InletError('invalid_request', message, `${PATH}.type`)
  }
  return { type: scheme.type, ...readOptions(scheme.options, given, PATH) }
}

const PATH = 'position_embedding'

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
