import { get, post } from './request.mjs'
import { EDGES, prose } from './texts.mjs'

const MODELS = [
  'tokenizer-llama3',
  'tokenizer-gpt2',
  'tokenizer-qwen2',
  'llama',
  'tokenizer-wordpiece-cased',
  'static-words',
  'default',
  'absent',
  'tiny',
  'broken-shape',
]

/** Completions through the proxy: the upstream's answer has the body that came to it. */
export function* completions(draw) {
  for (const model of MODELS) {
    for (const prompt of [
      'Hello world',
      ['Hello', 'world'],
      [1, 2, 3],
      [[1, 2], [3]],
      '',
      [],
      [''],
      7,
      { a: 1 },
      null,
      [[]],
      [99999999],
    ]) {
      yield post('/v1/completions', { model, prompt, max_tokens: 3 })
    }
    for (const content of [
      'Hello',
      '',
      null,
      [{ type: 'text', text: 'Hello' }],
      [
        { type: 'image_url', image_url: { url: 'data:' } },
        { type: 'text', text: 'b' },
      ],
      ['plain', 'parts'],
      7,
      [{ type: 'text' }],
      [{ text: 'x' }],
    ]) {
      yield post('/v1/chat/completions', {
        model,
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content },
        ],
        temperature: 0,
      })
    }
  }
  const model = 'tokenizer-llama3'
  for (const edge of EDGES) {
    yield post('/v1/completions', { prompt: edge, model })
    yield post('/v1/chat/completions', { messages: [{ role: 'user', content: edge }], model })
  }
  for (let i = 0; i < 20; i++) yield post('/v1/completions', { model, prompt: prose(draw, 200), seed: i })
  for (const more of [
    { prompt_embeds: 'AAAA' },
    { prompt: 'a', prompt_embeds: 'AAAA' },
    { prompt: 'a', prompt_embeds: null },
    { prompt: 'a', add_special_tokens: false },
    { prompt: 'a', add_special_tokens: 'x' },
    { prompt: 'a', stream: true },
    { prompt: 'a', n: 1.0, logit_bias: { 5: 1e2 }, nested: { a: [1, { b: '\\u00e9' }] } },
    { prompt: 'a', echo: true, suffix: 'b' },
    {},
    { messages: [] },
    { messages: 7 },
    { messages: [{ role: 'user' }] },
    { messages: [7] },
    { messages: [{ content: 'a' }], tools: [{ type: 'function' }] },
  ]) {
    yield post('/v1/completions', { model, ...more })
    yield post('/v1/chat/completions', { model, ...more })
  }
  const odd = [
    '{"model":"tokenizer-llama3" , "prompt" :  "a\\u0041\\ud83d\\ude00" , "x":1.50e+2,"y":[ ],"z":{ }}',
    '{"prompt":"a","model":"tokenizer-llama3","prompt":"b"}',
    '{"prompt":"\\ud800","model":"tokenizer-llama3"}',
    '{"prompt":"a"',
    '{"prompt":"a",}',
    '',
    '[]',
    `{"prompt":"a","x":${'['.repeat(70)}${']'.repeat(70)}}`,
    `{"model":"tokenizer-llama3","prompt":"${'word '.repeat(5000)}"}`,
    `{"model":"tokenizer-llama3","prompt":[${Array.from({ length: 600 }, (_, i) => `"text ${i}"`).join(', ')}]}`,
  ]
  for (const body of odd) {
    yield post('/v1/completions', body)
    yield post('/v1/chat/completions', body)
  }
  for (const kind of [
    'error',
    'stream',
    'large',
    'break',
    'headers',
    'redirect',
    'empty',
    'no-content',
    'break-late',
  ]) {
    yield post('/v1/completions', { model, prompt: 'a', kind }, { 'x-kind': kind })
    yield post('/v1/completions', { model, prompt: 'a', kind, stream: true }, { 'x-kind': kind })
  }
  yield post(
    '/v1/completions',
    { model, prompt: 'a' },
    {
      'x-api': 'b',
      'user-agent': 'me',
      cookie: 'a=b',
      accept: 'text/event-stream',
      'accept-encoding': 'gzip',
      authorization: 'Bearer x',
    },
  )
  yield post('/v1/completions', { model, prompt: 'a' }, { 'content-type': 'text/plain' })
  yield {
    method: 'POST',
    path: '/v1/completions',
    headers: { 'content-type': 'application/json' },
    chunks: ['{"model":"tokenizer-llama3","pro', 'mpt":"Hello', ' world"}'],
  }
  yield get('/v1/completions')
}
