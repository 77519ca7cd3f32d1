import { z } from 'zod'
import { InletError, invalidField, quoted, SHOWN, shownShape } from '../../first-layer/errors.js'
import { type Given, type GivenTexts, idsField, textField } from '../../first-layer/given.js'
import { parse } from '../../first-layer/options/parse.js'
import { elementCount } from '../../first-layer/tensors/named-tensor.js'
import { invalidUtf8Offset } from '../../first-layer/tokens/unicode/utf8.js'
import { IdLists, notAnId } from '../../first-layer/windows/id-lists.js'
import { type Claim, turn } from '../../service/process/turn.js'
import { checkParameters, parametersField, shapeField } from './fields.js'

type Shape = readonly number[]

const TEXT = {
  datatypes: ['BYTES'],
  shapes: '[n] or [n, 1]',
  fits: (shape: Shape) => shape.length === 1 || isColumn(shape),
  anyShape: [-1],
} as const
const IDS = {
  datatypes: ['INT64', 'INT32'],
  shapes: '[n] or [rows, n]',
  fits: (shape: Shape) => shape.length <= 2,
  anyShape: [-1, -1],
} as const

/** The inputs that a request can have; `anyShape` is their shape in a model's metadata. */
export const INPUTS = { text: TEXT, input_ids: IDS, attention_mask: IDS, token_type_ids: IDS } as const
export type InputName = keyof typeof INPUTS

/** One input: its elements are in `data`, or follow the JSON, `parameters.binary_data_size` bytes of them. */
export const inferenceInput = z.strictObject({
  name: z.enum(Object.keys(INPUTS) as InputName[]).describe('Which input it is.'),
  shape: shapeField,
  datatype: z.enum([...TEXT.datatypes, ...IDS.datatypes]).describe('Type of its elements.'),
  parameters: parametersField.optional(),
  data: z.unknown().optional().meta({
    type: 'array',
    items: {},
    description: 'Elements in row-major order, flat or nested as `shape` has it.',
  }),
})

interface Input extends z.output<typeof inferenceInput> {
  /** The elements that follow the JSON; absent: `data` has them. */
  readonly bytes?: Buffer
}

/** The documents of a request: texts, or ids without those that a mask hides, and their types. */
export interface InferenceInputs {
  readonly given: Given
  readonly tokenTypes?: IdLists | undefined
}

/**
 * Reads the inputs of a request: exactly one of `text`, a document each, and `input_ids`; beside ids also
 * `attention_mask` and `token_type_ids` of their shape.
 *
 * @param binary all bytes behind the JSON
 * @param maxDocuments most texts, or rows
 * @throws InletError `invalid_request`, `empty_input`, `invalid_unicode`, `not_implemented` for shared memory
 */
export async function readInputs(
  given: readonly z.output<typeof inferenceInput>[],
  binary: Buffer,
  maxDocuments: number,
  claim: Claim,
): Promise<InferenceInputs> {
  const inputs = placed(given, binary)
  const names = inputs.map(({ name }) => name)
  const doubled = names.find((name, i) => names.indexOf(name) < i)
  if (doubled !== undefined) throw invalidField('inputs', 'must not name an input twice', doubled)
  if (names.includes('text') === names.includes('input_ids'))
    throw invalidField('inputs', 'must have exactly one of text and input_ids', { [SHOWN]: names.join(', ') })
  for (const input of inputs) checkForm(input, maxDocuments)
  const main = inputs.find(({ name }) => name === 'text' || name === 'input_ids')!
  if (main.name === 'text') {
    if (names.length > 1) throw invalidField('inputs', 'must have nothing beside text', names.at(-1))
    return { given: await textsOf(main, claim) }
  }
  const lists: { [Name in InputName]?: IdLists } = {}
  for (const input of inputs) {
    const rule = `must have the shape of \`input_ids\`, ${shownShape(main.shape)}`
    if (input.shape.join() !== main.shape.join())
      throw invalidField(input.name, rule, { [SHOWN]: shownShape(input.shape) })
    lists[input.name] = await idsOf(input, claim)
  }
  const { input_ids: ids, attention_mask: mask, token_type_ids: types } = lists
  if (mask === undefined) return { given: ids!, tokenTypes: types }
  return { given: await masked(ids!, mask, claim), tokenTypes: types && (await masked(types, mask, claim)) }
}

/** Lists cut to the ids that a mask of their form keeps: `[5, 6, 0]` under `[1, 1, 0]` → `[5, 6]`. */
export async function masked(lists: IdLists, mask: IdLists, claim: Claim): Promise<IdLists> {
  const { documents } = lists
  const { longest, totalTokens, count } = documents
  await claim.take(Int32Array.BYTES_PER_ELEMENT * (longest + totalTokens))
  const row = new Int32Array(longest)
  const cut = new IdLists(lists.isList)
  for (let d = 0; d < count; d++) {
    await turn(claim)
    const length = documents.length(d)
    mask.documents.copyTo(row, 0, d, 0, length)
    const kept = row.subarray(0, keptOf(row.subarray(0, length), `attention_mask.${d}`))
    documents.copyTo(kept, 0, d, 0, kept.length)
    cut.documents.ids.append(kept)
    cut.documents.endDocument()
  }
  return cut
}

/**
 * How many ids a row of a mask keeps: ones, then zeros.
 * @throws InletError `invalid_request` for another number, and for a 1 behind a 0; `empty_input` for zeros only
 */
function keptOf(bits: Int32Array, field: string): number {
  const end = bits.findIndex((bit) => bit !== 1)
  const kept = end < 0 ? bits.length : end
  const wrong = bits.findIndex((bit, i) => i >= kept && bit !== 0)
  if (wrong >= 0) throw invalidField(`${field}.${wrong}`, 'must be 0 or 1, ones before zeros', bits[wrong])
  if (kept > 0) return kept
  throw new InletError('empty_input', `\`${field}\` must keep an id. Given: zeros only`, field)
}

/** Finds each input's elements: in `data`, or behind the JSON, one input after the other, without gaps. */
function placed(inputs: readonly z.output<typeof inferenceInput>[], binary: Buffer): readonly Input[] {
  let at = 0
  const found = inputs.map((input, i) => {
    const { name, data, parameters = {} } = input
    checkParameters(parameters, 'binary_data_size', `inputs.${i}`, 'an input')
    const size = parameters.binary_data_size
    const isInJson = size === undefined
    if (isInJson === (data === undefined))
      throw invalidField(`inputs.${i}.data`, 'or `parameters.binary_data_size` is needed, not both', size)
    if (isInJson) return input
    if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
      throw invalidField(`inputs.${i}.parameters.binary_data_size`, 'must be an integer of at least 0', size)
    const bytes = binary.subarray(at, at + size)
    at += size
    if (bytes.length === size) return { ...input, bytes }
    throw wrongSize(name, `expecting ${at - binary.length} additional bytes behind the JSON.`)
  })
  if (at === binary.length) return found
  const message = `Unexpected additional input data: ${binary.length - at} bytes stand behind those of the inputs.`
  throw new InletError('invalid_request', message)
}

function wrongSize(name: InputName, what: string): InletError {
  return new InletError('invalid_request', `Unexpected size for input ${quoted(name)}: ${what}`, name)
}

function checkForm({ name, shape, datatype }: Input, maxDocuments: number): void {
  const refuse = (rule: string) => invalidField(`${name}.shape`, rule, { [SHOWN]: shownShape(shape) })
  const { fits, shapes } = INPUTS[name]
  const datatypes: readonly string[] = INPUTS[name].datatypes
  if (!datatypes.includes(datatype))
    throw invalidField(`${name}.datatype`, `must be ${datatypes.join(' or ')}`, datatype)
  if (!fits(shape)) throw refuse(`must be ${shapes}`)
  const documents = name === 'text' || shape.length === 2 ? shape[0] : 1
  if (documents > maxDocuments) throw refuse(`must give at most ${maxDocuments} documents (MAX_DOCUMENTS)`)
  if (elementCount(shape) === 0) throw empty(name, [], shownShape(shape))
}

function empty(name: InputName, path: readonly number[], given: string): InletError {
  const field = [name, ...path].join('.')
  return new InletError('empty_input', `${quoted(field)} must not be empty. Given: ${given}`, field)
}

function checkCount({ name, shape }: Input, given: number): void {
  if (given !== elementCount(shape))
    throw invalidField(name, `must have as many elements as its shape ${shownShape(shape)}`, given)
}

/** Whether texts stand one in a row, as Triton's batches have them. */
function isColumn(shape: Shape): boolean {
  return shape.length === 2 && shape[1] === 1
}

async function textsOf(input: Input, claim: Claim): Promise<GivenTexts> {
  const { name, shape, data, bytes } = input
  if (bytes !== undefined) return await binaryTexts(bytes, name, shape[0], claim)
  if (!Array.isArray(data)) throw invalidField(name, 'must be an array of strings', data)
  const isNested = isColumn(shape) && data.every((row) => Array.isArray(row) && row.length === 1)
  const texts = parse(textField, isNested ? data.flat() : data, [name])
  checkCount(input, data.length)
  return texts
}

/** Reads strings with the length of each before it, little-endian: `05 00 00 00 68 65 6c 6c 6f` → one text, "hello". */
async function binaryTexts(bytes: Buffer, name: InputName, count: number, claim: Claim): Promise<Buffer[]> {
  const texts: Buffer[] = []
  let at = 0
  for (let i = 0; i < count; i++) {
    await turn(claim)
    const start = at + 4
    const length = start <= bytes.length ? bytes.readUInt32LE(at) : 0
    at = start + length
    if (at > bytes.length) {
      const rule = `must have ${count} strings, each with its length before it`
      throw new InletError('invalid_request', `${quoted(name)} ${rule}. String ${i} is cut off.`, name)
    }
    if (length === 0) throw empty(name, [i], '""')
    const text = bytes.subarray(start, at)
    const byte = invalidUtf8Offset(text)
    if (byte >= 0) {
      const message = `\`${name}.${i}\` must be UTF-8: byte ${byte} is not.`
      throw new InletError('invalid_unicode', message, `${name}.${i}`)
    }
    texts.push(text)
  }
  if (at === bytes.length) return texts
  const rule = `must have ${count} strings, as its shape says; ${bytes.length - at} bytes stand behind them`
  throw invalidField(name, rule, count)
}

async function idsOf(input: Input, claim: Claim): Promise<IdLists> {
  const { name, datatype, shape, data, bytes } = input
  const size = elementCount(shape) * (datatype === 'INT64' ? 8 : 4)
  if (bytes !== undefined && bytes.length !== size)
    throw wrongSize(name, `${datatype} ${shownShape(shape)} has ${size} bytes. Given: ${bytes.length}`)
  const lists = bytes === undefined ? parse(idsField, data, [name]) : await binaryIds(input, bytes, claim)
  checkCount(input, lists.length)
  if (!lists.isList) return shape.length === 1 ? lists : lists.inRows(shape[0])
  if (shape.length === 2 && areRows(lists, shape)) return lists
  const rule = `must be flat, or nested in the shape ${shownShape(shape)}`
  throw invalidField(name, rule, { [SHOWN]: `${lists.count} lists` })
}

/** Whether each list is as long as the shape's second axis. */
function areRows({ documents }: IdLists, [rows, length]: Shape): boolean {
  if (documents.count !== rows) return false
  for (let d = 0; d < documents.count; d++) if (documents.length(d) !== length) return false
  return true
}

/** Bytes that are looked at between two pauses: some hundredths of a millisecond. */
const STEP_BYTES = 65_536
const UPPER = 2 ** 32

/** Reads little-endian integers, at any address, as one list of ids. */
async function binaryIds({ name, datatype }: Input, bytes: Buffer, claim: Claim): Promise<IdLists> {
  const isWide = datatype === 'INT64'
  const lists = new IdLists()
  await claim.take(isWide ? bytes.length / 2 : bytes.length)
  for (let at = 0; at < bytes.length; at += STEP_BYTES) {
    await turn(claim)
    const words = new Int32Array(new Uint8Array(bytes.subarray(at, at + STEP_BYTES)).buffer)
    const ids = isWide ? new Float64Array(words.length / 2) : words
    if (isWide) for (let i = 0; i < ids.length; i++) ids[i] = words[2 * i + 1] * UPPER + (words[2 * i] >>> 0)
    const before = lists.documents.ids.length
    const wrong = lists.append(ids)
    if (wrong >= 0) throw invalidField(`${name}.${before + wrong}`, notAnId(ids[wrong])!, ids[wrong])
  }
  lists.documents.endDocument()
  return lists
}
