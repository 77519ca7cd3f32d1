import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

const SRC = new URL('../../src/', import.meta.url)

/** Every file of src that TypeScript checks → the files of src that it imports, types included. */
export function importsOfFiles(): ReadonlyMap<string, readonly string[]> {
  const files = readdirSync(SRC, { recursive: true })
    .map((path) => String(path).replaceAll('\\', '/'))
    .filter((path) => /\.tsx?$/.test(path) && !path.includes('/assembly/'))
  const known = new Set(files)
  const sourceOf = (path: string) =>
    [path, path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx')].find((each) => known.has(each))
  return new Map(
    files.map((path) => {
      const lines = readFileSync(new URL(path, SRC), 'utf8').matchAll(
        /(?:from|import|import\() ?'(\.[^']+)'/g,
      )
      const imported = Array.from(lines, ([, to]) => sourceOf(posix.join(posix.dirname(path), to)))
      return [path, imported.filter((each) => each !== undefined)]
    }),
  )
}

/** Groups of files that import each other, directly or through others: Tarjan's strongly connected components. */
export function circles(imports: ReadonlyMap<string, readonly string[]>): readonly string[][] {
  const found: string[][] = []
  const low = new Map<string, number>()
  const stack: string[] = []
  const visit = (file: string): number => {
    const index = low.size
    let lowest = index
    low.set(file, index)
    stack.push(file)
    for (const next of imports.get(file) ?? []) {
      if (!low.has(next)) lowest = Math.min(lowest, visit(next))
      else if (stack.includes(next)) lowest = Math.min(lowest, low.get(next)!)
    }
    low.set(file, lowest)
    if (lowest < index) return lowest
    const group = stack.splice(stack.indexOf(file))
    if (group.length > 1) found.push(group)
    return lowest
  }
  for (const file of imports.keys()) if (!low.has(file)) visit(file)
  return found
}
