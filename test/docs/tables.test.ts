import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ERRORS } from '../../src/service/answer/error-table.js'
import { VARIABLES } from '../../src/service/config.js'

/** A table as Markdown writes it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|')
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

/** Tables that the code gives, by their document. */
const TABLES: Readonly<Record<string, string>> = {
  'docs/configuration.md': table(
    ['variable', 'default', 'rule', 'meaning'],
    VARIABLES.map(({ name, default: given, rule, doc }) => [`\`${name}\``, given || '–', rule, doc]),
  ),
  'docs/errors.md': table(
    ['status', 'code', 'when'],
    Object.entries(ERRORS).map(([code, { status, when }]) => [String(status), `\`${code}\``, when]),
  ),
}

/** The marks that a document has around its table, and the table. */
const BETWEEN = /(<!-- (\w+) -->\n)([\s\S]*?)(\n<!-- \/\2 -->)/

describe.each(Object.keys(TABLES))('%s', (path) => {
  const url = new URL(`../../${path}`, import.meta.url)
  // UPDATE_DOCS=1 writes the table instead of comparing it.
  if (process.env.UPDATE_DOCS) {
    const page = readFileSync(url, 'utf8')
    writeFileSync(
      url,
      page.replace(BETWEEN, (_, open, _name, _table, close) => `${open}${TABLES[path]}${close}`),
    )
  }
  const page = readFileSync(url, 'utf8')

  it('lists what the code has', () => {
    expect(BETWEEN.exec(page)?.[3]).toBe(TABLES[path])
  })

  it('links to files that exist', () => {
    for (const [, target] of page.matchAll(/\]\((?!https?:)([^)#]+)\)/g))
      expect(existsSync(new URL(target, url)), target).toBe(true)
  })
})
