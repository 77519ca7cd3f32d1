import { ChatError, isDict, readValues, type Value } from 'inlet-chat-template'
import type { ChatCard } from '../first-layer/cards/model-card.js'
import type { ChatDocument } from '../first-layer/datasets/chats/chat-documents.js'
import { lineKind } from '../first-layer/datasets/chats/chat-line.js'
import { ChatLines, type UploadOptions } from '../first-layer/datasets/chats/chat-lines.js'
import { inTurns, type Turn, withOwnErrors } from '../first-layer/datasets/chats/chat-texts.js'
import { InletError, invalidField, quoted } from '../first-layer/errors.js'
import { tokenizeAsync } from '../first-layer/tokens/tokenize.js'
import type { DocumentFrame, DocumentWriter } from './document-writer.js'
import type { TextSettings } from './ingest-text.js'
import type { DatasetUpload } from './upload-options.js'

/** How an upload's chats become documents. */
export interface ChatSettings {
  readonly chat: ChatCard | undefined
  readonly options: UploadOptions
  /** Whether the upload must be of chats, whatever its first line is. */
  readonly isAsked: boolean
}

type AskedChats = Pick<DatasetUpload, 'mask' | 'turns' | 'trailing' | 'refused' | 'chat_template'>

/** As an upload asks. @param chat of its model @throws InletError for a template that it does not have */
export function chatSettings(asked: AskedChats, chat?: ChatCard): ChatSettings {
  const { mask = 'sampled', trailing = 'mask', refused = 'error', chat_template: template } = asked
  const turns = mask === 'sampled' ? (asked.turns ?? 'auto') : 'whole'
  const isAsked = !!(asked.mask ?? asked.turns ?? asked.trailing ?? asked.refused ?? template)
  const names = chat?.templates instanceof Map ? [...chat.templates.keys()].sort() : []
  if (template !== undefined && !names.includes(template)) {
    const rule = `must name a template of the model’s, which has ${names.join(', ') || 'none by name'}`
    throw invalidField('chat_template', rule, template)
  }
  return { chat, options: { mask, turns, trailing, refused, template }, isAsked }
}

interface ChatUpload extends ChatSettings, TextSettings {
  /** Bytes of the longest line, and characters of the longest text of a chat. */
  readonly maxLineBytes: number
}

/** Whether an upload with this first line is one of chats. */
export async function isChatLine(line: string, textField: string, nextTurn: Turn): Promise<boolean> {
  try {
    const value = await inTurns(readValues(line, 'json'), nextTurn)
    if (value === undefined || !isDict(value) || value.has(textField) || value.has('input_ids')) return false
    return lineKind(value) !== undefined || value.has('chat_template')
  } catch (error) {
    if (!(error instanceof ChatError)) throw error
    return false // told by who reads the line
  }
}

/** The documents of chats, one a line. */
export class Chats {
  readonly lines: ChatLines
  readonly #frame: DocumentFrame
  #numCharacters = 0

  constructor(
    private readonly upload: ChatUpload,
    private readonly writer: DocumentWriter,
  ) {
    this.#frame = writer.frame
    writer.startMasks()
    const { chat, tokenizer, maxLineBytes } = upload
    const { documentStart, documentEnd } = this.#frame
    const frame = { hasDocumentStart: documentStart !== undefined, hasDocumentEnd: documentEnd !== undefined }
    this.lines = new ChatLines(chat, tokenizer, { ...upload.options, ...frame }, maxLineBytes, () =>
      writer.pause(),
    )
  }

  async line(text: string, number: number): Promise<void> {
    const value = await jsonOf(text, () => this.writer.pause())
    checkNoTargets(value)
    const documents = await this.lines.documents(value, number)
    await this.writer.startChat()
    for (const document of documents) await this.#write(document)
  }

  end(): void {
    this.lines.end()
    this.writer.ids.characters = this.#numCharacters
  }

  async #write(document: ChatDocument): Promise<void> {
    const { tokenizer, allowedSpecial } = this.upload
    const { documentStart, documentEnd } = this.#frame
    const ids = await tokenizeAsync(
      tokenizer,
      document.text,
      { allowedSpecial, ranges: true },
      { between: (bytes) => this.writer.pause(bytes) },
    )
    this.#numCharacters += ids.characters
    const mask = this.lines.mask(document, ids)
    const first = documentStart === undefined ? 0 : 1
    const all = new Int32Array(first + mask.length).fill(documentEnd ?? 0)
    ids.copyTo(all, 0, ids.length, first)
    for (let i = 0; i < mask.length; i++) if (mask[i] === 0) all[first + i] = ~all[first + i]
    if (documentStart !== undefined) all[0] = document.law === 'all' ? documentStart : ~documentStart
    await this.writer.write(all)
    await this.writer.endDocument()
  }
}

/** Members that say what of a document is trained. */
export const TARGETS: readonly RegExp[] = [
  /(^|_)masks?$/i, // attention_mask, assistant_masks, completion_mask
  /^(labels?_ids|labels|targets|target_ids|token_type_ids|position_ids|.+_input_ids)$/i,
]

function checkNoTargets(line: Value): void {
  if (!isDict(line)) return
  for (const [name, given] of line) {
    if (given === null || !TARGETS.some((each) => each.test(String(name)))) continue
    const message = `${quoted(String(name))} must not be given: what is trained of a chat follows from its template.`
    throw new InletError('invalid_request', message, String(name))
  }
}

async function jsonOf(line: string, nextTurn: Turn): Promise<Value> {
  const value = await inTurns(withOwnErrors(readValues(line, 'json')), nextTurn)
  if (value !== undefined) return value
  throw new InletError('invalid_json', 'The body is not JSON.')
}
