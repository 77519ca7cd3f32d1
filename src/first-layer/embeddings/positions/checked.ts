import { InletError } from '../../errors.js'
import type { PositionEmbedding } from './position-embedding.js'
import type { PositionRequest, PositionTensor } from './scheme.js'

/** Indices are int32. */
const MAX_POSITION = 2 ** 31 - 1

/**
 * Checks a request against a scheme, and returns the scheme's tensors for it.
 *
 * @throws InletError `invalid_request` with param `position_embedding.OPTION`, `context_too_long`
 */
export function checkedTensors(
  position: PositionEmbedding,
  request: PositionRequest,
): readonly PositionTensor[] {
  checkPositions(position, request)
  return position.tensors(request)
}

/** Checks alone, for requests whose T is known before their text has arrived. @throws InletError as {@link checkedTensors} */
export function checkPositions(position: PositionEmbedding, request: PositionRequest): void {
  const problem = position.check(request)
  if (problem !== undefined) {
    const param = problem.code === 'context_too_long' ? 'context_length' : optionPath(problem.option)
    throw new InletError(problem.code, problem.message, param)
  }
  const { offset, length } = request
  if (offset + length - 1 <= MAX_POSITION) return
  const message = `\`position_offset\` + \`context_length\` must be at most ${MAX_POSITION + 1}. Given: ${offset} + ${length}`
  throw new InletError('invalid_request', message, 'position_offset')
}

function optionPath(option: string | undefined): string {
  return option === undefined ? 'position_embedding' : `position_embedding.${option}`
}
