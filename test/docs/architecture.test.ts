import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const ROOT = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')
const page = read('docs/architecture.md')
const tree = /<!-- tree -->([\s\S]*)<!-- \/tree -->/.exec(read('CONTRIBUTING.md'))![1]

/** Folders and files of TypeScript in a folder of src. */
const roomsOf = (path: string) =>
  readdirSync(new URL(`src/${path}`, ROOT), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.name.endsWith('.ts'))
    .map(({ name }) => `${path}${name}`)

describe('docs/architecture.md', () => {
  it('has at most 12 KB', () => {
    expect(Buffer.byteLength(page)).toBeLessThanOrEqual(12_000)
  })

  it('names files that exist', () => {
    const paths = Array.from(
      page.matchAll(/`([\w-]+(?:\/[\w-]+)*(?:\.(?:tsx?|mjs|md|json)|(?<=\/[\w-]+)))`/g),
      ([, path]) => path!,
    )
    const named = paths.filter((path) => !path.includes('NAME') && path !== 'schemas.ts')
    expect(named.length).toBeGreaterThan(60)
    for (const path of named) {
      const places = [`src/${path}`, path].map((place) => new URL(place, ROOT))
      expect(places.some(existsSync), path).toBe(true)
    }
  })

  it('lists each room of src and of src/service once', () => {
    const [, table] = /^## Rooms\n([\s\S]*?)^## /m.exec(page)!
    const listed = Array.from(table!.matchAll(/^\| `([\w/.-]+)` \|/gm), ([, room]) => room)
    expect(listed.sort()).toEqual([...roomsOf(''), ...roomsOf('service/')].sort())
  })

  it('shows a feature as its file has it', () => {
    const [, path] = /A small one, `(.+?)`/.exec(page)!
    const [, shown] = /```ts\n([\s\S]*?)```/.exec(page)!
    expect(read(`src/${path}`)).toContain(shown)
  })

  it('names all that a feature can have', () => {
    const [, members] = /^export interface Feature<[\s\S]*?\{\n([\s\S]*?)^\}/m.exec(
      read('src/service/feature.ts'),
    )!
    const names = Array.from(members!.matchAll(/^ {2}(?:readonly )?(\w+)\?[(:]/gm), ([, name]) => name)
    expect(names.length).toBeGreaterThan(2)
    for (const name of names) expect(page).toMatch(new RegExp(`^- \`${name}\\b`, 'm'))
  })
})

describe('the tree of CONTRIBUTING.md', () => {
  it('has each room of src and each folder of src/service', () => {
    const listed = Array.from(tree!.matchAll(/^ +([\w-]+)\/ /gm), ([, name]) => name)
    const folders = [...roomsOf(''), ...roomsOf('service/')].filter((path) => !path.endsWith('.ts'))
    expect(listed).toEqual(expect.arrayContaining(folders.map((path) => path.split('/').at(-1))))
  })
})
