import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import * as exported from '../src/index.js'

const { applyChatTemplate, ChatError, parseJson } = exported
const messages = [{ role: 'user', content: 'Hi' }]

describe('the examples of the README', () => {
  const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const examples = Array.from(page.matchAll(/```js\n([\s\S]*?)```/g), ([, code]) => code!)

  test('are three', () => expect(examples).toHaveLength(3))

  test.each(examples)('%s', (code) => {
    const shown: string[] = []
    const plain = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))
    const console = { log: (...values: unknown[]) => shown.push(values.map(plain).join(' ')) }
    const body = code.replace(/^import (\{.*\}) from .*$/m, 'const $1 = exported')
    new Function('exported', 'console', body)(exported, console)
    const told = Array.from(code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm), ([, text]) => text!)
    expect(told.length).toBeGreaterThan(0)
    expect(shown).toEqual(told.map((text) => text.replaceAll('\\n', '\n')))
  })
})

describe('applyChatTemplate', () => {
  test('takes values of JavaScript as JSON has them, and those of parseJson', () => {
    const given = {
      messages,
      chat_template_kwargs: { x: { a: [1, 1.5, null, true, undefined], b: undefined } },
    }
    expect(applyChatTemplate('{{ x }}', given).text).toBe("{'a': [1, 1.5, None, True, None]}")
    const x = parseJson('{"a": [1.0, 1]}')
    expect(applyChatTemplate('{{ x }}', { messages, chat_template_kwargs: { x } }).text).toBe(
      "{'a': [1.0, 1]}",
    )
    expect(() => parseJson('{')).toThrow(SyntaxError)
  })

  test('adds no generation prompt, and gives no spans, unless it is asked to', () => {
    const source = '{% generation %}a{% endgeneration %}{{ add_generation_prompt }}'
    expect(applyChatTemplate(source, { messages })).toEqual({ text: 'aFalse', spans: [] })
    expect(applyChatTemplate(source, { messages, return_spans: true }).spans).toEqual([[0, 1]])
  })

  test('takes one of several templates', () => {
    const source = { default: 'd', tool_use: 't', other: 'o' }
    expect(applyChatTemplate(source, { messages }).text).toBe('d')
    expect(applyChatTemplate(source, { messages, tools: [{ name: 'f' }] }).text).toBe('t')
    expect(applyChatTemplate(source, { messages, chat_template: 'other' }).text).toBe('o')
  })

  test.each([
    [{ messages: 'Hi' }, 'invalid_request', 'messages'],
    [{ messages: [] }, 'empty_input', 'messages'],
    [{ messages: [{ role: 'user', content: '\ud800' }] }, 'invalid_unicode', 'messages.0.content'],
    [{ messages: [{ role: 'user', content: 2 ** 60 }] }, 'invalid_request', 'messages.0.content'],
    [{ messages, chat_template_kwargs: { f: () => 1 } }, 'invalid_request', 'chat_template_kwargs.f'],
    [{ messages, chat_template_kwargs: { tools: 1 } }, 'invalid_request', 'chat_template_kwargs.tools'],
    [{ messages, max_characters: 1 }, 'template_unsupported', 'messages'],
    [
      { messages, continue_final_message: true, return_spans: true },
      'invalid_request',
      'continue_final_message',
    ],
  ])('%j is refused', (options, code, param) => {
    const ask = () => applyChatTemplate('{{ messages[0].content }}', options)
    expect(ask).toThrow(ChatError)
    expect(ask).toThrow(expect.objectContaining({ code, param }))
  })
})

describe('spans', () => {
  /** Made by transformers 5.24: `render_jinja_template(…, return_assistant_tokens_mask=True)`. */
  const cases = readFileSync(new URL('goldens/spans.ndjson', import.meta.url), 'utf8')
    .trim()
    .split('\n')

  test.each(cases)('%s', (line) => {
    const { template, messages, text, spans } = JSON.parse(line)
    expect(applyChatTemplate(template, { messages, return_spans: true })).toEqual({ text, spans })
  })

  test.each([
    ['a macro', '{% macro f() %}{% generation %}a{% endgeneration %}{% endmacro %}{{ f() }}'],
    ['a set block', '{% set x %}{% generation %}a{% endgeneration %}{% endset %}{{ x }}'],
    [
      'a filter block',
      '{% filter upper %}{% if true %}{% generation %}a{% endgeneration %}{% endif %}{% endfilter %}',
    ],
    [
      'another one',
      '{% generation %}{% for i in [1] %}{% generation %}a{% endgeneration %}{% endfor %}{% endgeneration %}',
    ],
  ])('in %s are refused by name, where they are asked for', (_, source) => {
    expect(applyChatTemplate(source, { messages }).text.toLowerCase()).toBe('a')
    expect(() => applyChatTemplate(source, { messages, return_spans: true })).toThrow(
      expect.objectContaining({
        code: 'template_unsupported',
        message: expect.stringContaining('`{% generation %}`'),
      }),
    )
  })
})
