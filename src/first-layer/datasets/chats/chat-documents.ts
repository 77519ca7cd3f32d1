import { type Chat, type Dict, strip, type Value } from 'inlet-chat-template'
import type { ModelCard } from '../../cards/model-card.js'
import { InletError } from '../../errors.js'
import { ALONE, type Edge } from '../../running/edge.js'
import type { TokenBuffer } from '../../tokens/token-buffer.js'
import type { Tokenizer } from '../../tokens/tokenizer.js'
import { chatOfLine, invalid, type TrainedChat } from './chat-line.js'
import { type TemplateTexts, templateTexts } from './chat-texts.js'
import { type MaskCounts, sampledMask, taggedMask } from './loss-mask.js'
import { placedIds } from './token-ranges.js'
import { type SpannedText, sampledTexts, type Turns } from './turn-spans.js'

export type MaskLaw = 'sampled' | 'tags' | 'all'

export interface ChatOptions {
  readonly mask: MaskLaw
  readonly turns: Turns
  /** What the template writes after the end of a turn. */
  readonly trailing: 'mask' | 'train'
}

/** A document that a chat becomes, before its ids are made. */
export interface ChatDocument extends SpannedText {
  readonly law: MaskLaw
  readonly trailing: 'mask' | 'train'
  /** Whether an end that is appended to it is trained. */
  readonly trainsEnd: boolean
}

type Trained = Pick<TrainedChat, 'turns' | 'optedOut'>

/** The documents of a chat under each law. */
const DOCUMENTS: Readonly<
  Record<
    MaskLaw,
    (texts: TemplateTexts, chat: Trained, turns: Turns, withPrompt: boolean) => Promise<SpannedText[]>
  >
> = {
  async all(texts, _chat, _turns, withPrompt) {
    return [{ turn: null, text: await texts.whole(withPrompt), spans: [] }]
  },
  async sampled(texts, chat, turns, withPrompt) {
    return sampledTexts(texts, await texts.whole(withPrompt), chat.turns, turns)
  },
  async tags(texts, { optedOut }, _turns, withPrompt) {
    const { text, spans } = await texts.tagged(withPrompt)
    if (optedOut === undefined)
      return [{ turn: null, text, spans: spans.map(([start, end]) => ({ start, end })) }]
    const message = `\`messages.${optedOut}\` must be trained under \`mask\` \`tags\`, which knows no other turns.`
    throw new InletError('unsupported_combination', message, `messages.${optedOut}`)
  },
}

/**
 * The documents of a chat.
 *
 * @param withPrompt whether its text ends with a generation prompt
 * @throws ChatRefused
 * @throws InletError `template_unsupported`, `template_failed`; `unsupported_combination` for an opted-out turn under `tags`
 */
export async function chatDocuments(
  texts: TemplateTexts,
  chat: Trained,
  { mask: law, turns, trailing }: ChatOptions,
  withPrompt = false,
): Promise<ChatDocument[]> {
  const found = await DOCUMENTS[law](texts, chat, turns, withPrompt)
  return found.map((each) => ({ ...each, law, trailing, trainsEnd: law === 'all' }))
}

/**
 * The document of a line of two texts, whose completion alone is trained; nothing trails.
 *
 * @throws InletError `invalid_request`; `unsupported_combination` for `tags`
 */
export function textsDocument(line: Dict, law: MaskLaw): ChatDocument {
  const [prompt, completion] = [line.get('prompt') as string, line.get('completion')]
  if (typeof completion !== 'string') throw invalid('completion', 'must be a text, as `prompt` is one')
  if (law === 'tags') {
    const message = '`mask` must not be `tags` of a prompt and a completion that are texts.'
    throw new InletError('unsupported_combination', message, 'prompt')
  }
  const spans = [{ start: prompt.length, end: prompt.length + completion.length }]
  return { turn: null, text: prompt + completion, law, spans, trailing: 'train', trainsEnd: true }
}

/** Bytes of memory of a unit: of the text, its UTF-8, and the texts of eight of the chat’s beginnings. */
const UNIT_BYTES = 21

/**
 * The text of one chat, of which a mask is to be made.
 *
 * @param law absent: `tags` where the template has them, else `sampled`
 * @throws InletError `chat_refused`, and those of a template
 */
export async function maskedChat(
  card: Pick<ModelCard, 'chat'>,
  chat: Chat,
  law: 'sampled' | 'tags' | undefined,
  maxCharacters: number,
  edge: Edge = ALONE,
): Promise<ChatDocument> {
  if ((chat.continue_final_message ?? false) !== false) {
    const message = '`continue_final_message` must not be given beside a mask.'
    throw new InletError('invalid_request', message, 'continue_final_message')
  }
  const { messages, tools = null, documents, chat_template, chat_template_kwargs = null } = chat
  const withPrompt = chat.add_generation_prompt ?? true
  const line = new Map<string, Value>(Object.entries({ messages, tools, chat_template_kwargs }))
  const own = chatOfLine(line, 'messages')
  const given = { ...own, documents, chat_template }
  const texts = await templateTexts(card.chat, given, maxCharacters, () => edge.between())
  const mask = law ?? (texts.hasTags ? 'tags' : 'sampled')
  if (mask === 'sampled') await edge.between(UNIT_BYTES * (await texts.whole(withPrompt)).length)
  const [document] = await chatDocuments(texts, own, { mask, turns: 'whole', trailing: 'mask' }, withPrompt)
  return document
}

/**
 * The mask of a document's ids: 1 where a token is trained.
 *
 * @param ids of the text, with ranges unless the tokenizer is lossless
 * @param hasStop whether an end follows that is trained
 * @param counts to which those of this document are added
 */
export function lossMask(
  tokenizer: Tokenizer,
  { text, law, spans, trailing }: ChatDocument,
  ids: TokenBuffer,
  counts: MaskCounts = { num_prefilled: 0, num_without_stop: 0, num_straddling: 0 },
  hasStop = false,
): Uint8Array {
  const placed = () => placedIds(tokenizer, ids, Buffer.from(text))
  const masks: Readonly<Record<MaskLaw, () => Uint8Array>> = {
    all: () => new Uint8Array(ids.length).fill(1),
    tags: () => taggedMask(text, placed(), spans),
    sampled: () =>
      sampledMask(text, placed(), spans, { trailing, stops: stopsOf(tokenizer), hasStop }, counts),
  }
  return masks[law]()
}

const stopsOfTokenizers = new WeakMap<Tokenizer, ReadonlySet<number>>()

/** The added tokens, special or not, that may end a turn: those that are not of white space alone. */
function stopsOf(tokenizer: Tokenizer): ReadonlySet<number> {
  const known = stopsOfTokenizers.get(tokenizer)
  if (known !== undefined) return known
  const { addedTokens, specialTokens } = tokenizer
  const added = addedTokens?.map(({ content, id }) => [content, id] as const) ?? specialTokens
  const stops = new Set([...added].filter(([content]) => strip(content) !== '').map(([, id]) => id))
  stopsOfTokenizers.set(tokenizer, stops)
  return stops
}
