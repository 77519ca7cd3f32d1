import { jsonPost } from './harness/bodies.mjs'
import { callAll } from './harness/calls.mjs'

// Chat templates that a request brings: programs of a few hundred bytes that ask for as much work, depth or memory as
// they can say.

const LONG =
  "{% set ns = namespace(s='aaaaaaaa') %}{% for i in range(19) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}"
const shared = (times, list) =>
  `{% set ns = namespace(l=[1]) %}{% for i in range(${times}) %}{% set ns.l = ${list} %}{% endfor %}{{ ns.l | tojson }}`
const loops = (body) =>
  `${LONG}{% for i in range(9999) %}{% for j in range(9999) %}${body}{% endfor %}{% endfor %}`
const names = Array.from({ length: 1500 }, (_, i) => `{% set a${i} = 1 %}`).join('')

export const name = 'templates'
export const about = 'chat templates of a request: loops, doubled texts and lists, long chains, many names'
export const variants = {
  'loops in loops': { template: loops('') },
  'searches in loops': { template: loops("{% if 'b' in ns.s %}{% endif %}") },
  'kept texts': {
    template: `{% set k = namespace(l=[]) %}${loops('{% set k.l = k.l + [ns.s ~ j] %}')}`,
  },
  'shared lists': { template: shared(60, '[ns.l, ns.l]') },
  'a deep list': { template: shared(9999, '[ns.l]') },
  'a text in place of each letter': { template: `${LONG}{{ ns.s.replace('a', ns.s) }}` },
  'a search that compares all': {
    template: `${LONG}{{ (ns.s[:300] ~ 'b' ~ ns.s[:99999]) in ns.s }}`,
  },
  'a chain of 30,000 sums': { template: `{{ 1${'+1'.repeat(30_000)} }}` },
  'many names and branches': {
    template: `${names}{% if a0 %}${'{% elif a0 %}'.repeat(2500)}{% endif %}`,
    served: true,
  },
  'eight at once': { template: loops(''), count: 8 },
}

export const prepare = ({ template, count = 1 }) => ({
  count,
  request: jsonPost(
    '/v1/tokenize',
    JSON.stringify({ chat_template: template, messages: [{ role: 'user', content: 'x' }] }),
  ),
})

export async function send(service, { request, count }) {
  return { answers: await callAll(service.port, count, () => request) }
}

export function expect({ answers }, must, { served }) {
  must.answered(
    answers,
    served ? ['200'] : ['422 template_unsupported', '400 invalid_request', '503 overloaded'],
  )
}
