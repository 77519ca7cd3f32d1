import { describe, expect, test } from 'vitest'
import { ChatError, chatSteps, readValues, run } from '../src/index.js'

const CHAT = { messages: run(readValues('[{ "role": "user", "content": "hi" }]', 'messages'))! }
const MAX_CHARACTERS = 1 << 20

/** The renderer's result for a template: its text or refusal, and the most that it reserves of memory. */
function outcome(template: string): { text?: string; code?: string; message?: string; reserved: number } {
  let reserved = 0
  try {
    const steps = chatSteps(
      { templates: template, tokens: {}, unknownTokens: [] },
      { messages: CHAT.messages },
      MAX_CHARACTERS,
    )
    for (;;) {
      const { done, value } = steps.next()
      if (done) return { text: value.text, reserved }
      reserved += value
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

describe('what filters do within one expression is bounded by characters', () => {
  test.each([
    ['title', `${LONG}{{ ns.s${many('|title', 20)} }}`],
    ['the text of a list', `{% set s = ['${many('\\n', 50_000)}'] %}{{ [${many('s|string,', 20)}] }}`],
    ['JSON for ASCII', `{% set s = '${many('é', 50_000)}' %}{{ [${many('s|tojson(true),', 20)}] }}`],
    ['texts of `map`', `${LONG}{{ [${many('ns.s,', 64)}] | map('upper') | list | length }}`],
    ['a comparison of each with each', `${LONG}{{ [${many('ns.s,', 16)}] | sort | length }}`],
    ['a long needle', `${LONG}{{ ('b' ~ ns.s[:400]) in ns.s }}`],
  ])('%s', (_, template) => {
    expect(outcome(template)).toMatchObject({
      code: 'template_unsupported',
      message: expect.stringMatching(/(takes|makes) more than/),
    })
  })
})

test('a message as long as a body may be is rendered: its length is no step', () => {
  const content = 'Löng 🦙 text of one line,\n'.repeat(140_000)
  const messages = run(readValues(JSON.stringify([{ role: 'user', content }]), 'messages'))!
  const templates = `{% macro of(content) %}{% if content is string %}{{ content }}{% endif %}{% endmacro %}
{%- for m in messages %}{% set content = of(m.content).strip() %}
{%- if '</think>' in content %}{% set content = content.split('</think>')[-1].lstrip('\n') %}{% endif %}
{{- m.role ~ ': ' ~ content|trim }}{{ content.split('\n')|length }} {{ content|length }} {{ content[-1] }}{% endfor %}`
  const { text } = run(chatSteps({ templates, tokens: {}, unknownTokens: [] }, { messages }, 4 << 20))
  expect(text === `user: ${content.trim()}140000 3499999 ,`).toBe(true)
})

describe('the memory of a render is reserved', () => {
  test.each([
    ['texts of `map`', "{% set ns.l = ns.l + [ns.m | map('upper') | list] %}", 40 * 1000 * 2 * 256],
    ['lists', '{% set ns.l = [ns.l, ns.m + ns.m] %}', 40 * 2000 * 8],
    ['dicts', "{% set ns.l = [ns.l, ns.m | map('default', {}) | list, {'a': 1}] %}", 40 * 1000 * 8],
  ])('%s that a loop keeps', (_, kept, bytes) => {
    const loop = `{% for i in range(40) %}${kept}{% endfor %}`
    const list = '{% for i in range(1000) %}{% set ns.m = ns.m + [ns.s] %}{% endfor %}'
    const template = `{% set ns = namespace(l=[], m=[], s='${many('a', 256)}') %}${list}`
    const { text, reserved } = outcome(template + loop)
    expect(text).toBe('')
    expect(reserved - outcome(template).reserved).toBeGreaterThan(bytes)
  })

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
    const steps = chatSteps(
      { templates: template, tokens: {}, unknownTokens: [] },
      { messages: CHAT.messages },
      MAX_CHARACTERS,
    )
    let pauses = 0
    while (!steps.next().done) pauses++
    expect(pauses).toBeGreaterThan(template.length / 8192)
  })
})
