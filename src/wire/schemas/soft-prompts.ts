import { z } from 'zod'

/** The query of `PUT /v1/models/{model}/prompts/{prompt}`. */
export const softPromptUpload = z.strictObject({
  base_model: z
    .string()
    .optional()
    .describe(
      '`base_model_name_or_path` of PEFT’s adapter_config.json: the upload is refused where that is another model. Default: no check.',
    ),
})

/** A request's field that names a soft prompt. */
export const softPromptField = z
  .string()
  .describe('Name of a soft prompt of the model: its rows stand before those of each text.')

/** A soft prompt, as `GET` and `PUT` describe it. */
export const softPromptAnswer = z.strictObject({
  name: z.string().describe('Its name.'),
  object: z.literal('prompt'),
  model: z.string().describe('Id of the model.'),
  created: z.int().describe('When it came. Unix time in seconds.'),
  num_tokens: z.int().min(1).describe('n: its rows, each in the place of a token.'),
  shape: z.array(z.int()).describe('[n, C]'),
  dtype: z.enum(['float32', 'float16', 'bfloat16']).describe('Element type, as they came.'),
  bytes: z.int().describe('Bytes of the rows.'),
  sha256: z.string().describe('Of type, shape and rows, in hex.'),
  stored: z.literal('memory').describe('Where it is kept: it is gone with the process.'),
})

/** `GET /v1/models/{model}/prompts`. */
export const softPromptsAnswer = z.strictObject({
  object: z.literal('list'),
  data: z.array(softPromptAnswer),
})
