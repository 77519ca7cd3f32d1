import { describe, expect, test } from 'vitest'
import { ChatError, readValues, renderChat, run } from '../src/index.js'

const CHAT = { messages: run(readValues('[{ "role": "user", "content": "hi" }]', 'messages'))! }
const MAX_CHARACTERS = 1 << 20

/** The renderer's result for a template: its text or refusal, and the most that it reserves of memory. */
function outcome(template: string): { text?: string; code?: string; message?: string; reserved: number } {
  let reserved = 0
  try {
    const steps = renderChat(
      { templates: template, tokens: {}, unknownTokens: [] },
      { messages: CHAT.messages },
      MAX_CHARACTERS,
    )
    for (;;) {
      const { done, value } = steps.next()
      if (done) return { text: value, reserved }
      if (typeof value === 'number') reserved += value
    }
  } catch (error) {
    if (!(error instanceof ChatError)) throw error
    return { code: error.code, message: error.message, reserved }
  }
}

const many = (part: string, count: number) => part.repeat(count)
/** `ns.s` of 2^19 characters. */
const LONG =
  "{% set ns = namespace(s='aaaaaaaa') %}{% for i in range(16) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}"
/** `NAME.l`, in which each list has the one before twice: 2^60 values, or once: a depth of 9,999. */
const shared = (name: string) =>
  `{% set ${name} = namespace(l=[1]) %}{% for i in range(60) %}{% set ${name}.l = [${name}.l, ${name}.l] %}{% endfor %}`
const deep = (name: string) =>
  shared(name)
    .replace('range(60)', 'range(9999)')
    .replace(/, \w+\.l\]/, ']')

describe('templates that are small and ask for much are refused', () => {
  test.each([
    ['filters in a row', `{{ 'a'${many('|trim', 600)} }}`],
    ['sums in a row', `{{ 1${many('+1', 600)} }}`],
    ['attributes in a row', `{{ messages${many('.a', 600)} }}`],
    ['alternatives in a row', `{{ 0${many(' or 0', 600)} }}`],
    ['conditions in a row', `{{ 1${many(' if 1', 600)} }}`],
    ['calls in a row', `{{ x${many('()', 600)} }}`],
    ['a tag of many tokens', `{{ 1${many('~1', 3000)} }}`],
    ['a long template', many('a', (1 << 17) + 1)],
    ['replace', `${LONG}{{ ns.s.replace('a', ns.s) | length }}`],
    ['the filter replace', `${LONG}{{ ns.s | replace('a', ns.s) | length }}`],
    ['join', `${LONG}{{ ns.s.join(ns.s) | length }}`],
    ['the filter join', `${LONG}{{ [${many('ns.s,', 900)}] | join | length }}`],
    ['concatenation', `${LONG}{{ 1${many('~ns.s', 900)} }}`],
    ['format', `${LONG}{{ '${many('{0}', 3000)}'.format(ns.s) | length }}`],
    ['the text of a list', `${LONG}{{ [${many('ns.s,', 900)}] }}`],
    ['JSON of a list', `${LONG}{{ [${many('ns.s,', 900)}] | tojson }}`],
    ['an indent', `${LONG}{{ messages | tojson(indent=ns.s) }}`],
    ['separators', `${LONG}{{ messages | tojson(separators=(ns.s, ':')) }}`],
    ['parts of a text', `${LONG}{{ ns.s.split('a') | length }}`],
    ['characters of a text', `${LONG}{{ ns.s | list | length }}`],
    ['a search', `${LONG}{{ (ns.s[:300] ~ 'b' ~ ns.s[:99999]) in ns.s }}`],
    ['a replaced text', `${LONG}{{ ns.s.replace(ns.s[:300] ~ 'b' ~ ns.s[:99999], '') }}`],
    ['cut texts in a loop', `${LONG}{% for i in range(9999) %}{{ ns.s[9:10] }}{% endfor %}`],
    ['JSON of shared lists', `${shared('ns')}{{ ns.l | tojson }}`],
    ['the text of shared lists', `${shared('ns')}{{ ns.l }}`],
    ['shared lists, compared', `${shared('ns')}${shared('nt')}{{ ns.l == nt.l }}`],
    ['shared lists, one in another', `${shared('ns')}${shared('nt')}{{ ns.l in [nt.l] }}`],
    ['shared lists in a test', `${shared('ns')}${shared('nt')}{{ ns.l is equalto nt.l }}`],
    ['shared lists, chosen', `${shared('ns')}${shared('nt')}{{ [ns.l] | select('equalto', nt.l) | list }}`],
    ['JSON of a deep list', `${deep('ns')}{{ ns.l | tojson }}`],
    ['the text of a deep list', `${deep('ns')}{{ ns.l }}`],
    ['deep lists, compared', `${deep('ns')}${deep('nt')}{{ ns.l == nt.l }}`],
    [
      'macros within blocks within brackets',
      `{% macro f() %}${many('{% if 1 %}', 90)}{{ ${many('[', 90)}f()${many(']', 90)} }}${many('{% endif %}', 90)}{% endmacro %}{{ f() }}`,
    ],
    [
      'texts that are kept',
      `${LONG}{% set k = namespace(l=[]) %}{% for i in range(9999) %}{% set k.l = k.l + [ns.s ~ i] %}{% endfor %}`,
    ],
  ])('%s', (_, template) => {
    const { text, code, message } = outcome(template)
    expect(text).toBeUndefined()
    expect([code, message]).toEqual([
      'template_unsupported',
      expect.stringMatching(/more than|deeper than|longer than/),
    ])
  })
})

describe('the memory of a render is reserved', () => {
  test('texts that the template keeps, two bytes for each character', () => {
    const kept = `${LONG}{% set k = namespace(l=[]) %}{% for i in range(20) %}{% set k.l = k.l + [ns.s ~ i] %}{% endfor %}`
    expect(outcome(kept)).toMatchObject({
      text: '',
      reserved: expect.toSatisfy((bytes) => bytes > 20 * 2 ** 20),
    })
  })

  test('the tree of a template, before it is read', () => {
    const template = many('{{ a }}', 10_000)
    expect(outcome(template).reserved).toBeGreaterThan(100 * template.length)
  })
})

describe('work between two pauses is bounded', () => {
  const names = Array.from({ length: 4000 }, (_, i) => `{% set a${i} = 1 %}`).join('')

  test.each([
    ['many tags', many('{{a}}', 20_000)],
    ['many names, and conditions that read them', `${names}${many('{% if a0 %}{% endif %}', 2500)}`],
    ['many branches', `${names}{% if a0 %}${many('{% elif a0 %}', 4000)}{% endif %}`],
    ['comments', many('{##}', 30_000)],
  ])('%s', (_, template) => {
    const steps = renderChat(
      { templates: template, tokens: {}, unknownTokens: [] },
      { messages: CHAT.messages },
      MAX_CHARACTERS,
    )
    let pauses = 0
    while (!steps.next().done) pauses++
    expect(pauses).toBeGreaterThan(template.length / 8192)
  })
})
