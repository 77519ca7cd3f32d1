import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')
const page = read('docs/architecture.md')
const tree = /<!-- tree -->([\s\S]*)<!-- \/tree -->/.exec(read('CONTRIBUTING.md'))![1]

const foldersOf = (path: string) =>
  readdirSync(new URL(path, ROOT), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)

/** The rooms in the order of the page's table. */
const rooms = Array.from(page.matchAll(/^\| `(\w+)` \|/gm), ([, room]) => room)

/** The rooms that the files of a room import. */
function importsOf(room: string): Set<string> {
  const files = readdirSync(new URL(`src/${room}`, ROOT), { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.ts') && !path.startsWith('assembly'))
  const imported = files.flatMap((path) => {
    const folder = posix.dirname(posix.join(room, path))
    const lines = read(`src/${room}/${path}`).matchAll(/(?:from|import\() ?'(\.[^']+)'/g)
    return Array.from(lines, ([, to]) => posix.join(folder, to).split('/'))
  })
  return new Set(imported.filter(({ length }) => length > 1).map(([first]) => first))
}

describe('docs/architecture.md', () => {
  it('names files that exist', () => {
    const paths = Array.from(
      page.matchAll(/`([\w-]+(?:\/[\w-]+)*(?:\.(?:ts|md)|(?<=\/[\w-]+)))`/g),
      ([, path]) => path,
    )
    const named = paths.filter((path) => !path.includes('NAME'))
    expect(named.length).toBeGreaterThan(25)
    for (const path of named) {
      const places = [`src/${path}`, path].map((place) => new URL(place, ROOT))
      expect(places.some(existsSync), path).toBe(true)
    }
  })

  it('has every room of src', () => {
    expect([...rooms].sort()).toEqual(foldersOf('src').sort())
  })

  it.each(rooms)('puts %s above all that it imports', (room) => {
    const above = rooms.slice(0, rooms.indexOf(room))
    expect([...importsOf(room)].filter((imported) => above.includes(imported))).toEqual([])
  })
})

describe('the tree of CONTRIBUTING.md', () => {
  it('has every room of src, and every room of http', () => {
    const listed = Array.from(tree.matchAll(/^ +([\w-]+)\/ /gm), ([, name]) => name)
    expect(listed).toEqual(expect.arrayContaining([...foldersOf('src'), ...foldersOf('src/http')]))
  })
})
