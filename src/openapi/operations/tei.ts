import type { ErrorCode } from '../../errors.js'
import { ref } from '../json.js'
import { type Example, jsonAnswer, jsonExample, type Operation } from '../operation.js'
import { ROWS_ERRORS } from './error-lists.js'

const MODEL_ERRORS: readonly ErrorCode[] = [
  'model_not_found',
  'loading',
  'model_failed',
  'unsupported_combination',
]

/** Of all that take texts or ids: one list, so that the document has each answer once. */
const TEXTS_ERRORS: readonly ErrorCode[] = [...ROWS_ERRORS, 'context_too_long', 'response_too_large']

function operation(
  id: string,
  end: string,
  summary: string,
  rest: Pick<Operation, 'method' | 'description' | 'answer'> & Partial<Operation>,
): Operation {
  const usual = { tag: 'Text Embeddings Inference', errorForm: 'tei', examplesBy: 'folders' } as const
  const path = `/tei/{model}${end}`
  return {
    ...usual,
    id,
    path,
    summary,
    parameters: ['model_path'],
    errors: MODEL_ERRORS,
    examples: [],
    ...rest,
  }
}

const words = (name: string, summary: string, value: object): Example =>
  jsonExample(name, summary, value, { model: 'words' })

const EMBED = {
  method: 'post',
  description:
    'The embeddings of /v1/embeddings, normalized unless `normalize` is false. Ids are taken where the model’s ' +
    '`pooling.accept_ids` says so.',
  body: { 'application/json': ref('schemas', 'TeiEmbedRequest') },
  answer: jsonAnswer('TeiEmbedAnswer', 'An embedding for each text.', ['Content-Length']),
  errors: TEXTS_ERRORS,
} as const

/** Text Embeddings Inference's routes. */
export const teiOperations: readonly Operation[] = [
  operation('teiEmbed', '/embed', 'Embeddings of texts', {
    ...EMBED,
    examples: [
      words('texts', 'Two texts', { inputs: ['Hello, world!', 'Good morning'], truncate: true }),
      words('invalid_request', 'A prompt that is not there', { inputs: 'Hello', prompt_name: 'query' }),
    ],
  }),
  operation('teiEmbedAtBase', '', 'The same at the base URL', { ...EMBED, examples: [] }),
  operation('teiEmbedSparse', '/embed_sparse', 'Refused: static models have no sparse embeddings', {
    method: 'post',
    description: 'Always 422 `unsupported_combination` for a model that is there.',
    answer: { description: 'Never.', headers: [], content: {} },
  }),
  operation('teiTokenize', '/tokenize', 'Tokens of texts with their places', {
    method: 'post',
    description: 'Places are bytes of prompt and text.',
    body: { 'application/json': ref('schemas', 'TeiTokenizeRequest') },
    answer: jsonAnswer('TeiTokenizeAnswer', 'The tokens of each text.', ['Content-Length']),
    errors: TEXTS_ERRORS,
    examples: [words('hello', 'Four tokens', { inputs: 'Hello, world!' })],
  }),
  operation('teiDecode', '/decode', 'Texts of ids', {
    method: 'post',
    description: 'Bytes that are not UTF-8 come as U+FFFD.',
    body: { 'application/json': ref('schemas', 'TeiDecodeRequest') },
    answer: jsonAnswer('TeiDecodeAnswer', 'The text of each list of ids.', ['Content-Length']),
    errors: TEXTS_ERRORS,
    examples: [words('hello', 'Four tokens', { ids: [15496, 11, 995, 0] })],
  }),
  operation('teiEmbeddings', '/v1/embeddings', 'OpenAI’s contract, normalized', {
    method: 'post',
    description: 'As /v1/embeddings of the model in the path; embeddings are normalized.',
    body: { 'application/json': ref('schemas', 'TeiEmbeddingsRequest') },
    answer: jsonAnswer('EmbeddingsAnswer', 'The embeddings, in the order of `input`.', ['Content-Length']),
    errors: TEXTS_ERRORS,
    errorForm: 'tei_openai',
    examples: [words('texts', 'Two texts', { input: ['Hello, world!', 'Good morning'] })],
  }),
  operation('teiInfo', '/info', 'What the model takes', {
    method: 'get',
    description: 'Fields of Text Embeddings Inference; what has no bound is 2^31 − 1.',
    answer: jsonAnswer('TeiInfo', 'The model and its limits.'),
    examples: [{ name: 'words', summary: 'A static model', parameters: { model: 'words' } }],
  }),
  operation('teiHealth', '/health', 'Whether the model can be asked', {
    method: 'get',
    description: '200 without a body.',
    answer: { description: 'It can.', headers: [], content: {} },
  }),
]
