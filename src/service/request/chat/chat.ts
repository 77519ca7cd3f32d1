import { type Chat, type Dict, isDict, readValues, type Steps, type Value } from 'inlet-chat-template'
import { z } from 'zod'
import type { ModelCard } from '../../../first-layer/cards/model-card.js'
import { withOwnErrors } from '../../../first-layer/datasets/chats/chat-texts.js'
import { chatText } from '../../../library/render.js'
import type { Claim } from '../../process/turn.js'
import { stepsInTurns } from '../../process/turn.js'

/** A null is an absent one: some clients send each list that a caller does not give as `[]`, unless it may be null. */
const OBJECTS = { type: ['array', 'null'], items: { type: 'object', additionalProperties: true } } as const

function valueField(description: string, form: object) {
  return z.custom<Value>((given) => given !== undefined, 'is needed').meta({ ...form, description })
}

export const messagesField = valueField(
  'Messages of a chat, in place of texts: the model’s template makes a text of them, as transformers does. `content` is a ' +
    'text, or parts of type `text`.',
  { ...OBJECTS, type: 'array', minItems: 1 },
)
export const optionalMessagesField = messagesField
  .meta({ ...messagesField.meta(), type: OBJECTS.type })
  .optional()

export const chatFields = {
  tools: valueField('Tools of the chat, for the template.', OBJECTS).optional(),
  documents: valueField('Documents of the chat, for the template.', OBJECTS).optional(),
  chat_template: z
    .string()
    .nullish()
    .describe('A template, or the name of one of the model’s. Default: the model’s.'),
  chat_template_kwargs: z
    .custom<Dict | null>((given) => given === null || isDict(given as Value), 'must be an object')
    .meta({
      type: ['object', 'null'],
      additionalProperties: true,
      description: 'Variables of the template’s own: `{"enable_thinking": false}`.',
    })
    .optional(),
  add_generation_prompt: z
    .boolean()
    .nullish()
    .describe(
      'Whether the text ends with the beginning of an answer. Default: unless the last message is continued.',
    ),
  continue_final_message: z
    .union([z.boolean(), z.string()])
    .nullish()
    .describe('Whether the last message stays open; a text: the message’s field that does. Default: false.'),
} as const

type ChatFields = z.output<z.ZodObject<typeof chatFields>>

/**
 * Puts the values of a chat into a body as Python reads them: `1.0` is a float and `1` an int, and objects
 * keep the order of their keys.
 * @param text of the body
 */
export function* pythonFields(body: unknown, text: string): Steps<void> {
  if (typeof body !== 'object' || body === null) return
  const fields = PYTHON_FIELDS.filter((field) => Object.hasOwn(body, field))
  if (fields.length === 0) return
  const values = (yield* withOwnErrors(readValues(text, 'messages'))) as Dict
  Object.assign(body, Object.fromEntries(fields.map((field) => [field, values.get(field)])))
}

const PYTHON_FIELDS = ['messages', 'tools', 'documents', 'chat_template_kwargs']

export function checkChat(
  body: ChatFields & { text?: unknown; messages?: unknown; encoding?: unknown },
  context: z.core.$RefinementCtx,
): void {
  const refuse = (field: string, message: string, given?: string) =>
    context.addIssue({ code: 'custom', path: [field], message, params: { given } })
  if (body.messages == null) {
    if (body.text === undefined) refuse('text', 'is needed')
    for (const field of Object.keys(chatFields) as (keyof ChatFields)[])
      if (body[field] != null) refuse(field, 'needs `messages`')
    return
  }
  if (body.text !== undefined) refuse('messages', 'must not be given beside `text`')
  if (body.encoding !== undefined)
    refuse('encoding', 'must not be given beside `messages`, which need a model’s template')
}

/** Bytes of memory of a unit, as text and as its UTF-8. */
const UNIT_BYTES = 5

/**
 * The text of a chat by the model's template, in short turns.
 * @param maxCharacters of the text
 * @throws InletError `template_unavailable`, `template_unsupported`, `template_failed`, `invalid_request`, `empty_input`
 */
export async function renderedChat(
  card: ModelCard,
  chat: Chat,
  maxCharacters: number,
  claim: Claim,
): Promise<string> {
  const text = await stepsInTurns(chatText(card, chat, maxCharacters), claim)
  const wait = claim.take(text.length * UNIT_BYTES)
  if (wait !== undefined) await wait
  return text
}
