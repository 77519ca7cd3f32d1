import type { TableShape } from '../../first-layer/embeddings/table-memory.js'
import type { ModelEntry } from '../../models/entry.js'
import { HeaderedError, head, InletError, shown, shownShape } from '../answer/error-table.js'

/** Most names of models or tables in a message. */
const SHOWN_NAMES = 16

/** 503 `loading`: the service is starting. */
export function starting(): InletError {
  return new HeaderedError('loading', 'The service is starting. Try again.', null, { 'retry-after': '1' })
}

export function modelLoading(id: string): InletError {
  const message = `\`model\` ${id} is being loaded. Try again.`
  return new HeaderedError('model_loading', message, 'model', { 'retry-after': '1' })
}

export function modelNotFound(id: string, known: readonly string[]): InletError {
  const message = `\`model\` must be one of ${shownNames(known)}. Given: ${shown(id)}`
  return new InletError('model_not_found', message, 'model')
}

/** The first names, each cut to a message's length: `"default", "tiny"`; `none` for an empty list. */
export function shownNames(names: readonly string[], none = 'none'): string {
  if (names.length === 0) return none
  return names.slice(0, SHOWN_NAMES).map(shown).join(', ') + (names.length > SHOWN_NAMES ? ', …' : '')
}

export function modelExists(id: string): InletError {
  const message = `\`model\` ${shown(id)} is there already, and is another one: DELETE it first, or take another name.`
  return new InletError('model_exists', message, 'model')
}

export function preconditionFailed(id: string, given: number | string, present: number): InletError {
  const message = `\`If-Match\` must name the present version of ${shown(id)}, ${present}. Given: ${given}`
  return new InletError('precondition_failed', message, 'if-match')
}

/** A table of an upload, whose dtype may be one that no table can have. */
type FoundTable = Omit<TableShape, 'dtype'> & { readonly dtype: string }

/** 422 `shape_mismatch`: names the tensor, the shape and type expected, and those found. */
export function shapeMismatch(
  given: FoundTable | undefined,
  expected: TableShape | undefined,
  known: readonly TableShape[],
): InletError {
  const name = (given ?? expected)?.name ?? ''
  const rule =
    expected === undefined
      ? `is no table of this model, which has ${shownNames(known.map((table) => table.name))}`
      : `must be ${dtypeAndShape(expected)}`
  const found = given === undefined ? 'nothing' : dtypeAndShape(given)
  return new InletError('shape_mismatch', `${shown(name)} ${rule}. Given: ${found}`, head(name))
}

function dtypeAndShape({ dtype, shape }: FoundTable): string {
  return `${dtype} ${shownShape(shape)}`
}

/** The upload was abandoned because its thread has ended. */
export function uploadGone(): InletError {
  return new InletError('model_not_found', 'The upload is gone: begin it anew.')
}

export function modelFailed(id: string, why = ''): InletError {
  return new InletError('model_failed', `\`model\` ${id} cannot be loaded: ${why}`, 'model')
}

/** Gives the error for the caller where a memory has no room. @throws InletError `insufficient_memory` */
export function withRoom<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new InletError('insufficient_memory', error.message)
  }
}

/** Why a model has no card. */
export function noCard({ card: { id }, error }: ModelEntry): InletError {
  return modelFailed(id, error?.message)
}
