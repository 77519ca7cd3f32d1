import { readFile } from 'node:fs/promises'
import { packageFile } from '../../first-layer/package-file.js'

const known = new Map<string, Promise<Buffer>>()

/** A file of the package, read when it is first asked for and then kept: `staticFile('openapi.yaml')`. */
export function staticFile(path: string): Promise<Buffer> {
  let content = known.get(path)
  if (content === undefined) {
    content = readFile(packageFile(path))
    known.set(path, content)
    content.catch(() => known.delete(path))
  }
  return content
}
