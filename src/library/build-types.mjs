// Writes the types of the library, dist/types/index.d.ts and the declarations that it needs. TypeScript declares every
// file that the library imports; those that none of its types names are deleted again.

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const types = new URL('../../dist/types/', import.meta.url)
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.types.json'], { stdio: 'inherit' })

const needed = new Set()
const visit = (file) => {
  if (needed.has(file.href)) return
  needed.add(file.href)
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/from '(\.[^']*)\.js'/g)) {
    visit(new URL(`${path}.d.ts`, file))
  }
}
visit(new URL('index.d.ts', types))
for (const entry of readdirSync(types, { recursive: true, withFileTypes: true })) {
  const file = pathToFileURL(join(entry.parentPath, entry.name))
  if (entry.isFile() && !needed.has(file.href)) rmSync(file)
}
