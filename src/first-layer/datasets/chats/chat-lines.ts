import { type Dict, isDict, type Value } from 'inlet-chat-template'
import type { ChatCard } from '../../cards/model-card.js'
import { InletError } from '../../errors.js'
import type { TokenBuffer } from '../../tokens/token-buffer.js'
import type { Tokenizer } from '../../tokens/tokenizer.js'
import {
  type ChatDocument,
  type ChatOptions,
  chatDocuments,
  lossMask,
  textsDocument,
} from './chat-documents.js'
import { chatOfLine, invalid, type LineKind, lineKind, variablesOf } from './chat-line.js'
import { type Turn, templateTexts } from './chat-texts.js'
import { ChatRefused, type RefusalReason } from './turn-spans.js'

export interface UploadOptions extends ChatOptions {
  /** What a chat without an exact mask does to the upload. */
  readonly refused: 'error' | 'skip'
  /** The name of one of the folder's templates. */
  readonly template?: string | undefined
  /** Whether an id is put before, and appended to, each document. */
  readonly hasDocumentStart?: boolean
  readonly hasDocumentEnd?: boolean
}

export interface RefusedChat {
  readonly line: number
  readonly turn: number | null
  readonly reason: RefusalReason
}

const NONE = {
  ...{ num_chats: 0, num_whole: 0, num_by_turn: 0, num_refused: 0 },
  ...{ num_target_tokens: 0, num_untrained: 0, num_prefilled: 0, num_without_stop: 0, num_straddling: 0 },
}

/** What a dataset says of its chats: `refused` has the first ten, `num_untrained` counts documents. */
export type ChatCounts = typeof NONE & { readonly refused: RefusedChat[] }

const SHOWN_REFUSED = 10

/** Counts of several files. Lines of refused chats stay those of one file alone. */
export function sumOfCounts(all: readonly ChatCounts[]): ChatCounts {
  if (all.length === 1) return all[0]!
  const sums = { ...NONE }
  for (const counts of all)
    for (const name of Object.keys(NONE) as (keyof typeof NONE)[]) sums[name] += counts[name]
  return { ...sums, refused: [] }
}

/** The chats of a file: reads line after line, and counts. */
export class ChatLines {
  readonly counts: ChatCounts = { ...NONE, refused: [] }
  #kind: LineKind | undefined
  #head: Dict = new Map()
  #firstRefusal: InletError | undefined

  /** @param maxCharacters of a chat's text */
  constructor(
    private readonly card: ChatCard | undefined,
    private readonly tokenizer: Tokenizer,
    private readonly options: UploadOptions,
    private readonly maxCharacters: number,
    private readonly nextTurn?: Turn,
  ) {}

  /**
   * The documents of line `number`, from 1: none of a first line that sets a template, and of a chat that is left out.
   *
   * @throws InletError whose message begins with the line
   */
  async documents(line: Value, number: number): Promise<ChatDocument[]> {
    try {
      if (!isDict(line)) throw new InletError('invalid_request', 'it must be an object')
      const kind = lineKind(line)
      if (number === 1 && kind === undefined && line.has('chat_template')) {
        this.#head = checkedHead(line)
        return []
      }
      this.counts.num_chats++
      const documents = await this.#documents(line, kind)
      if (documents[0]?.turn === null) this.counts.num_whole++
      else this.counts.num_by_turn++
      return documents
    } catch (error) {
      if (!(error instanceof InletError)) throw error
      const told = new InletError(error.code, `Line ${number}: ${error.message}`, error.param)
      const refused = refusalOf(error)
      if (refused === undefined || this.options.refused === 'error') throw told
      this.#firstRefusal ??= told
      this.counts.num_refused++
      if (this.counts.refused.length < SHOWN_REFUSED) this.counts.refused.push({ line: number, ...refused })
      return []
    }
  }

  async #documents(line: Dict, kind: LineKind | undefined): Promise<ChatDocument[]> {
    if (kind === undefined)
      throw invalid('messages', 'or `conversations`, or `prompt` and `completion` are needed')
    this.#kind ??= kind
    if (kind !== this.#kind) {
      const message = `it must be of the first chat's kind, ${NAMES[this.#kind]}. Given: ${NAMES[kind]}`
      throw new InletError('unsupported_combination', message, kind === 'texts' ? 'prompt' : kind)
    }
    if (kind === 'texts') return [textsDocument(line, this.options.mask)]
    if (line.has('chat_template')) throw invalid('chat_template', 'may stand in a first line alone')
    const chat = chatOfLine(line, kind, this.#head)
    const template = (this.#head.get('chat_template') as string | undefined) ?? this.options.template
    const given = { ...chat, chat_template: template }
    const texts = await templateTexts(this.card, given, this.maxCharacters, this.nextTurn)
    return chatDocuments(texts, chat, this.options)
  }

  /**
   * The mask of a document whose ids are made, with that of the end which is appended to it, if one is; counts them.
   *
   * @param ids as `lossMask` takes them
   */
  mask(document: ChatDocument, ids: TokenBuffer): Uint8Array {
    const { hasDocumentStart = false, hasDocumentEnd = false } = this.options
    const { counts } = this
    const mask = new Uint8Array(ids.length + (hasDocumentEnd ? 1 : 0))
    mask.set(lossMask(this.tokenizer, document, ids, counts, hasDocumentEnd && document.trainsEnd))
    if (hasDocumentEnd && document.trainsEnd) mask[ids.length] = 1
    let targets = 0
    for (let i = hasDocumentStart ? 0 : 1; i < mask.length; i++) targets += mask[i]!
    counts.num_target_tokens += targets
    if (targets === 0) counts.num_untrained++
    return mask
  }

  /** Called after the last line. @throws InletError where no chat is there */
  end(): void {
    const message = 'The body must have a chat behind its `chat_template`. Given: none'
    if (this.counts.num_chats === 0 && this.#head.size > 0) throw new InletError('empty_input', message)
    if (this.#firstRefusal !== undefined && this.counts.num_refused === this.counts.num_chats)
      throw this.#firstRefusal
  }
}

const NAMES: Readonly<Record<LineKind, string>> = {
  messages: '`messages`',
  conversations: '`conversations`',
  prompt: '`prompt` and `completion` of messages',
  texts: '`prompt` and `completion` of texts',
}

/** A first line that sets the template of all. @throws InletError `invalid_request` */
function checkedHead(line: Dict): Dict {
  if (typeof line.get('chat_template') !== 'string') throw invalid('chat_template', 'must be a text')
  variablesOf(line)
  return line
}

/** Where and why a chat has no mask; undefined: the error is of another kind. */
function refusalOf(error: InletError): Pick<RefusedChat, 'turn' | 'reason'> | undefined {
  if (error instanceof ChatRefused) return { turn: error.turn, reason: error.reason }
  return error.code === 'template_failed' ? { turn: null, reason: 'not_rendered' } : undefined
}
