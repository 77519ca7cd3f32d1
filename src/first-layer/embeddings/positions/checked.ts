import { InletError } from '../../errors.js'
import type { PositionEmbedding } from './position-embedding.js'
import type { PositionRequest, PositionTensor } from './scheme.js'

/** Indices are int32. */
const MAX_POSITION = 2 ** 31 - 1

/** How an answer uses the positions that are checked. */
export interface PositionUse {
  /** Whether one of its tensors is made of position rows. Absent: one is. */
  readonly isNeeded?: boolean
  /** Follows the message about more positions than there are: what the caller can do. */
  readonly advice?: string
}

/**
 * Checks a request against a scheme, and returns the scheme's tensors for it.
 *
 * @throws InletError `invalid_request` with param `position_embedding.OPTION`; `context_too_long`, where they are needed
 */
export function checkedTensors(
  position: PositionEmbedding,
  request: PositionRequest,
  use?: PositionUse,
): readonly PositionTensor[] {
  checkPositions(position, request, use)
  return position.tensors(request)
}

/** Checks alone, for requests whose T is known before their text has arrived. @throws InletError as {@link checkedTensors} */
export function checkPositions(
  position: PositionEmbedding,
  request: PositionRequest,
  { isNeeded = true, advice }: PositionUse = {},
): void {
  const problem = position.check(request)
  if (problem?.code === 'context_too_long') {
    const message = advice === undefined ? problem.message : `${problem.message}. ${advice}`
    if (isNeeded) throw new InletError(problem.code, message, 'context_length')
  } else if (problem !== undefined) {
    throw new InletError(problem.code, problem.message, optionPath(problem.option))
  }
  checkPlaces(request)
}

/** Checks that positions fit in int32. @throws InletError `invalid_request` */
export function checkPlaces({ offset, length }: Pick<PositionRequest, 'offset' | 'length'>): void {
  if (offset + length - 1 <= MAX_POSITION) return
  const message = `\`position_offset\` + \`context_length\` must be at most ${MAX_POSITION + 1}. Given: ${offset} + ${length}`
  throw new InletError('invalid_request', message, 'position_offset')
}

function optionPath(option: string | undefined): string {
  return option === undefined ? 'position_embedding' : `position_embedding.${option}`
}
