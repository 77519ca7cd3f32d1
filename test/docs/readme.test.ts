import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { VARIABLES } from '../../src/config.js'
import { ERRORS } from '../../src/errors.js'
import { embed, testService } from '../helper.js'

const PATH = new URL('../../README.md', import.meta.url)

/** A table as Markdown writes it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|')
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

const TABLES: Readonly<Record<string, string>> = {
  variables: table(
    ['variable', 'default', 'rule', 'meaning'],
    VARIABLES.map(({ name, default: given, rule, doc }) => [`\`${name}\``, given || '–', rule, doc]),
  ),
  errors: table(
    ['status', 'code', 'when'],
    Object.entries(ERRORS).map(([code, { status, when }]) => [String(status), `\`${code}\``, when]),
  ),
}

/** What stands between `<!-- name -->` and `<!-- /name -->`. */
function section(readme: string, name: string): string {
  const found = new RegExp(`<!-- ${name} -->\n([\\s\\S]*?)\n?<!-- /${name} -->`).exec(readme)
  if (found === null) throw new Error(`README.md has no section ${name}`)
  return found[1]
}

describe('README.md', () => {
  // UPDATE_DOCS=1 writes the tables instead of comparing them.
  if (process.env.UPDATE_DOCS) {
    let readme = readFileSync(PATH, 'utf8')
    for (const [name, text] of Object.entries(TABLES)) {
      const between = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`)
      readme = readme.replace(between, (_, open, close) => `${open}${text}\n${close}`)
    }
    writeFileSync(PATH, readme)
  }
  const readme = readFileSync(PATH, 'utf8')

  it.each(Object.keys(TABLES))('lists what the code has (%s)', (name) => {
    expect(section(readme, name)).toBe(TABLES[name])
  })

  it('shows a first call with the answer that it gets', async () => {
    const body = /-d '(\{.*\})'/.exec(readme)![1]
    const shown = /```text\n(\{"model"[\s\S]*?)…\n```/.exec(readme)![1].replaceAll(/\n */g, '')
    const service = await testService({ EMBEDDING_DIM: '256' })
    const answer = await embed(service, body)
    await service.close()
    expect(answer.body.toString().startsWith(shown)).toBe(true)
  })

  it('shows a tree of files that exist', () => {
    const lines = section(readme, 'tree')
      .split('\n')
      .filter((line) => /^ *[\w.-]+\/?( |$)/.test(line))
    const folders: string[] = []
    expect(lines.length).toBeGreaterThan(10)
    for (const line of lines) {
      const depth = /^ */.exec(line)![0].length / 2
      const [name] = line.trim().split(' ')
      folders.length = depth
      const path = [...folders, name].join('')
      expect(existsSync(new URL(`../../${path}`, import.meta.url)), path).toBe(true)
      if (name.endsWith('/')) folders.push(name)
    }
  })

  it('names documents that exist', () => {
    for (const [, path] of readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
      expect(existsSync(new URL(`../../${path}`, import.meta.url)), path).toBe(true)
    }
  })
})
