import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rendered } from './rendered.js'

const FOLDER = new URL('./goldens/', import.meta.url)

interface Case {
  readonly name: string
  readonly chat: string
  readonly text?: string
  readonly error?: string
}

const cases: Case[] = readFileSync(new URL('expected.ndjson', FOLDER), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
const names = [...new Set(cases.map(({ name }) => name))]

test.each(names)('%s: transformers’ own text, or a refusal', (name) => {
  const template = readFileSync(new URL(name, FOLDER), 'utf8')
  let equal = 0
  for (const { chat, text, error } of cases.filter((each) => each.name === name)) {
    const ours = rendered(template, chat)
    if (ours.text !== undefined) {
      expect(error, chat).toBeUndefined()
      expect(ours.text, chat).toBe(text)
      equal++
    } else expect(ours.code, ours.message).toMatch(/^template_(failed|unsupported)$/)
  }
  expect(equal).toBeGreaterThan(4)
})

/** Made by transformers 5.24 with jinja2 3.1.6; after those written by hand, drawn ones. */
const expressions = readFileSync(new URL('expressions.ndjson', FOLDER), 'utf8').trim().split('\n')

test.each(expressions)('%s', (line) => {
  const { template, messages, text } = JSON.parse(line)
  const chat = { messages, add_generation_prompt: false }
  const ours = rendered(template, JSON.stringify(chat))
  if (ours.text !== undefined) expect(ours.text).toBe(text)
  else if (text !== undefined) expect(ours.code, ours.message).toBe('template_unsupported')
})

test('most of what transformers renders is rendered', () => {
  const all = expressions.map((line) => JSON.parse(line)).filter(({ text }) => text !== undefined)
  const ours = all.filter(
    ({ template, messages }) => rendered(template, JSON.stringify({ messages })).text !== undefined,
  )
  expect(ours.length / all.length).toBeGreaterThan(0.5)
})

test.each([
  ['spaces before a tag go where they begin a line alone', '{{ 1 }}  {% if true %}b{% endif %}', '1  b'],
  [
    'a name that one branch alone reads and assigns is that of the chat before it is assigned',
    "{% if tools is none %}{{ enable }}{% set enable = 'off' %}{{ enable }}{% endif %}",
    'onoff',
  ],
])('%s', (_, template, text) => {
  const chat = { messages: [{ role: 'user', content: 'x' }], chat_template_kwargs: { enable: 'on' } }
  expect(rendered(template, JSON.stringify(chat))).toEqual({ text })
})
