import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const ROOT = new URL('../../', import.meta.url)
const page = readFileSync(new URL('CONTRIBUTING.md', ROOT), 'utf8')
const { scripts } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'))

describe('CONTRIBUTING.md', () => {
  it('shows a tree of files that exist', () => {
    const [, tree] = /<!-- tree -->\n([\s\S]*?)\n?<!-- \/tree -->/.exec(page)!
    const lines = tree.split('\n').filter((line) => /^ *[\w.-]+\/?( |$)/.test(line))
    const folders: string[] = []
    expect(lines.length).toBeGreaterThan(10)
    for (const line of lines) {
      const depth = /^ */.exec(line)![0].length / 2
      const [name] = line.trim().split(' ')
      folders.length = depth
      const path = [...folders, name].join('')
      expect(existsSync(new URL(path, ROOT)), path).toBe(true)
      if (name.endsWith('/')) folders.push(name)
    }
  })

  it('links to files that exist', () => {
    for (const [, path] of page.matchAll(/\]\((?!https?:)([^)#]+)\)/g))
      expect(existsSync(new URL(path, ROOT)), path).toBe(true)
  })

  it('names scripts that package.json has', () => {
    for (const [, name] of page.matchAll(/npm run ([\w:]+)/g)) expect(scripts).toHaveProperty(name)
  })
})
