import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An empty project folder in which a fake @tensorflow/tfjs-node can be installed. */
export class FakeProject {
  readonly #folder = mkdtempSync(join(tmpdir(), 'inlet-backend-'))
  readonly require: NodeJS.Require = createRequire(join(this.#folder, 'index.js'))

  /** Installs a package whose main file is `code`, and `files` beside it. */
  install(code: string, files: Readonly<Record<string, string>> = {}): void {
    const place = join(this.#folder, 'node_modules/@tensorflow/tfjs-node')
    mkdirSync(place, { recursive: true })
    const all = { 'package.json': '{ "main": "index.js" }', 'index.js': code, ...files }
    for (const [name, text] of Object.entries(all)) writeFileSync(join(place, name), text)
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true })
  }
}
