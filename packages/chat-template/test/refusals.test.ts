import { describe, expect, test } from 'vitest'
import { rendered } from './rendered.js'

const CHAT = JSON.stringify({ messages: [{ role: 'user', content: 'Héllo' }] })

describe('templates that are refused by name', () => {
  test.each([
    ["{{ messages | groupby('role') }}", 'template_unsupported', 'filter `groupby`'],
    ['{{ 2 ** 3 }}', 'template_unsupported', 'operator `**`'],
    ["{% include 'x' %}", 'template_unsupported', '`{% include %}`'],
    ['{% raw %}{{ x }}{% endraw %}', 'template_unsupported', '`{% raw %}`'],
    ['{{ messages[0].content | upper }}', 'template_unsupported', '`upper` of a text'],
    ['{{ messages }}', 'template_unsupported', 'the text of a list or a dict'],
    ['{{ 1e5 }}', 'template_unsupported', '"1e5 }}" in a tag'],
    ["{{ 'a' * 1000000000 }}", 'template_unsupported', "`*` of 'str'"],
    ["{{ ''.__class__ }}", 'template_unsupported', 'attribute `__class__`'],
    ['{{ messages.append(1) }}', 'template_unsupported', 'method `append` of a list'],
    ['{{ lipsum() }}', 'template_unsupported', '`lipsum`'],
    [
      "{% set x = messages | map(attribute='role') %}{{ x | list }}{{ x | list }}",
      'template_unsupported',
      'an iterator',
    ],
    [
      "{% for m in messages %}{{ tools }}{% endfor %}{% set tools = 'x' %}",
      'template_unsupported',
      'an assignment to `tools`',
    ],
    ["{{ raise_exception('no ' ~ 'system') }}", 'template_failed', 'no system'],
    ['{{ x.y }}', 'template_failed', "'x' is undefined"],
    ['{{ x | from_json }}', 'template_unsupported', 'filter `from_json`'],
    ["{{ 1 + 'a' }}", 'template_failed', "'int' and 'str'"],
    ['{% if true %}', 'template_failed', 'endif'],
    ['{{ tools | length }}', 'template_failed', "'NoneType' has no len()"],
  ])('%s', (template, code, named) => {
    const { text, ...error } = rendered(template, CHAT)
    expect(text).toBeUndefined()
    expect(error).toEqual({ code, message: expect.stringContaining(named) })
  })

  test('a token that the files do not give, where the template reads it', () => {
    expect(rendered('{{ pad_token }}x', CHAT, ['mask_token']).text).toBe('<pad>x')
    expect(rendered('{{ mask_token }}x', CHAT, ['mask_token'])).toMatchObject({
      code: 'template_unsupported',
    })
    expect(rendered('{{ mask_token }}x', CHAT).text).toBe('x')
  })

  test('parts of a message that are no text', () => {
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }]
    const { code, message } = rendered('{{ messages[0].role }}', JSON.stringify({ messages }))
    expect([code, message]).toEqual(['template_unsupported', expect.stringContaining('Given: "image_url"')])
  })
})

describe('things that a template may use', () => {
  test.each([
    ['a range', '{% for i in range(1000000000) %}{% endfor %}', 'a range of 1000000000'],
    [
      'steps',
      '{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}',
      'takes more than 2000000 steps',
    ],
    [
      'steps of a macro',
      '{% macro f() %}{% for i in range(9999) %}{% for j in range(19) %}x{% endfor %}{% endfor %}{% endmacro %}{{ f() }}',
      'takes more than 50000 steps',
    ],
    [
      'a text that doubles',
      "{% set ns = namespace(x='aaaaaaaa') %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
      'has more than 1048576 characters',
    ],
    [
      'output',
      "{% for i in range(9999) %}{{ tools ~ 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' }}{% endfor %}",
      'more than 1048576 characters',
    ],
    ['a macro that calls itself', '{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}', 'more than 50 deep'],
    ['nesting', `{{ ${'('.repeat(300)}1${')'.repeat(300)} }}`, 'nesting'],
  ])('%s', (_, template, named) => {
    expect(rendered(template, CHAT)).toEqual({
      code: 'template_unsupported',
      message: expect.stringContaining(named),
    })
  })
})
