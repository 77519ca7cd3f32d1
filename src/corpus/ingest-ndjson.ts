import type { ChatCounts } from '../first-layer/datasets/chats/chat-lines.js'
import { InletError, invalidField, quoted, shown } from '../first-layer/errors.js'
import { checkBounds, checkUnicode, parseJson } from '../first-layer/json.js'
import { parsePythonJson } from '../first-layer/python-json.js'
import { checkedUtf8 } from '../first-layer/tokens/unicode/utf8.js'
import { checkedIds, type DocumentWriter, type Done } from './document-writer.js'
import { type ChatSettings, Chats, isChatLine, TARGETS } from './ingest-chats.js'
import { eachLine } from './ingest-lines.js'
import { type TextSettings, writeText } from './ingest-text.js'

export interface NdjsonUpload {
  readonly text?: TextSettings | undefined
  readonly textField: string
  /** Ids must be below this; undefined: below 2^31. */
  readonly idLimit?: number | undefined
  /** How chats become documents; absent: they are refused. */
  readonly chats?: ChatSettings | undefined
  /** Bytes of the longest line: it is held as a whole. */
  readonly maxLineBytes: number
}

/** A line of at most so many UTF-16 units is parsed whatever it holds: it takes no time. */
const SHORT_LINE = 1 << 16

/**
 * A document for each line of JSON, `{"text": "a"}` or `{"input_ids": [1, 2]}`; an empty text, or no ids, is
 * an empty document. Or chats, one a line: the first line tells. Blank lines are left out. Errors name the line, from 1.
 * Memory: the longest line.
 * @param chunks UTF-8, cut anywhere
 * @throws InletError `invalid_json`, `invalid_request`, `invalid_unicode`, `token_out_of_range`,
 *   `body_too_large` for a line, `empty_input` where all lines are blank
 * @returns what became of chats
 */
export async function ingestNdjson(
  chunks: AsyncIterable<Uint8Array>,
  upload: NdjsonUpload,
  writer: DocumentWriter,
): Promise<ChatCounts | undefined> {
  let chats: Chats | undefined
  let take: ((line: string, number: number) => Done) | undefined
  const takeFirst = async (line: string, number: number) => {
    chats = await chatsFrom(line, upload, writer)
    take = chats?.line.bind(chats) ?? ((each) => writeLine(each, upload, writer))
    await take(line, number)
  }
  await eachLine(checkedUtf8(chunks, notUtf8), writer, upload.maxLineBytes, (bytes, number) => {
    const line = bytes.toString()
    return line.trim() === '' ? undefined : (take ?? takeFirst)(line, number)
  })
  chats?.end()
  if (writer.numDocuments === 0)
    throw new InletError('empty_input', 'The body must have a line that is not blank. Given: none')
  return chats?.lines.counts
}

function notUtf8(byte: number): InletError {
  return new InletError('invalid_unicode', `The body must be UTF-8: byte ${byte} is not.`)
}

/** What takes the lines if the first one is a chat. */
async function chatsFrom(line: string, upload: NdjsonUpload, writer: DocumentWriter) {
  const { chats, textField } = upload
  const nextTurn = () => writer.pause()
  if (chats === undefined || (!chats.isAsked && !(await isChatLine(line, textField, nextTurn))))
    return undefined
  return new Chats({ ...upload, ...tokenizing(upload, 'messages'), ...chats }, writer)
}

export const IDS_FIELD = 'input_ids'

/**
 * Makes a document of a line: of `{"text": "a", "meta": {}}` its text, of `{"input_ids": [1, 2]}` its ids. `NaN` and `Infinity`
 * are read as Python writes them. Members of other names are not looked at, be they Unicode or not, but for those that mean
 * something to trainers: they are refused.
 *
 * @throws InletError `invalid_json`, `invalid_request`, `invalid_unicode`, `token_out_of_range`
 */
function writeLine(line: string, upload: NdjsonUpload, writer: DocumentWriter): Done {
  const { textField, idLimit } = upload
  if (line.length > SHORT_LINE) checkBounds(Buffer.from(line))
  const value = parseJson(line, parsePythonJson)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InletError('invalid_request', `the line must be an object. Given: ${shown(value)}`)
  const refused = Object.keys(value).find(
    (name) => own(value, name) !== null && isRefusedMember(name, textField),
  )
  if (refused !== undefined) throw refusedMember(refused)
  const [text, ids] = [own(value, textField), own(value, IDS_FIELD)]
  if (ids !== undefined) {
    if (text !== undefined)
      throw invalidField(IDS_FIELD, `must not be given beside ${quoted(textField)}`, ids)
    if (!Array.isArray(ids)) throw invalidField(IDS_FIELD, 'must be an array of integers', ids)
    if (idLimit === 0)
      throw new InletError('invalid_request', '`input_ids` must not be given: a text is needed', IDS_FIELD)
    const wait = writer.write(checkedIds(ids, idLimit))
    return wait === undefined ? writer.endDocument() : wait.then(() => writer.endDocument())
  }
  checkUnicode({ [textField]: text }, line)
  if (text === undefined) throw invalidField(textField, `or ${quoted(IDS_FIELD)} is needed`, text)
  if (typeof text !== 'string') throw invalidField(textField, 'must be a string', text)
  return text === '' ? writer.endDocument() : writeText(tokenizing(upload, textField), text, writer)
}

/** @throws InletError where nothing tells how the texts of a field become ids */
function tokenizing({ text }: NdjsonUpload, field: string): TextSettings {
  if (text !== undefined) return text
  const message = `${quoted(field)} must not be given without \`encoding\` or \`model\`: nothing tells how it becomes ids.`
  throw new InletError('invalid_request', message, field)
}

function own(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined
}

/** Members that trainers read beside texts or ids, and that datasets do not have: left out in silence, they would be missed in training. */
const REFUSED_MEMBERS: readonly RegExp[] = [
  ...TARGETS,
  /^(messages|conversations?|chosen|rejected|completions?|texts|text_?(\d|[ab]|pair))$/i,
]

/** Each is a part of an example: none is refused beside a text of another name, which may hold the whole. */
const PARTS = /^(prompt|completion|instruction|input|output|question|answer|query|response|target)s?$/i

/** Whether a member of a line, or a column, is refused beside `documents`, the one that has the documents. */
export function isRefusedMember(name: string, documents: string): boolean {
  if (name === documents) return false
  return REFUSED_MEMBERS.some((refused) => refused.test(name)) || (PARTS.test(documents) && PARTS.test(name))
}

export function refusedMember(name: string): InletError {
  const message = `${quoted(name)} must not be given: a dataset has the ids of one text alone, and would lose it.`
  return new InletError('invalid_request', message, name)
}
