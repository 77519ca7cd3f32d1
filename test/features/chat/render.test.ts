import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ModelsFolder } from '../../checkpoints/folders.js'
import { post, type TestService, testService } from '../../helper.js'

const COMPLETIONS = '/v1/completions/render'
const CHATS = '/v1/chat/completions/render'
const TOKENIZER = readFileSync(new URL('../../goldens/tokenizers/llama3.json', import.meta.url))
const TEMPLATE =
  "{{ bos_token }}{% for m in messages %}{{ m.role ~ ': ' ~ m.content ~ '\\n' }}{% endfor %}{{ 'A:' if add_generation_prompt }}"
const CONFIG = { tokenizer_class: 'PreTrainedTokenizerFast', bos_token: '<|begin|>', eos_token: '<|end|>' }
const MESSAGES = [{ role: 'user', content: 'Hello there' }]
const TEXT = '<|begin|>user: Hello there\nA:'

let folder: ModelsFolder
let service: TestService
beforeAll(async () => {
  folder = await ModelsFolder.make()
  const files = { 'tokenizer.json': TOKENIZER }
  await folder.llama('file', {
    ...files,
    'tokenizer_config.json': { ...CONFIG, chat_template: 'not this one' },
    'chat_template.jinja': TEMPLATE,
  })
  await folder.llama('config', { ...files, 'tokenizer_config.json': { ...CONFIG, chat_template: TEMPLATE } })
  const named = [
    { name: 'default', template: TEMPLATE },
    { name: 'tool_use', template: 'T{{ tools | length }}' },
  ]
  await folder.llama('named', { ...files, 'tokenizer_config.json': { ...CONFIG, chat_template: named } })
  await folder.llama('none', { ...files, 'tokenizer_config.json': CONFIG })
  service = await testService({}, { folders: await folder.entries() })
})
afterAll(async () => {
  await service.close()
  await folder.remove()
})

async function ids(text: string, add_special_tokens = false, model = 'file'): Promise<number[]> {
  const answer = await post(service, '/v1/tokenize', { model, text, add_special_tokens })
  return answer.json().input_ids
}

const refusal = async (url: string, body: object) => {
  const answer = await post(service, url, body)
  return { status: answer.status, ...answer.json().error }
}

describe('completions', () => {
  test('an object for each prompt, with special tokens', async () => {
    const answer = await post(service, COMPLETIONS, {
      model: 'file',
      prompt: ['Hello', 'a b'],
      temperature: 0.5,
    })
    expect(answer.status).toBe(200)
    const list = answer.json()
    expect(list).toEqual([
      {
        request_id: expect.stringMatching(/^cmpl-.*-0$/),
        model: 'file',
        token_ids: await ids('Hello', true),
        features: null,
      },
      {
        request_id: expect.stringMatching(/^cmpl-.*-1$/),
        model: 'file',
        token_ids: await ids('a b', true),
        features: null,
      },
    ])
    expect(list[0].token_ids[0]).toBe(0)
  })

  test('one prompt, ids, SGLang’s name', async () => {
    const body = { model: 'file', prompt: [5, 6, 7], target: 'sglang' }
    const [only, ...rest] = (await post(service, COMPLETIONS, body)).json()
    expect([only.input_ids, only.token_ids, rest]).toEqual([[5, 6, 7], undefined, []])
    const cut = { ...body, truncate_prompt_tokens: 2 }
    expect(await refusal(COMPLETIONS, cut)).toMatchObject({ status: 400, param: 'truncate_prompt_tokens' })
    expect((await post(service, COMPLETIONS, { ...body, truncate_prompt_tokens: null })).status).toBe(200)
    expect(await refusal(COMPLETIONS, { model: 'file' })).toMatchObject({ status: 400, param: 'prompt' })
  })
})

test('a null of OpenAI’s or vLLM’s is as an absent member', async () => {
  const common = ['model', 'max_tokens', 'temperature', 'stop', 'n', 'seed', 'user', 'truncate_prompt_tokens']
  const own = [
    'tools',
    'tool_choice',
    'documents',
    'chat_template',
    'chat_template_kwargs',
    'reasoning_effort',
  ]
  const flags = ['add_generation_prompt', 'continue_final_message', 'response_format', 'functions']
  const nulls = (names: string[]) => Object.fromEntries(names.map((name) => [name, null]))
  const idsOf = async (url: string, body: object) => {
    const answer = (await post(service, url, body)).json()
    return (answer[0] ?? answer).token_ids
  }
  const completion = { prompt: 'Hello' }
  const plain = await idsOf(COMPLETIONS, completion)
  expect(plain).toHaveLength(1)
  expect(await idsOf(COMPLETIONS, { ...completion, ...nulls(['suffix', 'echo', ...common]) })).toEqual(plain)
  const chat = { model: 'file', messages: MESSAGES }
  expect(await idsOf(CHATS, { ...nulls([...common, ...own, ...flags]), ...chat })).toEqual(await ids(TEXT))
})

test('special tokens count only where they are allowed', async () => {
  const prompt = '<|end|>'
  const of = async (more: object) =>
    (await post(service, COMPLETIONS, { model: 'file', prompt, ...more })).json()[0].token_ids
  expect((await of({})).length).toBeLessThan((await of({ allowed_special: [] })).length)
  expect(await of({ allowed_special: ['<|end|>'] })).toEqual(await of({}))
  const body = { model: 'file', messages: MESSAGES, allowed_special: [] }
  const { token_ids } = (await post(service, CHATS, body)).json()
  const plain = await post(service, '/v1/tokenize', { model: 'file', text: TEXT, allowed_special: [] })
  expect(token_ids).toEqual(plain.json().input_ids)
  const unknown = { model: 'file', prompt, allowed_special: ['<x>'] }
  expect(await refusal(COMPLETIONS, unknown)).toMatchObject({ status: 400, param: 'allowed_special.0' })
})

describe('chats', () => {
  test.each(['file', 'config', 'named'])('the template of %s', async (model) => {
    const answer = await post(service, CHATS, { model, messages: MESSAGES, stream: true })
    expect(answer.json()).toEqual({
      ...{
        request_id: expect.stringMatching(/^chatcmpl-/),
        model,
        token_ids: await ids(TEXT),
        features: null,
      },
    })
  })

  test('one of several templates, and one of the request', async () => {
    const tokens = async (body: object) =>
      (await post(service, CHATS, { messages: MESSAGES, ...body })).json().token_ids
    expect(await tokens({ model: 'named', tools: [{ name: 'f' }] })).toEqual(await ids('T1'))
    expect(await tokens({ model: 'named', tools: [], chat_template: 'default' })).toEqual(await ids(TEXT))
    expect(
      await tokens({ model: 'none', chat_template: '{{ x }}!', chat_template_kwargs: { x: 1.5 } }),
    ).toEqual(await ids('1.5!'))
    expect(await tokens({ model: 'file', add_generation_prompt: false })).toEqual(
      await ids(TEXT.slice(0, -2)),
    )
    expect(await tokens({ model: 'file', continue_final_message: true })).toEqual(
      await ids(TEXT.slice(0, -3)),
    )
  })

  test('reasoning_effort, as vLLM hands it to templates', async () => {
    const chat_template = '{{ reasoning_effort }} {{ enable_thinking }}'
    const given = async (body: object) =>
      (await post(service, CHATS, { model: 'file', messages: MESSAGES, chat_template, ...body })).json()
        .token_ids
    expect(await given({ reasoning_effort: 'high' })).toEqual(await ids('high True'))
    expect(await given({ reasoning_effort: 'none' })).toEqual(await ids('none False'))
    expect(await given({ reasoning_effort: null })).toEqual(await ids(' '))
    const chat_template_kwargs = { enable_thinking: false, reasoning_effort: 'low' }
    expect(await given({ reasoning_effort: 'high', chat_template_kwargs })).toEqual(await ids('high False'))
    expect(await given({ chat_template_kwargs })).toEqual(await ids('low False'))
  })

  test('refusals', async () => {
    const ask = (body: object) => refusal(CHATS, { model: 'file', messages: MESSAGES, ...body })
    expect(await ask({ model: 'none' })).toMatchObject({ status: 422, code: 'template_unavailable' })
    expect(await ask({ chat_template: '{{ x | groupby(1) }}' })).toMatchObject({
      status: 422,
      code: 'template_unsupported',
    })
    expect(await ask({ chat_template: '{{ x.y }}' })).toMatchObject({ status: 422, code: 'template_failed' })
    expect(await ask({ truncate_prompt_tokens: 2 })).toMatchObject({
      ...{
        status: 400,
        param: 'truncate_prompt_tokens',
        message: expect.stringMatching(/must be null.*Given: 2$/),
      },
    })
    for (const [url, field] of [
      [COMPLETIONS, 'return_assistant_tokens_mask'],
      [CHATS, 'sanitize_control_tokens'],
      [CHATS, 'truncation'],
      [COMPLETIONS, 'suffix'],
      [COMPLETIONS, 'prompt_embeds'],
    ] as const) {
      const body = { model: 'file', messages: MESSAGES, prompt: 'Hello' }
      expect(await refusal(url, { ...body, [field]: true })).toMatchObject({
        ...{ status: 400, code: 'invalid_request', param: field },
        message: `\`${field}\` must be absent, null or false: it is not done here. Given: true`,
      })
      expect((await post(service, url, { ...body, [field]: false })).status).toBe(200)
    }
    expect(await ask({ reasoning_effort: 'extreme' })).toMatchObject({
      status: 400,
      param: 'reasoning_effort',
    })
    expect(await ask({ messages: [] })).toMatchObject({ status: 400, code: 'empty_input', param: 'messages' })
    expect(await ask({ messages: 'Hello' })).toMatchObject({ status: 400, param: 'messages' })
    expect(await ask({ messages: ['Hello'] })).toMatchObject({ status: 400, param: 'messages.0' })
    expect(await ask({ messages: undefined })).toMatchObject({ status: 400, param: 'messages' })
    expect(await ask({ tools: [1] })).toMatchObject({ status: 400, param: 'tools.0' })
    expect(await ask({ chat_template_kwargs: [1] })).toMatchObject({
      status: 400,
      param: 'chat_template_kwargs',
    })
    expect(await ask({ chat_template_kwargs: { messages: 1 } })).toMatchObject({
      status: 400,
      param: 'chat_template_kwargs.messages',
    })
    expect(await ask({ continue_final_message: true, add_generation_prompt: true })).toMatchObject({
      status: 400,
    })
    expect(await ask({ messages: [{ role: 'user', content: [{ type: 'image_url' }] }] })).toMatchObject({
      ...{ status: 422, code: 'template_unsupported', param: 'messages.0.content.0.type' },
    })
  })

  test('JSON that breaks off, a lone surrogate, an integer beyond 2^53, depth', async () => {
    const send = async (messages: string) => {
      const payload = `{"model":"file","messages":${messages}}`
      const headers = { 'content-type': 'application/json' }
      const answer = await service.app.inject({ method: 'POST', url: CHATS, payload, headers })
      return answer.json().error.code
    }
    expect(await send('[{"role": user}]')).toBe('invalid_json')
    expect(await send('[{"role":"a\\ud800"}]')).toBe('invalid_unicode')
    expect(await send('[{"role":9007199254740993}]')).toBe('invalid_request')
    expect(await send('['.repeat(100) + ']'.repeat(100))).toBe('invalid_request')
  })

  test('a long chat is rendered in turns', async () => {
    const content = 'The first layer of a language model. '.repeat(20_000)
    const answer = await post(service, CHATS, { model: 'file', messages: [{ role: 'user', content }] })
    expect(answer.json().token_ids).toEqual(await ids(`<|begin|>user: ${content}\nA:`))
  })
})

describe('messages in other routes', () => {
  test('/v1/tokenize', async () => {
    const answer = await post(service, '/v1/tokenize', { model: 'file', messages: MESSAGES })
    expect(answer.json()).toEqual((await post(service, '/v1/tokenize', { model: 'file', text: TEXT })).json())
    const refused = (body: object) => refusal('/v1/tokenize', { model: 'file', ...body })
    expect(await refused({})).toMatchObject({ status: 400, param: 'text' })
    expect(await refused({ text: 'a', messages: MESSAGES })).toMatchObject({ status: 400, param: 'messages' })
    expect(await refused({ text: 'a', tools: [] })).toMatchObject({ status: 400, param: 'tools' })
    expect(await refusal('/v1/tokenize', { encoding: 'gpt2', messages: MESSAGES })).toMatchObject({
      param: 'encoding',
    })
  })

  test('/v1/prompt-embeds', async () => {
    const chat_template = '{{ messages[0].content }}'
    const low = { model: 'file', chat_template, messages: [{ role: 'user', content: '<|begin|><|end|>' }] }
    const answer = await post(service, '/v1/prompt-embeds', low)
    expect(answer.status, answer.body.toString()).toBe(200)
    const { model_version: _, ...rest } = answer.json()
    const { model_version: __, ...same } = (
      await post(service, '/v1/prompt-embeds', { model: 'file', input_ids: [0, 1] })
    ).json()
    expect(rest).toEqual({ ...same, prompt_embeds: rest.prompt_embeds })
    expect(rest.prompt_embeds).toEqual(same.prompt_embeds)
    const both = { model: 'file', messages: MESSAGES, input_ids: [0] }
    expect(await refusal('/v1/prompt-embeds', both)).toMatchObject({ status: 400, param: 'input_ids' })
  })
})
