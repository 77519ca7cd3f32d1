import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PATH = '/some/project/'

const TYPES: Readonly<Record<string, string>> = {
  ...{ '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.txt': 'text/plain' },
  ...{ '.webp': 'image/webp', '.png': 'image/png', '.json': 'application/json' },
}

/** Builds the site. */
export function buildSite(): void {
  execFileSync(process.execPath, ['site/build.mjs'], { cwd: ROOT })
}

/** A host of plain files, below a path, without headers of its own. @param headers of another host's kind */
export async function serveSite(headers: Readonly<Record<string, string>> = {}) {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '', 'http://here').pathname
    const name = path.slice(PATH.length) || 'index.html'
    const file = path.startsWith(PATH) && !name.includes('..')
    const content = file ? await readFile(`${ROOT}dist/site/${name}`).catch(() => undefined) : undefined
    response.writeHead(content === undefined ? 404 : 200, {
      'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
      ...headers,
    })
    response.end(content)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}${PATH}`, close: () => server.close() }
}
