import { z } from 'zod'
import { idsField, inputField, textField } from './given-field.js'

const promptName = z
  .string()
  .nullish()
  .describe('Name of a prompt of the model’s config_sentence_transformers.json. Default: the model’s own.')
const dimensions = z.int().min(1).nullish().describe('As `dimensions` of /v1/embeddings. Default: all.')

/** The body of `POST /tei/{model}/embed`, as Text Embeddings Inference's. */
export const teiEmbedRequest = z.strictObject({
  inputs: inputField,
  truncate: z
    .boolean()
    .nullish()
    .describe('Whether a text with too many tokens is cut; false: it is refused. Default: true.'),
  truncation_direction: z
    .enum(['Right', 'Left', 'right', 'left'])
    .default('Right')
    .describe('From which end tokens are cut off.'),
  prompt_name: promptName,
  normalize: z.boolean().default(true).describe('Whether embeddings get the length 1.'),
  dimensions,
})

/** The body of `POST /tei/{model}/tokenize`. */
export const teiTokenizeRequest = z.strictObject({
  inputs: textField,
  add_special_tokens: z
    .boolean()
    .default(true)
    .describe('Whether a text gets the tokens that the model’s tokenizer puts around it.'),
  prompt_name: promptName,
})

/** The body of `POST /tei/{model}/decode`. */
export const teiDecodeRequest = z.strictObject({
  ids: idsField('Token ids of one text, or of several.'),
  skip_special_tokens: z.boolean().default(true).describe('Whether special tokens are left out.'),
})

/** The body of `POST /tei/{model}/v1/embeddings`. */
export const teiOpenAiRequest = z.strictObject({
  input: inputField,
  model: z.string().nullish().describe('It changes nothing: the path names the model.'),
  user: z.string().nullish().describe('Who asks. It changes nothing.'),
  encoding_format: z.enum(['float', 'base64']).default('float').describe('As of /v1/embeddings.'),
  dimensions,
})

const count = () => z.int().min(0)

/** `POST /tei/{model}/embed`. */
export const teiEmbedAnswer = z.array(z.array(z.number())).describe('An embedding for each text.')

/** A token of `POST /tei/{model}/tokenize`. */
export const teiToken = z.strictObject({
  id: count(),
  text: z.string().describe('The part of the text; of a special token its name.'),
  special: z.boolean().describe('Whether it stands around the text.'),
  start: count().nullable().describe('Byte offset in the UTF-8 of prompt and text; null for special tokens.'),
  stop: count().nullable().describe('Byte offset after it.'),
})

/** `POST /tei/{model}/tokenize`. */
export const teiTokenizeAnswer = z.array(z.array(teiToken)).describe('The tokens of each text.')

/** `POST /tei/{model}/decode`. */
export const teiDecodeAnswer = z.array(z.string()).describe('The text of each list of ids.')

/** `GET /tei/{model}/info`. */
export const teiInfoAnswer = z.strictObject({
  model_id: z.string(),
  model_sha: z.null(),
  model_dtype: z.string(),
  served_model_name: z.string(),
  model_type: z.strictObject({ embedding: z.strictObject({ pooling: z.literal('mean') }) }),
  max_concurrent_requests: count().describe('A bound on bytes takes its place: see `/v1/models`.'),
  max_input_length: count().describe('Most tokens of a text; 2^31 − 1 where there is no bound.'),
  max_batch_tokens: count(),
  max_batch_requests: z.null(),
  max_client_batch_size: count().describe('Most texts of a request.'),
  auto_truncate: z.boolean(),
  tokenization_workers: count(),
  version: z.string(),
  sha: z.null(),
  docker_label: z.null(),
})

/** Errors below /tei. */
export const teiError = z.strictObject({
  error: z.string().describe('Names the field, the rule and the value given.'),
  error_type: z.enum(['Unhealthy', 'Backend', 'Overloaded', 'Validation', 'Tokenizer', 'Empty']),
})

/** Errors of /tei/{model}/v1/embeddings. */
export const teiOpenAiError = z.strictObject({
  message: teiError.shape.error,
  code: count().describe('The status.'),
  type: teiError.shape.error_type,
})
