import { strip } from 'inlet-chat-template'
import { InletError } from '../../errors.js'
import type { TokenBuffer } from '../../tokens/token-buffer.js'
import type { Tokenizer } from '../../tokens/tokenizer.js'
import type { TrainedChat, textsOfLine } from './chat-line.js'
import type { TemplateTexts } from './chat-texts.js'
import { type MaskCounts, sampledMask, taggedMask } from './loss-mask.js'
import { placedIds } from './token-ranges.js'
import { sampledTexts, type TurnSpan, type Turns } from './turn-spans.js'

export type MaskLaw = 'sampled' | 'tags' | 'all'

export interface ChatOptions {
  readonly mask: MaskLaw
  readonly turns: Turns
  /** What the template writes after the end of a turn. */
  readonly trailing: 'mask' | 'train'
}

/** A document that a chat becomes, before its ids are made. */
export interface ChatDocument {
  /** The one message that is trained; null: the whole chat. */
  readonly turn: number | null
  readonly text: string
  readonly law: MaskLaw
  /** Of `sampled` in UTF-16 units. */
  readonly spans: readonly TurnSpan[]
  /** Of `tags` in code points. */
  readonly tags: readonly (readonly [start: number, end: number])[]
  readonly trailing: 'mask' | 'train'
  /** Whether an end that is appended to it is trained. */
  readonly trainsEnd: boolean
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
  { turns: wanted, optedOut }: Pick<TrainedChat, 'turns' | 'optedOut'>,
  { mask: law, turns, trailing }: ChatOptions,
  withPrompt = false,
): Promise<ChatDocument[]> {
  const whole = { turn: null, law, spans: [], tags: [], trailing, trainsEnd: law === 'all' }
  if (law === 'all') return [{ ...whole, text: await texts.whole(withPrompt) }]
  if (law === 'sampled')
    return (await sampledTexts(texts, await texts.whole(withPrompt), wanted, turns)).map((each) => ({
      ...whole,
      ...each,
    }))
  const { text, spans: tags } = await texts.tagged(withPrompt)
  if (optedOut === undefined) return [{ ...whole, text, tags }]
  const message = `\`messages.${optedOut}\` must be trained under \`mask\` \`tags\`, which knows no other turns.`
  throw new InletError('unsupported_combination', message, `messages.${optedOut}`)
}

/** The document of two texts, whose completion alone is trained; nothing trails. @throws InletError for `tags` */
export function textsDocument(
  { prompt, completion }: ReturnType<typeof textsOfLine>,
  law: MaskLaw,
): ChatDocument {
  if (law === 'tags') {
    const message = '`mask` must not be `tags` of a prompt and a completion that are texts.'
    throw new InletError('unsupported_combination', message, 'prompt')
  }
  const spans = [{ start: prompt.length, end: prompt.length + completion.length }]
  return { turn: null, text: prompt + completion, law, spans, tags: [], trailing: 'train', trainsEnd: true }
}

/**
 * The mask of a document's ids: 1 where a token is trained.
 *
 * @param ids of the text, with ranges unless the tokenizer is lossless
 * @param hasStop whether an end follows that is trained
 * @param counts to which those of this document are added
 */
export function documentMask(
  tokenizer: Tokenizer,
  { text, law, spans, tags, trailing }: ChatDocument,
  ids: TokenBuffer,
  counts: MaskCounts,
  hasStop = false,
): Uint8Array {
  if (law === 'all') return new Uint8Array(ids.length).fill(1)
  const placed = placedIds(tokenizer, ids, Buffer.from(text))
  if (law === 'tags') return taggedMask(text, placed, tags)
  return sampledMask(text, placed, spans, { trailing, stops: stopsOf(tokenizer), hasStop }, counts)
}

const stopsOfTokenizers = new WeakMap<Tokenizer, ReadonlySet<number>>()

/** The added tokens, special or not, that may end a turn: those that are not of white space alone. */
function stopsOf(tokenizer: Tokenizer): ReadonlySet<number> {
  let stops = stopsOfTokenizers.get(tokenizer)
  if (stops === undefined) {
    const added = tokenizer.addedTokens?.map(({ content, id }) => [content, id] as const)
    const found = [...(added ?? tokenizer.specialTokens)].filter(([content]) => strip(content) !== '')
    stops = new Set(found.map(([, id]) => id))
    stopsOfTokenizers.set(tokenizer, stops)
  }
  return stops
}
