import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'rolldown'

/**
 * Writes the licences of the bundled packages to `LICENSES.txt` beside the bundle.
 *
 * @param copied folders of packages of which the build copies data, besides those that it bundles
 */
export function licences(copied: readonly string[] = []): Plugin {
  return {
    name: 'licences',
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((output) =>
        output.type === 'chunk' ? output.moduleIds : [],
      )
      const packages = modules.flatMap((id) => /\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [])
      const folders = [...new Set([...packages, ...copied])].sort()
      this.emitFile({
        type: 'asset',
        fileName: 'LICENSES.txt',
        source: folders.map(licenceOf).join('\n\n'),
      })
    },
  }
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file))
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim())
  return [`== ${name} ${version}: ${license}`, ...texts].join('\n\n')
}
