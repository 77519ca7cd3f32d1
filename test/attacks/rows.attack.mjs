import { EMBEDDINGS, jsonPost, MIB, repeated } from './harness/bodies.mjs'
import { modelsFolder } from './harness/models-folder.mjs'
import { expectAllowed, sendOne } from './harness/single-request.mjs'

// Rows as other programs take them: a file of PyTorch's for each document, nested numbers, embeddings of texts.

const PROMPTS = '/v1/prompt-embeds'
const MODEL = '"model":"roberta"'
const post = (path, body, headers) => () => {
  const request = jsonPost(path, body())
  return { ...request, headers: { ...request.headers, ...headers } }
}
const documents = (element, also = '') =>
  repeated(`{${MODEL}${also},"input_ids":[`, element, ']}', { count: 65_536 })
const ids = (count, also) => repeated(`{${MODEL}${also},"input_ids":[`, '5', ']}', { count })
const embeddings = (model, element, count) =>
  post('/v1/embeddings', () => `{"model":"${model}","input":[${Array(count).fill(element)}]}`)
const TORCH = { Accept: 'application/x-pytorch' }
const TOO_LARGE = ['413 response_too_large']
const SGLANG = ',"target":"sglang"'

export const name = 'rows'
export const about = 'prompts’ rows of 65,536 documents, as files and as numbers; embeddings of 2,048 texts'
export const variants = {
  '65,536 prompts': { make: post(PROMPTS, () => documents('[5]')) },
  '65,536 prompts, as texts': {
    make: post(PROMPTS, () => repeated(`{${MODEL},"text":[`, '"a"', ']}', { count: 65_536 })),
  },
  '65,536 prompts, as numbers': { make: post(PROMPTS, () => documents('[5]', SGLANG)) },
  'a prompt of 1 MB': {
    make: post(PROMPTS, () => `{${MODEL},"text":"${'qx'.repeat(MIB / 2)}"}`),
    allowed: TOO_LARGE,
  },
  'a prompt of a million ids': { make: post(PROMPTS, () => ids(1 << 20, '')), allowed: TOO_LARGE },
  'a prompt of 280,000 ids, as numbers': { make: post(PROMPTS, () => ids(280_000, SGLANG)) },
  'a prompt in 16 bits': {
    make: post(PROMPTS, () => ids(1 << 20, ',"dtype":"float16"')),
  },
  'a file of a million windows': {
    make: post(
      EMBEDDINGS,
      () =>
        repeated('{"outputs":["input_embeddings"],"context_length":1,"tail":"pad","input_ids":[', '5', ']}', {
          count: 1 << 20,
        }),
      TORCH,
    ),
  },
  'a file of one window': {
    make: post(
      EMBEDDINGS,
      () =>
        repeated(
          '{"outputs":["token_embeddings"],"position_embedding":"none","dtype":"float16","input_ids":[',
          '5',
          ']}',
          {
            count: 1 << 20,
          },
        ),
      TORCH,
    ),
  },
  '2,048 embeddings': { make: embeddings('static-nfc', '"a"', 2048) },
  '2,048 embeddings of 900 letters': { make: embeddings('static-nfc', `"${'qx'.repeat(450)}"`, 2048) },
  '2,048 embeddings of marks': { make: embeddings('static-nfc', `"${'\u0301\u0316'.repeat(225)}"`, 2048) },
  '2,048 embeddings of 450 ids': { make: embeddings('static-nfc', `[${Array(450).fill(5)}]`, 2048) },
  'an embedding of a million ids': { make: embeddings('static-nfc', '5', 1_000_000) },
  'an embedding of 2 MiB of marks': {
    make: post('/v1/embeddings', () => `{"model":"static-nfc","input":"${'\u0301\u0316'.repeat(500_000)}"}`),
  },
  '2,048 embeddings by the Rust library': { make: embeddings('words', '"a"', 2048) },
  '2,048 embeddings of 900 letters by the Rust library': {
    make: embeddings('words', `"${'the cat '.repeat(110)}"`, 2048),
  },
  'an embedding of 1 MB by the Rust library': {
    make: post('/v1/embeddings', () => `{"model":"words","input":"${'the cat '.repeat(131_000)}"}`),
  },
  '65,536 texts for embeddings': { make: embeddings('static-nfc', '"a"', 65_536), allowed: ['4xx'] },
}
export const env = {
  get MODELS_DIR() {
    return modelsFolder()
  },
}
export const bounds = { rssBytes: 800 * MIB }

export const prepare = ({ make }) => make()
export const send = sendOne
export const expect = expectAllowed
