import { readFile } from 'node:fs/promises'

/** The package's folder, from `src/http` and from `dist/http` alike. */
const ROOT = new URL('../../', import.meta.url)

const known = new Map<string, Promise<Buffer>>()

/** A file of the package, read when it is first asked for and then kept: `packageFile('openapi.yaml')`. */
export function packageFile(path: string): Promise<Buffer> {
  let content = known.get(path)
  if (content === undefined) {
    content = readFile(new URL(path, ROOT))
    known.set(path, content)
    content.catch(() => known.delete(path))
  }
  return content
}
