import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { circles, importsOfFiles } from '../house/imports.js'

const ROOT = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')
const page = read('docs/architecture.md')
const tree = /<!-- tree -->([\s\S]*)<!-- \/tree -->/.exec(read('CONTRIBUTING.md'))![1]

const foldersOf = (path: string) =>
  readdirSync(new URL(path, ROOT), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)

const rowsOf = (pattern: RegExp) => Array.from(page.matchAll(pattern), ([, room]) => room)
/** The rooms, and the files beside them, in the order of the page's table. */
const rooms = rowsOf(/^\| `([\w-]+(?:\.ts)?)` \|/gm)
/** The rooms of http, in the order of theirs. */
const httpRooms = rowsOf(/^\| `http\/(\w+)` \|/gm)
const imports = importsOfFiles()

/** Imports from one room to another that stands above it, as `from → to`. `folder` holds the rooms. */
function arrowsUp(order: readonly string[], folder = ''): string[] {
  const place = (path: string) =>
    path.startsWith(folder) ? order.indexOf(path.slice(folder.length).split('/')[0]) : -1
  const up = new Set<string>()
  for (const [file, imported] of imports) {
    for (const to of imported) {
      const [from, into] = [place(file), place(to)]
      if (from >= 0 && into >= 0 && into < from) up.add(`${order[from]} → ${order[into]}`)
    }
  }
  return [...up]
}

describe('docs/architecture.md', () => {
  it('names files that exist', () => {
    const paths = Array.from(
      page.matchAll(/`([\w-]+(?:\/[\w-]+)*(?:\.(?:tsx?|md)|(?<=\/[\w-]+)))`/g),
      ([, path]) => path,
    )
    const named = paths.filter((path) => !path.includes('NAME'))
    expect(named.length).toBeGreaterThan(25)
    for (const path of named) {
      const places = [`src/${path}`, path].map((place) => new URL(place, ROOT))
      expect(places.some(existsSync), path).toBe(true)
    }
  })

  it('has every room of src, every file beside them, and every room of http', () => {
    const files = readdirSync(new URL('src', ROOT)).filter((name) => name.endsWith('.ts'))
    expect([...rooms].sort()).toEqual([...foldersOf('src'), ...files].sort())
    expect([...httpRooms].sort()).toEqual(foldersOf('src/http').sort())
  })

  it('puts each room above all that it imports', () => {
    expect(arrowsUp(rooms)).toEqual([])
  })

  it('puts each room of http above all that it imports', () => {
    expect(arrowsUp(httpRooms, 'http/')).toEqual([])
  })
})

test('no file imports itself through others, not even types', () => {
  expect(circles(imports)).toEqual([])
})

describe('the tree of CONTRIBUTING.md', () => {
  it('has every room of src, and every room of http', () => {
    const listed = Array.from(tree.matchAll(/^ +([\w-]+)\/ /gm), ([, name]) => name)
    expect(listed).toEqual(expect.arrayContaining([...foldersOf('src'), ...foldersOf('src/http')]))
  })
})
