import { PAUSE, type Steps } from '../../../first-layer/steps.js'
import { InletError, quoted, shownShape } from '../../../service/answer/error-table.js'
import type { IdLists } from '../../../service/request/body/id-lists.js'
import {
  faultError,
  type Given,
  type GivenTexts,
  isFault,
  readIds,
  readTexts,
} from '../../../service/request/fields/given-field.js'
import { binaryIds } from './binary-ids.js'
import type { PlacedInput } from './binary-inputs.js'
import { binaryTexts } from './binary-texts.js'
import { INTEGER_BYTES } from './datatypes.js'
import { invalid } from './invalid.js'
import type { InputName } from './request.js'

/** Texts, or ids and what stands beside them in the same shape. */
export interface InferenceInputs {
  readonly given: Given
  /** Absent: texts are given. */
  readonly ids?: IdLists
  readonly mask?: IdLists
  readonly tokenTypes?: IdLists
}

/** Rows whose lengths are compared between two pauses. */
const ROWS_A_STEP = 8192

/**
 * Reads the inputs of a request: exactly one of `text` (BYTES [n] or [n, 1], a document each) and `input_ids` (INT64 or INT32,
 * [n] or [rows, n]); beside ids also `attention_mask` and `token_type_ids` of their shape.
 *
 * @param maxDocuments most texts, or rows
 * @throws InletError `invalid_request`, `empty_input`, `invalid_unicode`
 */
export function* inferenceInputs(
  inputs: readonly PlacedInput[],
  maxDocuments: number,
): Steps<InferenceInputs> {
  const named = byName(inputs)
  const [text, ids] = [named.get('text'), named.get('input_ids')]
  if ((text === undefined) === (ids === undefined)) {
    const given = inputs.map(({ input }) => input.name).join(', ')
    throw new InletError(
      'invalid_request',
      `\`inputs\` must have exactly one of text and input_ids. Given: ${given}`,
      'inputs',
    )
  }
  for (const { input } of inputs) checkShape(input.name, input.shape, maxDocuments)
  if (text !== undefined) {
    if (named.size > 1) throw invalid('inputs', 'must have nothing beside text', [...named.keys()].at(-1))
    return { given: yield* textsOf(text) }
  }
  const { shape } = ids!.input
  function* beside(name: InputName): Steps<IdLists | undefined> {
    const placed = named.get(name)
    if (placed === undefined) return undefined
    if (placed.input.shape.join() === shape.join()) return yield* idsOf(placed)
    const message = `${quoted(name)} must have the shape of \`input_ids\`, ${shownShape(shape)}. Given: ${shownShape(placed.input.shape)}`
    throw new InletError('invalid_request', message, name)
  }
  const lists = yield* idsOf(ids!)
  const [mask, tokenTypes] = [yield* beside('attention_mask'), yield* beside('token_type_ids')]
  return { given: lists, ids: lists, ...(mask && { mask }), ...(tokenTypes && { tokenTypes }) }
}

function byName(inputs: readonly PlacedInput[]): Map<InputName, PlacedInput> {
  const named = new Map<InputName, PlacedInput>()
  for (const placed of inputs) {
    const { name } = placed.input
    if (named.has(name)) throw invalid('inputs', 'must not name an input twice', name)
    named.set(name, placed)
  }
  return named
}

function checkShape(name: InputName, shape: readonly number[], maxDocuments: number): void {
  const field = `${name}.shape`
  const refuse = (rule: string) =>
    new InletError('invalid_request', `${quoted(field)} ${rule}. Given: ${shownShape(shape)}`, field)
  if (name === 'text' ? shape.length > 1 && !isColumn(shape) : shape.length > 2)
    throw refuse(name === 'text' ? 'must be [n] or [n, 1]' : 'must be [n] or [rows, n]')
  const count = shape.reduce((product, axis) => product * axis, 1)
  if (!Number.isSafeInteger(count * 8)) throw refuse('must not give more elements than can be counted')
  const documents = name === 'text' || shape.length === 2 ? shape[0]! : 1
  if (documents > maxDocuments) throw refuse(`must give at most ${maxDocuments} documents (MAX_DOCUMENTS)`)
  if (count === 0)
    throw new InletError(
      'empty_input',
      `${quoted(name)} must not be empty. Given: ${shownShape(shape)}`,
      name,
    )
}

function* textsOf({ input, bytes }: PlacedInput): Steps<GivenTexts> {
  const { name, datatype, shape, data } = input
  if (datatype !== 'BYTES') throw invalid(`${name}.datatype`, 'must be BYTES', datatype)
  const count = shape[0]!
  if (bytes !== undefined) return yield* binaryTexts(bytes, name, count)
  if (!Array.isArray(data)) throw invalid(name, 'must be an array of strings', data)
  const texts = readTexts(isColumn(shape) ? flat(data) : data)
  if (isFault(texts)) throw faultError(texts, name)
  if (data.length !== count) throw wrongCount(name, shape, data.length)
  return texts
}

/** Whether texts stand one in a row, as Triton's batches have them. */
function isColumn(shape: readonly number[]): boolean {
  return shape.length === 2 && shape[1] === 1
}

/** [["a"],["b"]] → ["a","b"]; anything else as it is. */
function flat(data: readonly unknown[]): readonly unknown[] {
  const areRows = data.every((row) => Array.isArray(row) && row.length === 1)
  return areRows ? (data as readonly (readonly unknown[])[]).map(([text]) => text) : data
}

function* idsOf({ input, bytes }: PlacedInput): Steps<IdLists> {
  const { name, datatype, shape, data } = input
  const itemBytes = INTEGER_BYTES[datatype]
  if (itemBytes === undefined) throw invalid(`${name}.datatype`, 'must be INT64 or INT32', datatype)
  const count = shape.reduce((product, axis) => product * axis, 1)
  if (bytes !== undefined && bytes.length !== count * itemBytes) {
    const message = `Unexpected size for input ${quoted(name)}: ${datatype} ${shownShape(shape)} has ${count * itemBytes} bytes. Given: ${bytes.length}`
    throw new InletError('invalid_request', message, name)
  }
  const lists = bytes === undefined ? readIds(data) : yield* binaryIds(bytes, datatype)
  if (isFault(lists)) throw faultError(lists, name)
  if (lists.length !== count) throw wrongCount(name, shape, lists.length)
  if (!lists.isList) return shape.length === 1 ? lists : lists.inRows(shape[0]!)
  if (shape.length === 2 && (yield* areRows(lists, shape))) return lists
  const message = `${quoted(name)} must be flat, or nested in the shape ${shownShape(shape)}. Given: ${lists.count} lists`
  throw new InletError('invalid_request', message, name)
}

/** Whether each list is as long as the shape's second axis. */
function* areRows({ documents }: IdLists, [rows, length]: readonly number[]): Steps<boolean> {
  if (documents.count !== rows) return false
  for (let d = 0; d < documents.count; d++) {
    if (documents.length(d) !== length) return false
    if (d % ROWS_A_STEP === ROWS_A_STEP - 1) yield PAUSE
  }
  return true
}

function wrongCount(name: string, shape: readonly number[], given: number): InletError {
  const message = `${quoted(name)} must have as many elements as its shape ${shownShape(shape)}. Given: ${given}`
  return new InletError('invalid_request', message, name)
}
