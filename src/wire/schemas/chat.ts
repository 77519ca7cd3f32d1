import { z } from 'zod'
import type { Chat } from '../../chat/chat.js'
import { asLongField } from '../json/long-fields.js'
import { longValue, PythonValue } from '../json/long-value.js'

const OBJECTS = { type: 'array', items: { type: 'object', additionalProperties: true } } as const

/** A field that is read as Python reads it. @param isRight its form, where nothing else checks it */
function valueField(
  description: string,
  form: object,
  isRight: (given: PythonValue) => boolean = () => true,
) {
  const field = z.custom<PythonValue>(
    (given) => given instanceof PythonValue && isRight(given),
    'must be an object',
  )
  return asLongField(field, longValue).meta({ ...form, description })
}

/** A chat's messages. */
export const messagesField = valueField(
  'Messages of a chat, in place of texts: the model’s template makes a text of them, as transformers does. `content` is a ' +
    'text, or parts of type `text`.',
  { ...OBJECTS, minItems: 1 },
)

/** What goes with messages. */
export const chatFields = {
  tools: valueField('Tools of the chat, for the template.', OBJECTS).optional(),
  documents: valueField('Documents of the chat, for the template.', OBJECTS).optional(),
  chat_template: z
    .string()
    .nullish()
    .describe('A template, or the name of one of the model’s. Default: the model’s.'),
  chat_template_kwargs: valueField(
    'Variables of the template’s own: `{"enable_thinking": false}`.',
    { type: 'object', additionalProperties: true },
    ({ value, dict }) => value === null || dict !== undefined,
  ).optional(),
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

/** The chat that a body brings. */
export function chatOf(messages: PythonValue, body: ChatFields): Chat {
  return {
    messages: messages.value,
    tools: body.tools?.value,
    documents: body.documents?.value,
    template: body.chat_template ?? undefined,
    variables: body.chat_template_kwargs?.dict,
    addGenerationPrompt: body.add_generation_prompt ?? undefined,
    continueFinalMessage: body.continue_final_message ?? undefined,
  }
}

/** Texts or messages, not both, and nothing about messages where there are none. */
export function checkChat(
  body: ChatFields & { text?: unknown; messages?: unknown; encoding?: unknown },
  context: z.core.$RefinementCtx,
): void {
  const refuse = (field: string, message: string, given?: string) =>
    context.addIssue({ code: 'custom', path: [field], message, params: { given } })
  if (body.messages === undefined) {
    if (body.text === undefined) refuse('text', 'is needed')
    for (const field of Object.keys(chatFields) as (keyof ChatFields)[])
      if (body[field] !== undefined) refuse(field, 'needs `messages`')
    return
  }
  if (body.text !== undefined) refuse('messages', 'must not be given beside `text`')
  if (body.encoding !== undefined)
    refuse('encoding', 'must not be given beside `messages`, which need a model’s template')
}
