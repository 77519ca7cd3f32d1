import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { ERROR_ROWS, VARIABLES } from '../../src/service/features.js'

/** A table as Markdown writes it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|')
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

type Described = Readonly<{ $ref?: string; description?: string }>

const API = parse(readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8'))

/** One line of a description: tables have no paragraphs. */
const line = (text = '') => text.replaceAll(/\s+/g, ' ').trim()

/** Tables that the code gives, by their document and the marks around them. openapi.yaml is held to the routes by another test. */
const TABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/configuration.md': {
    variables: table(
      ['variable', 'default', 'rule', 'meaning'],
      VARIABLES.map(({ name, default: given, rule, doc }) => [`\`${name}\``, given || '–', rule, doc]),
    ),
  },
  'docs/errors.md': {
    errors: table(
      ['status', 'code', 'when'],
      ERROR_ROWS.map(([code, [status, when]]) => [String(status), `\`${code}\``, when]),
    ),
  },
  'docs/api.md': {
    routes: table(
      ['route', 'gives'],
      Object.entries<object>(API.paths).flatMap(([path, methods]) =>
        Object.entries<{ summary?: string }>(methods as never)
          .filter(([, { summary }]) => summary)
          .map(([method, { summary }]) => [`\`${method.toUpperCase()} ${path}\``, line(summary)]),
      ),
    ),
    fields: table(
      ['field', 'meaning'],
      Object.entries<Described>(API.components.schemas.InputEmbeddingsRequest.properties).map(
        ([name, { $ref = '', description }]) => [
          `\`${name}\``,
          line(description ?? API.components.schemas[$ref.replace(/.*\//, '')].description),
        ],
      ),
    ),
  },
}

describe.each(Object.entries(TABLES))('%s', (path, tables) => {
  const url = new URL(`../../${path}`, import.meta.url)
  const between = (mark: string) => new RegExp(`(<!-- ${mark} -->\\n)([\\s\\S]*?)(\\n<!-- /${mark} -->)`)
  // UPDATE_DOCS=1 writes the tables instead of comparing them.
  if (process.env.UPDATE_DOCS) {
    let page = readFileSync(url, 'utf8')
    for (const [mark, rows] of Object.entries(tables))
      page = page.replace(between(mark), (_, open, _table, close) => `${open}${rows}${close}`)
    writeFileSync(url, page)
  }
  const page = readFileSync(url, 'utf8')

  it.each(Object.entries(tables))('lists the %s that the code has', (mark, rows) => {
    expect(between(mark).exec(page)?.[2]).toBe(rows)
  })
})
