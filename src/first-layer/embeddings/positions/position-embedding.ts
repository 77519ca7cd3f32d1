import { InletError } from '../../errors.js'
import { learnedTables } from './drawn-tables.js'
import type { PositionEmbeddingValue } from './position-option.js'
import { positionSchemes } from './registry.js'
import type { PositionProblem, PositionRequest, PositionScheme, PositionTensor } from './scheme.js'

/** A scheme bound to its options: the interface through which the recipe uses any scheme. */
export interface PositionEmbedding extends Pick<PositionScheme, 'type' | 'added' | 'tensorNames' | 'table'> {
  /** Of `none`: the rope of a folder that is not computed. */
  readonly ropeType?: unknown
  check(request: PositionRequest): PositionProblem | undefined
  tensors(request: PositionRequest): readonly PositionTensor[]
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
    ropeType: options.rope_type,
    check: (request) => scheme.check?.(options, request),
    tensors(request) {
      const shapes = scheme.parameters?.(options, request.embeddingDim)
      const tables = shapes ? learnedTables(shapes, options.seed as number | string, request) : {}
      return scheme.tensors(options, request, tables)
    },
    parameters: (embeddingDim) => scheme.parameters?.(options, embeddingDim) ?? {},
    metadata: () => scheme.metadata?.(options) ?? {},
  }
}

/** Indices are int32. */
const MAX_POSITION = 2 ** 31 - 1

/** How an answer uses the positions that are checked. */
interface PositionUse {
  /** Whether one of its tensors is made of position rows. Absent: one is. */
  readonly isNeeded?: boolean
  /** Follows the message about more positions than there are: what the caller can do. */
  readonly advice?: string
}

/**
 * Checks a request against a scheme.
 *
 * @throws InletError `invalid_request` with param `position_embedding.OPTION`; `context_too_long`, where they are needed
 */
export function checkPositions(
  position: PositionEmbedding,
  request: PositionRequest,
  { isNeeded = true, advice }: PositionUse = {},
): void {
  const { code, option, message } = position.check(request) ?? {}
  if (code === 'context_too_long' && isNeeded)
    throw new InletError(code, advice ? `${message}. ${advice}` : message!, 'context_length')
  if (code === 'invalid_request') throw new InletError(code, message!, `position_embedding.${option}`)
  checkPlaces(request)
}

/** Checks that positions fit in int32. @throws InletError `invalid_request` */
export function checkPlaces({ offset, length }: Pick<PositionRequest, 'offset' | 'length'>): void {
  if (offset + length - 1 <= MAX_POSITION) return
  const message = `\`position_offset\` + \`context_length\` must be at most ${MAX_POSITION + 1}. Given: ${offset} + ${length}`
  throw new InletError('invalid_request', message, 'position_offset')
}
