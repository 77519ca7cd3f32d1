import { z } from 'zod'
import { inputField } from './given-field.js'
import { softPromptField } from './soft-prompts.js'

const modelField = z
  .string()
  .nullish()
  .describe(
    'Id of a model of a folder, and the name under which the model server has it. Default: as everywhere.',
  )

/**
 * The body of `POST /v1/completions`, as far as it is read here; other fields are the model server's. It is never parsed
 * as a whole: {@link readCompletion} walks over it.
 */
export const completionRequest = z.looseObject({
  model: modelField,
  prompt: inputField
    .describe('A text, texts, the ids of a text, or those of several. Their rows take its place.')
    .optional(),
  prompt_embeds: z
    .union([z.string(), z.array(z.string())])
    .nullish()
    .describe('Rows of the caller’s own, in base64: the body then goes on as it is.'),
  soft_prompt: softPromptField
    .nullish()
    .describe(
      'Name of a soft prompt of the model: its rows stand before those of each text. It does not go on.',
    ),
  add_special_tokens: z
    .boolean()
    .nullish()
    .describe('Whether the rows have the tokens that the tokenizer adds around a text. Default: true.'),
})

/** A part of a message's `content`. */
export const chatPart = z.looseObject({
  type: z.string().optional().describe('Kind of the part: `text` for a text.'),
  text: z.string().optional().describe('The text of a part of type `text`.'),
})

/** A message of a chat. */
export const chatMessage = z.looseObject({
  role: z.string().optional().describe('Who speaks, as the model server’s template names it.'),
  content: z
    .union([z.string(), z.array(z.union([z.string(), chatPart])), z.null()])
    .describe(
      'A text, or parts: each text, and each part of type `text`, becomes one of type `prompt_embeds`.',
    )
    .optional(),
})

/** The body of `POST /v1/chat/completions`, in the same way. */
export const chatRequest = z.looseObject({
  model: modelField,
  prompt: softPromptField
    .nullish()
    .describe(
      'Name of a soft prompt of the model: its rows stand before those of the first text. It does not go on.',
    ),
  messages: z
    .array(chatMessage)
    .describe('OpenAI’s. Texts in `content` give way to their rows; all else stays.'),
})
