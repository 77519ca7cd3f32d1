import { JSON_LIMIT, jsonPost, MIB, repeated } from './harness/bodies.mjs'
import { modelsFolder } from './harness/models-folder.mjs'
import { expectAllowed, sendOne } from './harness/single-request.mjs'
import { startUpstream } from './harness/upstream.mjs'

// Bodies for a model server behind this one, in which rows take the place of texts.

const [COMPLETIONS, CHAT] = ['/v1/completions', '/v1/chat/completions']
const MODEL = '"model":"endless"'
const post = (path, body) => () => jsonPost(path, body())
const chat = (content) => post(CHAT, () => parts(`{${MODEL},"messages":[{"role":"user","content":[`, content))
const parts = (before, { element, count }) => repeated(before, element, ']}]}', { count })
const text = (unit) => unit.repeat((JSON_LIMIT - 256) / Buffer.byteLength(unit))
const deep = (levels) => '['.repeat(levels) + ']'.repeat(levels)
const WRONG = ['4xx']

export const name = 'completions'
export const about =
  'completions and chats of 2,048 prompts, 100,000 parts, deep lists, at the limit of a body'
export const variants = {
  '2,048 prompts': {
    make: post(COMPLETIONS, () => repeated(`{${MODEL},"prompt":[`, '"a"', ']}', { count: 2048 })),
  },
  '2,048 long prompts': {
    make: post(COMPLETIONS, () =>
      repeated(`{${MODEL},"prompt":[`, `"${'qx'.repeat(300)}"`, ']}', { count: 2048 }),
    ),
  },
  '2,048 lists of ids': {
    make: post(COMPLETIONS, () =>
      repeated(`{${MODEL},"prompt":[`, `[${Array(500).fill(5)}]`, ']}', { count: 2048 }),
    ),
  },
  '65,536 prompts': {
    make: post(COMPLETIONS, () => repeated(`{${MODEL},"prompt":[`, '"a"', ']}', { count: 65_536 })),
    allowed: WRONG,
  },
  'a prompt of 8 MB, too long for its model': {
    make: post(COMPLETIONS, () => `{"model":"roberta","prompt":"${text('qx')}"}`),
    allowed: ['422'],
  },
  'a prompt of 8 MB': { make: post(COMPLETIONS, () => `{${MODEL},"prompt":"${text('qx')}"}`) },
  'a prompt of 8 MB of marks': { make: post(COMPLETIONS, () => `{${MODEL},"prompt":"${text('\u0301')}"}`) },
  'rows already': { make: post(COMPLETIONS, () => `{${MODEL},"prompt_embeds":"${text('A')}"}`) },
  '65,536 strings as parts': { make: chat({ element: '"a"', count: 65_536 }) },
  '65,536 texts as parts': { make: chat({ element: '{"type":"text","text":"a"}', count: 65_536 }) },
  '100,000 texts as parts': {
    make: chat({ element: '{"type":"text","text":"a"}', count: 100_000 }),
    allowed: WRONG,
  },
  '100,000 parts of another type': {
    make: chat({ element: '{"type":"image_url","u":"a"}', count: 100_000 }),
  },
  'two million empty parts': { make: chat({ element: '{}', count: 2_000_000 }) },
  '65,536 messages': {
    make: post(CHAT, () => repeated(`{${MODEL},"messages":[`, '{"content":"a"}', ']}', { count: 65_536 })),
  },
  'a chat of 8 MB': { make: post(CHAT, () => `{${MODEL},"messages":[{"content":"${text('qx')}"}]}`) },
  'a chat of escapes': {
    make: post(CHAT, () => `{${MODEL},"messages":[{"content":"${text('\\u00e9')}"}]}`),
  },
  'deep messages': { make: post(CHAT, () => `{${MODEL},"messages":[${deep(4_000_000)}]}`) },
  'deep prompt': { make: post(COMPLETIONS, () => `{"prompt":${deep(250_000)}}`), allowed: WRONG },
  'deep model': { make: post(COMPLETIONS, () => `{"model":${deep(32_000)},"prompt":"a"}`), allowed: WRONG },
  'deep type of a part': {
    make: post(CHAT, () => `{${MODEL},"messages":[{"content":[{"type":${deep(32_000)},"text":"a"}]}]}`),
  },
  'half a million members': {
    make: post(COMPLETIONS, () => repeated('{"prompt":"a",', '"a":0', '}', { count: 500_000 })),
    allowed: ['4xx', '200'],
  },
  'white space': {
    make: post(COMPLETIONS, () => `{${MODEL},"prompt":"a"${' '.repeat(8_000_000)}}`),
  },
}
export const quick = ['deep model']
export const env = {
  UPSTREAM_URL: await startUpstream(),
  get MODELS_DIR() {
    return modelsFolder()
  },
}
export const bounds = { rssBytes: 800 * MIB }

export const prepare = ({ make }) => make()
export const send = sendOne
export const expect = expectAllowed
