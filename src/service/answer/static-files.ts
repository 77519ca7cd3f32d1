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

/** A page's `Content-Security-Policy`: it may run only the files beside it, and call only this service. */
export function pagePolicy(images: string, ...more: readonly string[]): string {
  const own = ["default-src 'none'", "script-src 'self'", "style-src 'self'", `img-src 'self' ${images}`]
  const none = ['base-uri', 'form-action', 'frame-ancestors'].map((name) => `${name} 'none'`)
  return [...own, "connect-src 'self'", ...more, ...none].join('; ')
}
